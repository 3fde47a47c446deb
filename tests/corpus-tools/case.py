"""What a case is made of: policies, requests, and the answers table.

Everything here is plain data; `Family` collects cases under one prefix and
says which subject they belong to.
"""

import base64
import json
import unicodedata

MARCH, JUNE, NOVEMBER, JULY = "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
LEGACY = (MARCH, JUNE, NOVEMBER)
ALL = (MARCH, JUNE, NOVEMBER, JULY)

META = "io.modelcontextprotocol/"
TASKS = ("tasks/get", "tasks/update", "tasks/cancel")

# The answers table: reason -> (verdict, status, status in 2026-07-28, error code).
_PARSE, _REQUEST, _METHOD, _PARAMS = -32700, -32600, -32601, -32602
_HEADER, _VERSION, _DENIED = -32020, -32022, -31403
ANSWERS = {}
for _code, _status, _modern, _names in [
    (
        _PARSE,
        400,
        400,
        "body_empty json_invalid json_utf8 json_trailing_data json_duplicate_member"
        " json_lone_surrogate json_number_range json_too_deep",
    ),
    (
        _REQUEST,
        400,
        400,
        "json_case_variant json_control_in_name envelope_invalid envelope_conflict"
        " id_invalid method_invalid batch_unavailable batch_empty batch_member_invalid batch_mixed"
        " batch_too_large batch_duplicate_id initialize_in_batch verb_body method_wrong_kind"
        " response_unavailable",
    ),
    (
        _PARAMS,
        400,
        400,
        "params_invalid params_too_large meta_invalid tool_name_invalid name_invalid",
    ),
    (_METHOD, 400, 404, "method_unavailable method_wrong_direction"),
    (
        _VERSION,
        400,
        400,
        "version_missing version_unknown version_ambiguous version_not_permitted"
        " no_legacy_revision",
    ),
    (
        _HEADER,
        400,
        400,
        "header_ambiguous version_mismatch version_header_missing mirror_mismatch"
        " mirror_missing mirror_unexpected mirror_invalid",
    ),
    (_REQUEST, 415, 415, "media_type content_encoding"),
    (_REQUEST, 413, 413, "body_too_large"),
    (_REQUEST, 405, 405, "verb_not_allowed"),
    (_REQUEST, 403, 403, "origin_not_allowed path_not_normal host_invalid"),
]:
    for _name in _names.split():
        ANSWERS[_name] = ("reject", _status, _modern, _code)
for _name in (
    "no_endpoint method_not_allowed method_denied tool_not_allowed tool_denied"
    " prompt_not_allowed prompt_denied resource_not_allowed resource_denied"
    " extension_not_allowed extension_denied argument_forbidden"
    " response_not_allowed"
).split():
    # 403 with `denial: http`. Without an endpoint there is no such setting.
    _status = 403 if _name == "no_endpoint" else 200
    ANSWERS[_name] = ("deny", _status, _status, _DENIED)

# Found before the body is read or understood, so no id is known.
WITHOUT_ID = {
    "body_empty",
    "json_invalid",
    "json_utf8",
    "json_trailing_data",
    "json_duplicate_member",
    "json_lone_surrogate",
    "json_number_range",
    "json_too_deep",
    "verb_body",
    "media_type",
    "content_encoding",
    "body_too_large",
    "verb_not_allowed",
    "origin_not_allowed",
    "path_not_normal",
    "host_invalid",
    "no_endpoint",
    "params_too_large",
}
UNSAID = object()


def compact(value):
    """JSON as clients write it: no spaces, characters as they are."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def policy(
    versions=ALL, methods=(), tools=(), prompts=(), resources=(), extensions=(), deny=None, **more
):
    """The shorthand of a policy; empty selectors are left out."""
    names = {
        "methods": methods,
        "tools": tools,
        "prompts": prompts,
        "resources": resources,
        "extensions": extensions,
    }
    allow = {key: list(value) for key, value in names.items() if value}
    made = {"versions": list(versions), "allow": allow}
    if deny:
        made["deny"] = {key: list(value) for key, value in deny.items()}
    return made | more


def meta(version=JULY, **more):
    """`_meta` as requests of 2026-07-28 carry it."""
    keys = {META + "protocolVersion": version, META + "clientCapabilities": {}}
    return keys | more


def request(method, params=None, version=NOVEMBER, id=1):
    """A request; in 2026-07-28 with the `_meta` that revision requires."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if version == JULY:
        params = {"_meta": meta(), **(params or {})}
    if params is not None:
        message["params"] = params
    return message


def notification(method, params=None):
    """A notification."""
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def tool(name, arguments=None, version=NOVEMBER, id=1):
    """A `tools/call`."""
    return request("tools/call", {"name": name, "arguments": arguments or {}}, version, id)


def mirrors(message):
    """`Mcp-Method` and `Mcp-Name` of a request, as the body has them."""
    method, params = message.get("method"), message.get("params")
    params = params if isinstance(params, dict) else {}
    lines = [("mcp-method", method)]
    member = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
    member |= {name: "taskId" for name in TASKS}
    name = params.get(member.get(method, ""))
    if isinstance(name, str):
        lines.append(("mcp-name", name))
    return lines


def post(body, version=NOVEMBER, extra=(), drop=(), auto=True, path="/mcp", **transport):
    """A POST of `body`: a message, a list of them, text, or bytes.

    `version` None sends no version header. Requests of 2026-07-28 get their
    mirrors unless `auto` is false. `drop` leaves headers out, `extra` adds.
    """
    lines = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ]
    if version:
        lines.append(("mcp-protocol-version", version))
    if auto and version == JULY and isinstance(body, dict) and "id" in body and "method" in body:
        lines += mirrors(body)
    lines = [line for line in lines if line[0] not in drop] + list(extra)
    made = {"method": "POST", "path": path, "headers": [list(line) for line in lines]}
    if isinstance(body, bytes):
        made["body_base64"] = base64.b64encode(body).decode()
    elif body is not None:
        made["body"] = body if isinstance(body, str) else compact(body)
    if transport:
        made["transport"] = transport
    made["_message"] = body
    made["_modern"] = version == JULY
    return made


