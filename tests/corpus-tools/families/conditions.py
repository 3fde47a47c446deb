"""`when: jwt` against claims of every JSON kind, in allow and deny."""

from case import NOVEMBER, Family, post, tool

RULE = "10: when: what cannot be read: an allow does not match, a deny does"
KINDS = "10: when: text, number, bool or a flat list of these; all else cannot be read"
FORMS = "10: when: a policy value that is a JSON number or bool is compared with both forms"
WORDS = "10: when: `scope` and `scp` are lists of words, split at U+0020, list elements too"

# The host's list of one text, `admin`, as a text.
SERIALISED = "\u0001\0\0\0\u0005\0\0\0\0\0\0\0admin\0\0"
# Lists of one text as messages of protobuf, as texts.
MESSAGE = "\n\u0007\u001a\u0005admin"
OTHER_MESSAGE = "\n\u0007\u001a\u0005clerk"


def condition(claim, values):
    return {"jwt": {"payload": "token", "claim": claim, "in": values}}


def cases(family, slug, why, rule, claims, allowed, denied, values, claim="role"):
    """The same claims against an allow and a deny for the same values."""
    when = condition(claim, values)
    sometimes = {"versions": [NOVEMBER], "allow": [{"id": "some", "tools": ["t"], "when": when}]}
    never = {
        "versions": [NOVEMBER],
        "allow": [{"id": "all", "tools": ["*"]}],
        "deny": [{"id": "some", "tools": ["t"], "when": when}],
    }
    for kind, made, code in [
        ("allow", sometimes, None if allowed else "tool_not_allowed"),
        ("deny", never, "tool_denied" if denied else None),
    ]:
        sent = post(tool("t"))
        sent["jwt"] = {"token": claims}
        if code is None:
            family.forward(f"{kind}-{slug}", why, rule, made, sent)
        else:
            family.refuse(f"{kind}-{slug}", why, rule, made, sent, code, "policy denial")


def kinds(family):
    values = ["guest", "admin", "8", "true", "operator"]
    for slug, why, rule, role, allowed, denied in [
        ("text", "The plain case.", RULE, "admin", True, True),
        ("text-other", "Known and different.", RULE, "clerk", False, False),
        ("text-case", "Denies ignore case.", RULE, "ADMIN", False, True),
        ("text-of-eight", "As long as a number, yet a text.", KINDS, "operator", True, True),
        ("text-empty", "The host shows it as nothing.", KINDS, "", False, True),
        ("text-number", "A number as text.", FORMS, "8", True, True),
        ("text-nul", "What is cut at a NUL reads as another.", KINDS, "admin\0", False, True),
        ("text-control", "Control characters cannot be read.", KINDS, "clerk\n", False, True),
        ("text-like-list", "The host's bytes of a list.", KINDS, SERIALISED, False, True),
        ("text-like-message", "The message of a list.", KINDS, MESSAGE, False, True),
        ("text-like-other-message", "The message of a list.", KINDS, OTHER_MESSAGE, False, True),
        ("text-like-true", "The host's byte of `true`.", KINDS, "\u0001", False, True),
        ("number", "Eight bytes for the host.", FORMS, 8, True, True),
        ("number-other", "Known and different.", FORMS, 9, False, False),
        ("number-float", "The same number.", FORMS, 8.0, True, True),
        ("number-near", "Another number.", FORMS, 8.5, False, False),
        ("number-negative", "Another number.", FORMS, -8, False, False),
        ("number-huge", "Doubles do not tell these apart.", KINDS, 9007199254740993, False, True),
        ("number-beyond", "No integer of JSON readers.", KINDS, 1e300, False, True),
        ("true", "One byte for the host.", FORMS, True, True, True),
        ("false", "Known and different.", FORMS, False, False, False),
        ("null", "Says nothing.", KINDS, None, False, True),
        ("list", "One of several will do.", RULE, ["clerk", "admin"], True, True),
        ("list-other", "Known, none listed.", RULE, ["clerk", "x"], False, False),
        ("list-empty", "Says nothing about anybody.", KINDS, [], False, True),
        ("list-number", "A number in a list.", FORMS, [8], True, True),
        ("list-true", "A bool in a list.", FORMS, [True], True, True),
        ("list-mixed", "Kinds may be mixed.", FORMS, ["x", 9, False], False, False),
        ("list-null", "One element is unknown.", KINDS, ["admin", None], False, True),
        ("list-nul", "One element is unknown.", KINDS, ["clerk", "x\0"], False, True),
        ("list-huge", "One element is unknown.", KINDS, ["admin", 2**60], False, True),
        ("list-of-lists", "Not a flat list.", KINDS, [["guest"]], False, True),
        ("list-of-objects", "Not a flat list.", KINDS, [{"guest": "guest"}], False, True),
        ("object-empty", "The same bytes as an empty list.", KINDS, {}, False, True),
        ("object", "The same bytes as a list of `admin`.", KINDS, {"admin": ""}, False, True),
        ("object-null", "Not a list.", KINDS, {"admin": None}, False, True),
        ("object-index", "Not a list.", KINDS, {"0": "admin"}, False, True),
    ]:
        cases(family, slug, why, rule, {"role": role}, allowed, denied, values)


