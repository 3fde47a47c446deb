"""Limits: just under, at, and just over."""

from case import JULY, MARCH, NOVEMBER, Family, compact, notification, policy, post, request, tool

WEATHER = {"methods": ["ping", "tools/list"], "tools": ["get_weather"]}
SIZE = "4: size"
DEPTH = "5: nesting beyond the limit"
IDS = "6: an id is a string or an integer token within i64"
NAMES = "10: 1 to 128 of A-Z a-z 0-9 _ - ."


def allow(versions=(MARCH, NOVEMBER, JULY), **more):
    """A policy that permits one tool."""
    return policy(versions, **{**WEATHER, **more})


def sized(length, name="get_weather"):
    """A call whose body is exactly `length` bytes."""
    call = tool(name, {"pad": ""})
    call["params"]["arguments"]["pad"] = "p" * (length - len(compact(call)))
    return call


def sizes(family):
    small = allow(max_body_bytes=1024)
    for how, transport in [
        ("declared", {}),
        ("chunked", {"chunk_sizes": [300]}),
        ("h2", {"http": "h2"}),
    ]:
        for length in (1023, 1024):
            family.forward(
                f"body-{how}-{length}",
                "Within the limit.",
                SIZE,
                small,
                post(sized(length), **transport),
            )
        family.refuse(
            f"body-{how}-1025",
            "One byte over the limit.",
            SIZE,
            small,
            post(sized(1025), **transport),
            "body_too_large",
            "over the limit",
        )
    family.refuse(
        "body-over-denied",
        "Size comes before policy.",
        "1: reject is found before deny",
        small,
        post(sized(1025, "delete_repo")),
        "body_too_large",
        "over the limit",
    )
    family.refuse(
        "body-over-audit",
        "Audit does not lift a limit.",
        "1: audit never weakens a reject",
        allow(max_body_bytes=1024, mode="audit"),
        post(sized(1025)),
        "body_too_large",
        "over the limit",
    )
    space = compact(tool("get_weather"))
    family.refuse(
        "body-over-by-space",
        "White space counts.",
        SIZE,
        small,
        post(space + " " * (1025 - len(space))),
        "body_too_large",
        "over the limit",
    )
    family.forward(
        "body-space-at-limit",
        "White space after the value is fine.",
        SIZE,
        small,
        post(space + "\n" * (1024 - len(space))),
    )
    lie = "The length is judged before a byte of the body is seen; a false one cannot be sent."
    for length, fits in [
        (1048575, True),
        (1048576, True),
        (1048577, False),
        (18446744073709551616, False),
    ]:
        sent = post(tool("get_weather"), extra=[("content-length", str(length))])
        if fits:
            family.forward(
                f"default-declared-{length}", lie, SIZE, allow(), sent, runners=["native"]
            )
        else:
            family.refuse(
                f"default-declared-{length}",
                lie,
                SIZE,
                allow(),
                sent,
                "body_too_large",
                "over the default of 1 MiB",
                runners=["native"],
            )
    length = str(len(compact(tool("get_weather"))))
    for slug, values in [
        ("twice", [length, length]),
        ("list", [f"{length}, {length}"]),
        ("signed", [f"+{length}"]),
        ("hex", ["0x5d"]),
        ("empty", [""]),
    ]:
        family.refuse(
            f"length-{slug}",
            "Not one decimal number; Envoy's codec refuses it or mends it first.",
            "4: a header the filter reads, sent twice or empty",
            allow(),
            post(tool("get_weather"), extra=[("content-length", value) for value in values]),
            "header_ambiguous",
            "ambiguous header",
            loose=True,
            runners=["native"],
        )


def nested(levels):
    """A value of `levels` containers within each other."""
    value = []
    for _ in range(levels - 1):
        value = [value] if levels % 2 else {"k": value}
    return value


def depths(family):
    # Envelope, params and arguments are three.
    for name, limit, over in [
        ("default", None, 65),
        ("configured-8", 8, 9),
        ("configured-128", 128, 129),
    ]:
        made = allow() if limit is None else allow(max_depth=limit)
        for depth in (over - 2, over - 1, over):
            call = tool("get_weather", {"v": nested(depth - 3)})
            slug, why = f"depth-{name}-{depth}", f"{depth} containers are open at once."
            if depth < over:
                family.forward(slug, why, DEPTH, made, post(call))
            else:
                family.refuse(slug, why, DEPTH, made, post(call), "json_too_deep", "too deep")
    for slug, body in [
        ("envelope-member", lambda deep: request("ping") | {"x": nested(deep - 1)}),
        ("params-member", lambda deep: request("ping", {"x": nested(deep - 2)})),
        ("meta-member", lambda deep: request("ping", {"_meta": {"a/x": nested(deep - 3)}})),
        ("response", lambda deep: {"jsonrpc": "2.0", "id": 1, "result": {"r": nested(deep - 2)}}),
    ]:
        code = "client_response" if slug == "response" else "allowed"
        family.forward(
            f"depth-in-{slug}-64",
            "The limit holds everywhere.",
            DEPTH,
            allow(),
            post(body(64)),
            code,
        )
        family.refuse(
            f"depth-in-{slug}-65",
            "The limit holds everywhere.",
            DEPTH,
            allow(),
            post(body(65)),
            "json_too_deep",
            "too deep",
        )
    batch = [tool("get_weather", {"v": nested(60)})]
    family.forward(
        "depth-batch-64", "The array of a batch is one more.", DEPTH, allow(), post(batch, MARCH)
    )
    batch = [tool("get_weather", {"v": nested(61)})]
    family.refuse(
        "depth-batch-65",
        "The array of a batch is one more.",
        DEPTH,
        allow(),
        post(batch, MARCH),
        "json_too_deep",
        "too deep",
    )
    bomb = '{"jsonrpc":"2.0","id":1,"method":"ping","params":' + "[" * 20000
    family.refuse(
        "depth-bomb-unclosed",
        "Refused at the 65th bracket, not at the end.",
        DEPTH,
        allow(),
        post(bomb),
        "json_too_deep",
        "too deep",
    )