def bare(verb, version=NOVEMBER, extra=(), body=None, path="/mcp", **transport):
    """A request of another verb, with a body only if one is given."""
    lines = [("mcp-protocol-version", version)] if version else []
    made = {"method": verb, "path": path, "headers": [list(line) for line in (*lines, *extra)]}
    if body is not None:
        made["body"] = body
    if transport:
        made["transport"] = transport
    made["_message"] = None
    made["_modern"] = version == JULY
    return made


# A member's name is refused; the id is echoed all the same.
ODD_NAME = {"json_case_variant", "json_control_in_name"}


def _may_be_id(name):
    """Whether some reader takes an odd name for `id`."""
    control = [c for c in name if unicodedata.category(c) == "Cc"]
    start = name.split(control[0])[0] if control else name
    shown = "".join(c for c in name if c not in control)
    return name != "id" and "id" in (start.casefold(), shown.casefold())


def _known_id(message, reason):
    """The id a refusal of `message` must carry; None if there is none."""
    if reason in ODD_NAME and isinstance(message, str):
        try:
            message = json.loads(message)
        except ValueError:
            return None
    if reason in ODD_NAME and isinstance(message, dict) and any(map(_may_be_id, message)):
        return None
    if reason in WITHOUT_ID or not isinstance(message, dict) or "method" not in message:
        return None
    if "result" in message or "error" in message:
        return None
    id = message.get("id")
    valid = isinstance(id, str) or (isinstance(id, int) and not isinstance(id, bool))
    return id if valid and (isinstance(id, str) or -(2**63) <= id < 2**63) else None


class Family:
    """The cases of one prefix, which go into the folder `subject`; those whose
    slug begins with a key of `apart` into another."""

    def __init__(self, prefix, subject, apart=()):
        self.prefix = prefix
        self.subject = subject
        self.apart = dict(apart)
        self.cases = []

    def folder(self, case):
        """The subject of one of its cases."""
        slug = case["id"].removeprefix(f"{self.prefix}-")
        found = [subject for start, subject in self.apart.items() if slug.startswith(start)]
        return found[0] if found else self.subject

    def _add(self, slug, why, rule, policy, sent, outcome, more):
        sent = {key: value for key, value in sent.items() if not key.startswith("_")}
        transport = sent.pop("transport", None)
        made = {
            "id": f"{self.prefix}-{slug}",
            "source": f"contract {rule}",
            "why": why,
            "policy": policy,
            **sent,
        }
        if transport:
            made["transport"] = transport
        made |= outcome | more
        self.cases.append(made)

    def forward(
        self, slug, why, rule, policy, sent, code="allowed", because="valid and permitted", **more
    ):
        """A case that reaches the server; under audit `code` may be a denial's."""
        outcome = {"expected": "forward", "expected_reason": because, "expected_code": code}
        self._add(slug, why, rule, policy, sent, outcome, more)

    def refuse(
        self,
        slug,
        why,
        rule,
        policy,
        sent,
        code,
        because,
        id=UNSAID,
        loose=False,
        data=None,
        allow=None,
        **more,
    ):
        """A denied or rejected case; the answers table says how by `code`.

        `loose` asserts the verdict and its code alone, where the rules leave the
        answer open; `unsaid` names what else of the answer is left open.
        `data` is what `error.data` must hold too, `allow` the header `Allow`.
        """
        verdict, status, modern_status, error = ANSWERS[code]
        modern = sent["_modern"]
        outcome = {"expected": verdict, "expected_reason": because, "expected_code": code}
        if not loose:
            outcome["expected_status"] = modern_status if modern else status
            if verdict == "deny" and policy.get("denial") == "http":
                outcome["expected_status"] = 403
            outcome["expected_error_code"] = error
            known = _known_id(sent["_message"], code)
            if id is not UNSAID:
                outcome["expected_id"] = id
            elif known is not None:
                outcome["expected_id"] = known
            else:
                outcome["expected_id"] = {"absent": True} if modern else None
            if not more.get("expected_empty"):
                outcome["expected_headers"] = [["content-type", "application/json"]]
            if error == _VERSION and not policy.get("unmatched"):
                outcome["expected_data"] = {"supported": sorted(policy.get("versions", [NOVEMBER]))}
            if allow:
                outcome["expected_headers"].append(["allow", allow])
            outcome.setdefault("expected_data", {})["reason"] = code
            outcome["expected_data"] |= data or {}
        for key in more.pop("unsaid", ()):
            outcome.pop(key, None)
        self._add(slug, why, rule, policy, sent, outcome, more)

    def silent(self, slug, why, rule, policy, sent, code, because, **more):
        """A denial that is answered without a body."""
        self.refuse(
            slug,
            why,
            rule,
            policy,
            sent,
            code,
            because,
            id={"absent": True},
            unsaid=("expected_error_code", "expected_data"),
            expected_empty=True,
            **more,
        )


def decide(family, slug, why, rule, made, body, code=None, version=NOVEMBER, **more):
    """Forward without a code, else a refusal with it."""
    if code is None:
        family.forward(slug, why, rule, made, post(body, version), **more)
    else:
        family.refuse(
            slug, why, rule, made, post(body, version), code, code.replace("_", " "), **more
        )