def spellings(family):
    why = "A number equals whatever JSON may write for it."
    for slug, value in [("fraction", "8.0"), ("exponent", "80e-1"), ("capital", "8E0")]:
        cases(family, f"number-as-{slug}", why, FORMS, {"role": 8}, True, True, [value])


def absent(family):
    values = ["admin"]
    nothing = "Nothing is known about the sender."
    cases(family, "no-token", nothing, RULE, None, False, True, values)
    cases(family, "no-claims", nothing, RULE, {}, False, True, values)
    cases(family, "other-claim", nothing, RULE, {"Role": "admin"}, False, True, values)
    deep = {"realm": {"roles": ["admin"]}}
    cases(family, "deep", "A claim in a claim.", RULE, deep, True, True, values, "realm.roles")
    why = "A way leads through objects only."
    cases(family, "deep-list", why, KINDS, deep, False, True, values, "realm.roles.0")
    cases(family, "deep-text", why, KINDS, {"realm": "x"}, False, True, values, "realm.roles")
    dotted = {"realm.roles": "admin"}
    cases(family, "dotted", why, RULE, dotted, False, True, values, "realm.roles")


def scopes(family):
    values = ["mcp:restricted", "7"]
    for slug, why, claim, value, allowed, denied in [
        ("one", "One word.", "scope", "mcp:restricted", True, True),
        ("second", "The second word.", "scope", "mcp:read mcp:restricted", True, True),
        ("other", "Neither word.", "scope", "mcp:read mcp:write", False, False),
        ("part", "No word of its own.", "scope", "xmcp:restricted", False, False),
        ("blanks", "Blanks count once.", "scope", "  mcp:read   mcp:restricted ", True, True),
        ("only-blank", "No word at all.", "scope", " ", False, True),
        ("tab", "A tab parts no words.", "scope", "mcp:read\tmcp:restricted", False, True),
        ("list", "A list of words.", "scp", ["mcp:read", "mcp:restricted"], True, True),
        ("list-words", "Elements of words.", "scp", ["a mcp:restricted", "b"], True, True),
        ("number", "A number is one word.", "scp", 7, True, True),
    ]:
        cases(family, f"scope-{slug}", why, WORDS, {claim: value}, allowed, denied, values, claim)
    words = {"role": "x mcp:restricted"}
    why = "Only `scope` and `scp` hold words."
    cases(family, "scope-not-role", why, WORDS, words, False, False, values)


def families():
    """One family."""
    family = Family("cnd", "conditions")
    kinds(family)
    spellings(family)
    absent(family)
    scopes(family)
    return [family]