def counts(family):
    rule = "6: at most 64 members (configurable)"
    for limit, made in [(64, allow()), (2, allow(max_batch_members=2))]:
        for count in (limit - 1, limit, limit + 1):
            batch = [request("ping", id=n) for n in range(count)]
            slug, why = f"batch-{limit}-of-{count}", f"{count} members, limit {limit}."
            if count <= limit:
                family.forward(slug, why, rule, made, post(batch, MARCH))
            else:
                family.refuse(
                    slug, why, rule, made, post(batch, MARCH), "batch_too_large", "too many members"
                )
    notes = [notification("notifications/initialized")] * 65
    family.refuse(
        "batch-64-of-65-notifications",
        "Notifications are members too.",
        rule,
        allow(methods=["notifications/initialized"]),
        post(notes, MARCH),
        "batch_too_large",
        "too many members",
    )
    rule = "4: limits; values kept outside `arguments`"
    for count, fits in [(16381, True), (16382, False)]:
        call = tool("get_weather")
        call["params"]["x"] = [0] * count
        why = "Name, arguments and x are three of the 16,384 values that are kept."
        if fits:
            family.forward(f"kept-{count + 3}", why, rule, allow(), post(call))
        else:
            family.refuse(
                f"kept-{count + 3}",
                why,
                rule,
                allow(),
                post(call),
                "params_too_large",
                "too many values outside arguments",
            )
    call = tool("get_weather", {"x": [0] * 20000})
    family.forward(
        "kept-not-in-arguments", "`arguments` is checked, not kept.", rule, allow(), post(call)
    )


def ids(family):
    text = '{"jsonrpc":"2.0","id":%s,"method":"ping"}'
    for token in [
        "0",
        "-1",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        '""',
        '"1"',
        '"\\u0000"',
        '"\U0001f600"',
        '"' + "i" * 2000 + '"',
    ]:
        name = token.strip('"') if len(token) < 30 else "long"
        name = {"": "empty", "\\u0000": "nul", "\U0001f600": "emoji"}.get(name, name)
        kind = "string" if token.startswith('"') else "integer"
        family.forward(
            f"id-{kind}-{name}".replace("--", "-minus-"),
            "A string or an integer token within i64.",
            IDS,
            allow(),
            post(text % token),
        )
    for name, token in [
        ("over-i64", "9223372036854775808"),
        ("under-i64", "-9223372036854775809"),
        ("one-point-zero", "1.0"),
        ("exponent", "1e0"),
        ("true", "true"),
        ("array", "[1]"),
        ("thirty-digits", "1" * 30),
    ]:
        family.refuse(
            f"id-{name}",
            "Readers disagree about such ids.",
            IDS,
            allow(),
            post(text % token),
            "id_invalid",
            "invalid id",
            id=None,
        )
    family.refuse(
        "id-minus-zero",
        "An integer to some readers, the double -0.0 to others; refused like 1.0.",
        IDS,
        allow(),
        post(text % "-0"),
        "id_invalid",
        "invalid id",
        id=None,
        debatable=True,
    )


def names(family):
    for length in (1, 2, 127, 128):
        name = "n" * length
        family.forward(
            f"tool-name-{length}",
            "A name of this length is fine.",
            NAMES,
            allow(tools=["*"]),
            post(tool(name)),
        )
    for length in (0, 129, 4000):
        name = "n" * length
        family.refuse(
            f"tool-name-{length}",
            "No tool has a name of this length.",
            NAMES,
            allow(tools=["*"]),
            post(tool(name)),
            "tool_name_invalid",
            "name of a wrong length",
        )
    for length in (129, 2000):
        name = "n" * length
        family.forward(
            f"tool-name-any-{length}",
            "`any` lifts the rule.",
            NAMES,
            allow(tools=["*"], strict_tool_names=False),
            post(tool(name)),
        )
    letters = "ABCXYZabcxyz0189_-."
    family.forward(
        "tool-name-alphabet",
        "All kinds of characters that are allowed.",
        NAMES,
        allow(tools=["*"]),
        post(tool(letters)),
    )
    for slug, name in [
        ("space", "a b"),
        ("newline", "a\n"),
        ("zero-width", "a\u200bb"),
        ("full-width", "\uff41"),
        ("trailing-space", "a "),
    ]:
        family.refuse(
            f"tool-name-with-{slug}",
            "Outside the set.",
            NAMES,
            allow(tools=["*"]),
            post(tool(name)),
            "tool_name_invalid",
            "character outside the set",
        )


def families():
    """`lim`."""
    family = Family("lim", "limits")
    for part in (sizes, depths, counts, ids, names):
        part(family)
    return [family]
