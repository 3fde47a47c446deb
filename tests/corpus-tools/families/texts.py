"""JSON texts that parsers are known to read differently.

The kinds are those of the public parsing suites: `y` is JSON, `n` is not,
`i` is what implementations decide and this project has decided. Each goes
into a tool argument; some are a whole body as well, where even valid JSON is
no message.
"""

from case import NOVEMBER, Family, policy, post

RULE = "5: one RFC 8259 value, UTF-8"
WHOLE = "6: one JSON-RPC 2.0 message"
ALLOW = policy([NOVEMBER], methods=["ping"], tools=["get_weather"])
HEAD = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
    b'{"name":"get_weather","arguments":{"v":'
)
TAIL = b"}}}"

VALID = {
    "array-empty": "[]",
    "array-mixed": '[null,1,"1",{}]',
    "object-empty": "{}",
    "object-empty-key": '{"":0}',
    "object-spaces": '{ "a" : 1 , "b" : [ ] }',
    "object-escaped-key": '{"\\u0066oo\\nbar":1}',
    "object-proto": '{"__proto__":{"a":1}}',
    "word-true": "true",
    "word-null": "null",
    "number-zero": "0",
    "number-minus-zero": "-0",
    "number-fraction": "0.5",
    "number-exponent-capital": "1E22",
    "number-exponent-minus": "1E-2",
    "number-fraction-exponent": "123.456e78",
    "number-zero-exponent": "0e1",
    "number-near-zero": "-0.%s1" % ("0" * 80),
    "number-many-digits": "3.14159265358979323846264338327950288419716939937510",
    "string-empty": '""',
    "string-escapes": '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
    "string-escaped-quote": '"\\""',
    "string-hex-upper": '"\\u00EF"',
    "string-surrogate-pair": '"\\ud834\\udd1e"',
    "string-escaped-nul": '"\\u0000"',
    "string-noncharacter-escaped": '"\\uffff"',
    "string-bom-inside": '"\ufeff"',
    "string-four-byte": '"\U0001d11e"',
    "string-delete": '"\x7f"',
    "string-line-separators": '"\u2028\u2029"',
    "string-comment": '"a/*b*/c/*d//e"',
    "string-backslash-u": '"\\\\u0000"',
    "string-last-bmp": '"\\uD7FF\\uE000"',
}
INVALID = {
    "array-trailing-comma": "[1,]",
    "array-leading-comma": "[,1]",
    "array-no-comma": "[1 2]",
    "array-colon": '["a":1]',
    "array-unclosed": "[1",
    "array-extra-close": "[1]]",
    "array-mismatched": "[1}",
    "array-form-feed": "[\x0c]",
    "array-no-break-space": "[\xa0]",
    "object-trailing-comma": '{"a":1,}',
    "object-leading-comma": '{,"a":1}',
    "object-no-colon": '{"a" 1}',
    "object-double-colon": '{"a"::1}',
    "object-no-value": '{"a":}',
    "object-unquoted-key": "{a:1}",
    "object-single-quotes": "{'a':1}",
    "object-number-key": "{1:1}",
    "object-slash-comment": '{"a":1}//',
    "object-semicolon": '{"a":1;"b":2}',
    "word-nul": "nul",
    "word-capital": "True",
    "word-undefined": "undefined",
    "word-longer": "nulll",
    "number-nan": "NaN",
    "number-infinity": "Infinity",
    "number-minus-infinity": "-Infinity",
    "number-plus": "+1",
    "number-double-minus": "--1",
    "number-leading-zero": "012",
    "number-dot-first": ".5",
    "number-dot-last": "1.",
    "number-no-exponent": "1e",
    "number-exponent-sign-only": "1e+",
    "number-two-dots": "1.2.3",
    "number-hex": "0x1F",
    "number-underscore": "1_000",
    "number-full-width": "\uff11",
    "number-suffix": "1n",
    "number-expression": "1+1",
    "string-single-quotes": "'a'",
    "string-unclosed": '"a',
    "string-bad-escape": '"\\a"',
    "string-escape-x": '"\\x41"',
    "string-escape-zero": '"\\0"',
    "string-escape-brace": '"\\u{41}"',
    "string-short-escape": '"\\u00A"',
    "string-bad-hex": '"\\u00G0"',
    "string-upper-u": '"\\U0041"',
    "string-half-escape": '"\\"',
    "string-raw-tab": '"\t"',
    "string-raw-nul": '"\x00"',
    "string-adjacent": '"a""b"',
    "string-smart-quotes": "\u201ca\u201d",
    "structure-comment": "/*x*/1",
    "structure-line-comment": "1//x\n",
    "structure-nothing": "",
    "structure-tag": "<v>",
    "structure-bom": "\ufeff1",
    "structure-vertical-tab": "\x0b1",
}
DECIDED = {
    "number-huge-exponent": ("1e400", "json_number_range"),
    "number-many-digits-overflow": ("1" * 310, "json_number_range"),
    "number-minus-many-digits-overflow": ("-" + "9" * 400 + ".0", "json_number_range"),
    "number-largest": ("1.7976931348623157e308", None),
    "number-underflow": ("1e-400", None),
    "number-big-integer": ("1" * 300, None),
    "number-over-u64": ("18446744073709551616", None),
    "number-under-i64": ("-9223372036854775809", None),
    "string-lone-high": ('"\\ud800"', "json_lone_surrogate"),
    "string-lone-low": ('"\\udc00"', "json_lone_surrogate"),
    "string-high-then-escape": ('"\\ud800\\n"', "json_lone_surrogate"),
    "string-two-highs": ('"\\ud800\\ud800"', "json_lone_surrogate"),
    "string-inverted-pair": ('"\\udd1e\\ud834"', "json_lone_surrogate"),
    "key-lone-surrogate": ('{"\\uDFAA":0}', "json_lone_surrogate"),
    "string-overlong": (b'"\xc0\xaf"', "json_utf8"),
    "string-surrogate-bytes": (b'"\xed\xa0\x80"', "json_utf8"),
    "string-cesu-8": (b'"\xed\xa0\xbd\xed\xb8\xb9"', "json_utf8"),
    "object-same-twice": ('{"a":1,"a":1}', "json_duplicate_member"),
    "object-escaped-twice": ('{"a":1,"\\u0061":2}', "json_duplicate_member"),
    "structure-61-open": ("[" * 61 + "]" * 61, None),
    "structure-62-open": ("[" * 62 + "]" * 62, "json_too_deep"),
    "structure-objects-open": ('{"a":' * 500 + "1" + "}" * 500, "json_too_deep"),
    "structure-unclosed-open": ('[{"a":' * 5000, "json_too_deep"),
}
# Whole bodies: valid JSON that is no message, and what is no JSON.
WHOLE_VALID = ["object-empty", "word-null", "word-true", "number-fraction", "string-empty"]
WHOLE_INVALID = [
    "array-extra-close",
    "array-trailing-comma",
    "object-trailing-comma",
    "object-unquoted-key",
    "object-single-quotes",
    "object-slash-comment",
    "word-capital",
    "number-nan",
    "number-leading-zero",
    "string-unclosed",
    "structure-bom",
    "structure-tag",
    "array-unclosed",
]

