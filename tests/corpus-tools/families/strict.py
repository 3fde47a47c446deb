"""Names twice, folded names, odd bytes: at many depths and positions."""

from case import JULY, MARCH, NOVEMBER, Family, compact, policy, post, request, tool

TWICE = "5: duplicate member names at any depth, compared after unescaping"
FOLD = "5: a member name that equals a protocol member under simple case folding"
CONTROL = "5: control characters in member names of the protocol's own objects"
OPAQUE = "5: `arguments` is opaque beyond these rules"
BYTES = "5: one RFC 8259 value, UTF-8, no BOM, nothing after it"
CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}'
PARAMS = CALL % '{"name":"get_weather","arguments":%s}'


def allow(versions=(MARCH, NOVEMBER, JULY), **more):
    """A policy that permits two methods and a tool."""
    return policy(versions, methods=["ping", "tools/list"], tools=["get_weather"], **more)


def twice(family):
    for slug, text in [
        ("jsonrpc", '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}'),
        ("id", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'),
        ("method", '{"jsonrpc":"2.0","method":"tools/list","id":1,"method":"tools/call"}'),
        ("unknown-member", '{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":1}'),
        ("name", CALL % '{"name":"get_weather","arguments":{},"name":"delete_repo"}'),
        ("meta", CALL % '{"name":"get_weather","_meta":{},"_meta":{}}'),
        ("meta-key", CALL % '{"name":"get_weather","_meta":{"a/b":1,"a/b":2}}'),
        ("escaped-letter", CALL % '{"name":"get_weather","n\\u0061me":"delete_repo"}'),
        ("escaped-slash", PARAMS % '{"a/b":1,"a\\/b":2}'),
        ("empty-name", PARAMS % '{"":1,"":2}'),
        ("arguments-top", PARAMS % '{"path":"/a","path":"/b"}'),
        ("arguments-deep", PARAMS % '{"a":{"b":{"c":{"d":1,"d":2}}}}'),
        ("arguments-in-array", PARAMS % '{"a":[0,[{"k":1,"k":2}]]}'),
        ("arguments-object-then-array", PARAMS % '{"a":{},"a":[]}'),
        ("far-apart", PARAMS % ('{%s,"k0":1}' % ",".join(f'"k{n}":0' for n in range(300)))),
        ("in-result", '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}'),
    ]:
        family.refuse(
            f"twice-{slug}",
            "First-wins and last-wins readers see two messages.",
            TWICE,
            allow(),
            post(text),
            "json_duplicate_member",
            "duplicate member",
        )
    text = f"[{compact(request('ping'))},{PARAMS % '{}'}]".replace(
        '"arguments":{}', '"arguments":{"a":1,"a":1}'
    )
    family.refuse(
        "twice-in-batch-member",
        "One malformed member rejects the batch.",
        TWICE,
        allow(),
        post(text, MARCH),
        "json_duplicate_member",
        "duplicate member",
    )
    text = compact(tool("get_weather", version=JULY)).replace(
        '"io.modelcontextprotocol/clientCapabilities":{}',
        '"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol\\/clientCapabilities":{}',
    )
    family.refuse(
        "twice-reserved-meta-key",
        "A reserved key twice, once escaped.",
        TWICE,
        allow(),
        post(text, JULY, [("mcp-method", "tools/call"), ("mcp-name", "get_weather")]),
        "json_duplicate_member",
        "duplicate member",
    )
    family.refuse(
        "twice-audit",
        "Audit weakens no rejection.",
        TWICE,
        allow(mode="audit"),
        post(CALL % '{"name":"get_weather","name":"get_weather"}'),
        "json_duplicate_member",
        "duplicate member",
    )
    for slug, arguments in [
        ("siblings", '{"a":{"k":1},"b":{"k":1}}'),
        ("array", '[{"k":1},{"k":1}]'),
        ("nested", '{"k":{"k":{"k":1}}}'),
        ("case", '{"Name":1,"name":2,"NAME":3}'),
        ("normal-forms", '{"caf\u00e9":1,"cafe\u0301":2}'),
        ("nul", '{"a":1,"a\\u0000":2}'),
    ]:
        value = arguments if arguments.startswith("{") else '{"v":%s}' % arguments
        family.forward(
            f"once-{slug}",
            "Different objects, or different names.",
            OPAQUE,
            allow(),
            post(PARAMS % value),
        )


def folded(family):
    """Names that a case-insensitive reader takes for a protocol member."""
    envelope = '{"jsonrpc":"2.0","id":1,"method":"ping",%s:1}'
    why = "A reader that folds case takes it for a protocol member."
    names = [
        ("jsonrpc-capital", "Jsonrpc"),
        ("id-capital", "Id"),
        ("method-upper", "METHOD"),
        ("params-capital", "Params"),
        ("params-long-s", "param\u017f"),
        ("result-capital", "Result"),
        ("result-long-s", "re\u017fult"),
        ("error-capital", "Error"),
    ]
    for slug, name in names:
        family.refuse(
            f"fold-envelope-{slug}",
            why,
            FOLD,
            allow(),
            post(envelope % compact(name)),
            "json_case_variant",
            "case variant",
        )
    names = [
        ("name-capital", "Name"),
        ("uri-capital", "Uri"),
        ("task-id-long-s", "ta\u017fkId"),
        ("task-id-kelvin", "tas\u212aId"),
        ("arguments-capital", "Arguments"),
        ("arguments-long-s", "argument\u017f"),
        ("protocol-version-lower", "protocolversion"),
        ("cursor-capital", "Cursor"),
        ("ref-capital", "Ref"),
        ("method-capital", "Method"),
    ]
    for slug, name in names:
        params = f'{{"name":"get_weather",{compact(name)}:"delete_repo"}}'
        family.refuse(
            f"fold-params-{slug}",
            why,
            FOLD,
            allow(),
            post(CALL % params),
            "json_case_variant",
            "case variant",
        )
    for slug, key in [
        ("protocol-version", "io.modelcontextprotocol/ProtocolVersion"),
        ("client-capabilities", "io.modelcontextprotocol/clientcapabilities"),
        ("client-info", "IO.modelcontextprotocol/clientInfo"),
        ("log-level", "io.modelcontextprotocol/LogLevel"),
        ("related-task", "io.modelcontextprotocol/Related-Task"),
        ("long-s", "io.modelcontextprotocol/clientCapabilitie\u017f"),
    ]:
        message = tool("get_weather", version=JULY)
        message["params"]["_meta"][key] = JULY
        family.refuse(
            f"fold-meta-{slug}",
            "A reserved key in another case.",
            FOLD,
            allow(),
            post(message, JULY),
            "json_case_variant",
            "case variant",
        )
    for slug, text in [
        ("escaped", envelope % '"\\u004dethod"'),
        ("alone", '{"jsonrpc":"2.0","id":1,"Method":"ping"}'),
        ("response", '{"jsonrpc":"2.0","id":1,"result":{},"Method":"ping"}'),
    ]:
        family.refuse(
            f"fold-{slug}", why, FOLD, allow(), post(text), "json_case_variant", "case variant"
        )
    family.refuse(
        "fold-batch-member",
        "In every member of a batch.",
        FOLD,
        allow(),
        post([request("ping"), request("ping", id=2) | {"METHOD": "x"}], MARCH),
        "json_case_variant",
        "case variant",
    )
    for slug, arguments in [
        ("names", {"Method": 1, "NAME": 2, "uri": 3, "Uri": 4}),
        ("long-s", {"param\u017f": 1, "params": 2}),
        ("nested", {"a": {"Id": 1, "id": 2}}),
    ]:
        family.forward(
            f"fold-arguments-{slug}",
            "Argument names are the tool's own.",
            OPAQUE,
            allow(),
            post(tool("get_weather", arguments)),
        )
    for slug, name in [
        ("plural", "methods"),
        ("longer", "namespace"),
        ("trailing-space", "name "),
        ("cyrillic", "m\u0435thod"),
        ("full-width", "\uff4dethod"),
        ("combining", "na\u0301me"),
        ("dotless", "\u0131d"),
    ]:
        family.forward(
            f"fold-not-{slug}",
            "Similar to the eye, equal to no reader.",
            "5: simple case folding",
            allow(),
            post(envelope % compact(name)),
        )


def controls(family):
    for slug, escape in [
        ("nul", "\\u0000"),
        ("newline", "\\n"),
        ("tab", "\\t"),
        ("delete", "\\u007f"),
        ("next-line", "\\u0085"),
    ]:
        family.refuse(
            f"control-envelope-{slug}",
            "C readers stop at it or drop it.",
            CONTROL,
            allow(),
            post('{"jsonrpc":"2.0","id":1,"method":"ping","method%s":1}' % escape),
            "json_control_in_name",
            "control character in a name",
        )
    for place, text in [
        ("params", CALL % '{"name":"get_weather","name\\u0000":"delete_repo"}'),
        ("params-leading", CALL % '{"name":"get_weather","\\u0000name":"delete_repo"}'),
        ("meta", CALL % '{"name":"get_weather","_meta":{"a\\u0001":1}}'),
        ("envelope-only", '{"jsonrpc":"2.0","id":1,"method\\u0000":"ping"}'),
    ]:
        family.refuse(
            f"control-{place}",
            "C readers stop at it or drop it.",
            CONTROL,
            allow(),
            post(text),
            "json_control_in_name",
            "control character in a name",
        )
    family.forward(
        "control-in-arguments",
        "Argument names are the tool's own.",
        OPAQUE,
        allow(),
        post(PARAMS % '{"a\\u0000b":1,"\\n":2}'),
    )


def odd_bytes(family):
    good = compact(tool("get_weather")).encode()
    for slug, body, code in [
        ("bom", b"\xef\xbb\xbf" + good, "json_invalid"),
        ("utf16-le", good.decode().encode("utf-16-le"), "json_invalid"),
        ("utf16-be-bom", b"\xfe\xff" + good.decode().encode("utf-16-be"), "json_utf8"),
        ("utf32-be", good.decode().encode("utf-32-be"), "json_invalid"),
        ("latin1", good.replace(b"get_weather", b"caf\xe9"), "json_utf8"),
        ("surrogate-bytes", good.replace(b"get_weather", b"\xed\xa0\x80"), "json_utf8"),
        ("bad-in-key", good.replace(b"{}", b'{"\xff":1}'), "json_utf8"),
        ("nul-after", good + b"\0", "json_trailing_data"),
        ("form-feed-after", good + b"\x0c", "json_trailing_data"),
        ("record-separator", b"\x1e" + good + b"\n", "json_invalid"),
        ("second-line", good + b"\n" + good, "json_trailing_data"),
        ("brace-after", good + b"}", "json_trailing_data"),
        ("xssi-prefix", b")]}'\n" + good, "json_invalid"),
        ("raw-nul-in-string", good.replace(b"get_weather", b"get\0weather"), "json_invalid"),
    ]:
        family.refuse(
            f"bytes-{slug}",
            "Some reader makes another message of it.",
            BYTES,
            allow(),
            post(body),
            code,
            "not one RFC 8259 value in UTF-8",
        )
    for slug, body in [
        ("space-around", b" \t\r\n" + good + b" \t\r\n"),
        ("pretty", good.replace(b",", b" ,\r\n\t")),
        ("delete-in-string", good.replace(b"{}", b'{"a":"\x7f"}')),
        ("separators-in-string", good.replace(b"{}", '{"a":"\u2028\u2029\ufeff"}'.encode())),
        ("noncharacters", good.replace(b"{}", '{"a":"\uffff\U0010ffff"}'.encode())),
        ("escaped-everything", good.replace(b"tools/call", b"\\u0074ools\\/call")),
        (
            "member-order",
            b'{"params":{"arguments":{},"name":"get_weather"},"method":"tools/call","id":1,"jsonrpc":"2.0"}',
        ),
    ]:
        family.forward(
            f"bytes-{slug}", "Valid, and forwarded byte for byte.", BYTES, allow(), post(body)
        )


def families():
    """`str`."""
    family = Family("str", "json")
    for part in (twice, folded, controls, odd_bytes):
        part(family)
    return [family]