# As a whole text these are a value with something after it.
WHOLE_TRAILING = ("array-extra-close", "number-leading-zero", "object-slash-comment")


def raw(text):
    """The text as bytes."""
    return text if isinstance(text, bytes) else text.encode()


def sent(text):
    """The text as an argument; as text in the file where it can be."""
    body = HEAD + raw(text) + TAIL
    try:
        return post(body.decode())
    except UnicodeDecodeError:
        return post(body)


def families():
    """`json`."""
    family = Family("json", "json")
    for slug, text in VALID.items():
        family.forward(f"y-{slug}", "Every reader takes it.", RULE, ALLOW, sent(text))
    for slug, text in INVALID.items():
        family.refuse(
            f"n-{slug}",
            "Lax readers make something of it.",
            RULE,
            ALLOW,
            sent(text),
            "json_invalid",
            "not JSON",
        )
    for slug, (text, code) in DECIDED.items():
        why = "Readers differ; this is what was decided."
        if code is None:
            family.forward(f"i-{slug}", why, RULE, ALLOW, sent(text))
        else:
            family.refuse(f"i-{slug}", why, RULE, ALLOW, sent(text), code, code.replace("_", " "))
    for slug in WHOLE_VALID:
        family.refuse(
            f"y-whole-{slug}",
            "Valid JSON, but no message.",
            WHOLE,
            ALLOW,
            post(VALID[slug]),
            "envelope_invalid",
            "not a message",
            id=None,
        )
    for slug in WHOLE_INVALID:
        family.refuse(
            f"n-whole-{slug}",
            "Lax readers make something of it.",
            RULE,
            ALLOW,
            post(INVALID[slug]),
            "json_trailing_data" if slug in WHOLE_TRAILING else "json_invalid",
            "not JSON",
        )
    return [family]
