use mcp_boundary_format::Limits;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::skeleton::{Arguments, MAX_KEPT};
use super::*;

fn strict(body: &[u8]) -> Result<StrictJson, Refusal> {
    parse(body, Limits::DEFAULT, Forbidden::default())?.strict()
}

fn reason(body: impl AsRef<[u8]>) -> Option<Reason> {
    strict(body.as_ref()).err().map(|refusal| refusal.reason)
}

/// `{"jsonrpc":…,"params":{"name":"t","arguments":{"a": VALUE}}}`
fn in_arguments(value: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"a":{value}}}}}}}"#
    )
}

#[test]
fn values_of_every_kind_pass_in_arguments_and_in_params() {
    for value in [
        "0",
        "-0",
        "1",
        "-1",
        "10",
        "1.5",
        "1e5",
        "1E+5",
        "1e-5",
        "-0.0",
        "1e308",
        "1e-400",
        "18446744073709551616",
        "true",
        "false",
        "null",
        r#""""#,
        r#""é""#,
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u0041""#,
        r#""\ud83d\ude00""#,
        r#""\u0000""#,
        "[]",
        "[1,2]",
        "{}",
        r#"{"b":[{"c":1}]}"#,
        " [ 1 , 2 ] ",
        "\t{\n}\r",
        r#""\uFFFF""#,
        "\"\u{7f}\"",
        "\"\u{10ffff}\"",
    ] {
        assert_eq!(reason(in_arguments(value)), None, "{value}");
        let params = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{value}}}}}"#);
        assert_eq!(reason(&params), None, "{value}");
    }
}

#[test]
fn what_is_not_json_is_refused_wherever_it_stands() {
    use Reason::*;
    for (value, expected) in [
        ("01", JsonInvalid),
        ("-", JsonInvalid),
        ("1.", JsonInvalid),
        (".5", JsonInvalid),
        ("1e", JsonInvalid),
        ("1e+", JsonInvalid),
        ("+1", JsonInvalid),
        ("0x1", JsonInvalid),
        ("-01", JsonInvalid),
        ("NaN", JsonInvalid),
        ("Infinity", JsonInvalid),
        ("-Infinity", JsonInvalid),
        ("True", JsonInvalid),
        ("nul", JsonInvalid),
        ("tru", JsonInvalid),
        ("truex", JsonInvalid),
        ("'a'", JsonInvalid),
        (r#""a"#, JsonInvalid),
        ("\"\t\"", JsonInvalid),
        ("\"\n\"", JsonInvalid),
        ("\"\0\"", JsonInvalid),
        (r#""\x41""#, JsonInvalid),
        (r#""\u12""#, JsonInvalid),
        (r#""\u12g4""#, JsonInvalid),
        (r#""\u+123""#, JsonInvalid),
        (r#""\U0041""#, JsonInvalid),
        ("[1,]", JsonInvalid),
        ("[,1]", JsonInvalid),
        ("[1 2]", JsonInvalid),
        ("[", JsonInvalid),
        ("]", JsonInvalid),
        (r#"{"a":1,}"#, JsonInvalid),
        ("{,}", JsonInvalid),
        (r#"{"a"}"#, JsonInvalid),
        (r#"{"a":}"#, JsonInvalid),
        ("{a:1}", JsonInvalid),
        (r#"{"a":1 "b":2}"#, JsonInvalid),
        ("{1:2}", JsonInvalid),
        ("1/**/", JsonInvalid),
        ("1//", JsonInvalid),
        ("\u{a0}1", JsonInvalid),
        ("\u{feff}1", JsonInvalid),
        ("", JsonInvalid),
        ("\u{c}1", JsonInvalid),
        ("\u{b}1", JsonInvalid),
        (r#""\ud800""#, JsonSurrogate),
        (r#""\udc00""#, JsonSurrogate),
        (r#""\ud800\ud800""#, JsonSurrogate),
        (r#""\ud800a""#, JsonSurrogate),
        (r#""\ude00\ud83d""#, JsonSurrogate),
        (r#"{"\ud800":1}"#, JsonSurrogate),
        ("1e309", JsonNumber),
        ("-1e400", JsonNumber),
        ("1E99999999999", JsonNumber),
        (r#"{"a":1,"a":1}"#, JsonDuplicate),
        (r#"{"a":1,"\u0061":2}"#, JsonDuplicate),
        (r#"[{"a":{},"b":1,"a":[]}]"#, JsonDuplicate),
        (r#"{"":1,"":1}"#, JsonDuplicate),
    ] {
        assert_eq!(reason(in_arguments(value)), Some(expected), "{value}");
        assert!(reason(value).is_some(), "{value}");
    }
}

#[test]
fn a_huge_integer_is_a_number_until_it_leaves_the_double() {
    assert_eq!(reason(in_arguments(&"9".repeat(300))), None);
    assert_eq!(
        reason(in_arguments(&"9".repeat(400))),
        Some(Reason::JsonNumber)
    );
}

#[test]
fn duplicates_are_found_among_few_and_many() {
    for count in [2_usize, 3, 11, 12, 13, 14, 100, 5000] {
        let names: Vec<String> = (0..count).map(|i| format!("\"k{i}\":{i}")).collect();
        let object = format!("{{{}}}", names.join(","));
        assert_eq!(reason(in_arguments(&object)), None, "{count}");
        for repeated in [0, count / 2, count - 1] {
            let object = format!("{{{},\"k{repeated}\":0}}", names.join(","));
            assert_eq!(
                reason(in_arguments(&object)),
                Some(Reason::JsonDuplicate),
                "{count}"
            );
        }
    }
}

#[test]
fn equal_names_in_different_objects_are_no_duplicates() {
    assert_eq!(
        reason(in_arguments(r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#)),
        None
    );
}

#[test]
fn depth_counts_open_containers() {
    // The envelope, params, arguments: three are open already.
    let nested =
        |levels: usize| in_arguments(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    assert_eq!(reason(nested(61)), None);
    assert_eq!(reason(nested(62)), Some(Reason::JsonTooDeep));
    assert_eq!(reason("[".repeat(1_000_000)), Some(Reason::JsonTooDeep));
    let closed = "[{}]".repeat(1000).replace("][", ",");
    assert_eq!(reason(in_arguments(&closed)), None);
}

#[test]
fn case_variants_are_refused_only_in_protocol_objects() {
    let envelope = |member: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x",{member}}}"#);
    for name in [
        "Method",
        "METHOD",
        "Id",
        "Params",
        "param\u{17f}",
        "Re\u{17f}ult",
        "_Meta",
        "JSONRPC",
    ] {
        assert_eq!(
            reason(envelope(&format!("\"{name}\":1"))),
            Some(Reason::JsonCaseVariant),
            "{name}"
        );
    }
    for name in ["Name", "URI", "TaskID", "toKen", "Arguments", "curſor"] {
        let body = envelope(&format!(r#""params":{{"{name}":1}}"#));
        let expected = (name != "toKen").then_some(Reason::JsonCaseVariant);
        assert_eq!(reason(body), expected, "{name}");
    }
    let meta = envelope(r#""params":{"_meta":{"io.modelcontextprotocol/ProtocolVersion":"x"}}"#);
    assert_eq!(reason(meta), Some(Reason::JsonCaseVariant));
    let kelvin = envelope("\"params\":{\"tas\u{212a}Id\":\"x\"}");
    assert_eq!(reason(kelvin), Some(Reason::JsonCaseVariant));
    let reference = envelope(r#""params":{"ref":{"type":"ref/prompt","name":"a","Name":"b"}}"#);
    assert_eq!(reason(reference), Some(Reason::JsonCaseVariant));
    assert_eq!(reason(in_arguments(r#"{"Name":1,"METHOD":2}"#)), None);
    let nested = envelope(r#""params":{"other":{"Name":1}}"#);
    assert_eq!(reason(nested), None);
}

#[test]
fn control_characters_in_names_are_refused_only_in_protocol_objects() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"name\u0000":1}}"#;
    assert_eq!(reason(body), Some(Reason::JsonControlName));
    assert_eq!(reason(in_arguments(r#"{"name\u0000":1}"#)), None);
}

#[test]
fn the_skeleton_has_the_protocol_and_nothing_of_the_arguments() {
    let body = r#" {"params":{"arguments":{"secret":[1,{"x":null}]},"name":"t","_meta":{"progressToken":0}},
        "method":"tools\/call","id":-7,"extra":{"a":1},"jsonrpc":"2.0"} "#;
    let (skeleton, arguments) = strict(body.as_bytes()).unwrap().into_parts();
    assert_eq!(arguments, [Arguments::Object { forbidden: false }]);
    assert_eq!(skeleton["method"], "tools/call");
    assert_eq!(skeleton["id"], -7);
    assert_eq!(skeleton["params"]["name"], "t");
    assert_eq!(skeleton["params"]["_meta"], json!({"progressToken": 0}));
    assert!(skeleton.get("extra").is_none());
    assert!(!skeleton.to_string().contains("secret"));
}

#[test]
fn arguments_keep_their_kind_and_whether_all_are_strings() {
    for (arguments, kind, stands_for_strings) in [
        (r#"{"a":"b"}"#, Arguments::Object { forbidden: false }, true),
        ("{}", Arguments::Object { forbidden: false }, true),
        (
            r#"{"a":"b","c":1}"#,
            Arguments::Object { forbidden: false },
            false,
        ),
        ("[]", Arguments::Other, false),
        ("null", Arguments::Other, false),
        (r#""x""#, Arguments::Other, false),
    ] {
        let body = format!(r#"{{"method":"prompts/get","params":{{"arguments":{arguments}}}}}"#);
        let (skeleton, kinds) = strict(body.as_bytes()).unwrap().into_parts();
        assert_eq!(kinds, [kind], "{arguments}");
        let strings = match &skeleton["params"]["arguments"] {
            Value::Object(members) => members.values().all(Value::is_string),
            _ => false,
        };
        assert_eq!(strings, stands_for_strings, "{arguments}");
    }
}

#[test]
fn forbidden_argument_names_are_seen_at_the_top_level_only_and_unescaped() {
    let names = ["_owner".to_owned(), "_admin".to_owned()];
    let with = |but, arguments: &str| {
        let body = in_arguments("0").replace(r#"{"a":0}"#, arguments);
        let names = &names;
        let forbidden = Forbidden { names, but };
        let json = parse(body.as_bytes(), Limits::DEFAULT, forbidden);
        let json = json.and_then(ReadJson::strict).unwrap();
        json.into_parts().1 == [Arguments::Object { forbidden: true }]
    };
    let seen = |arguments| with(&[], arguments);
    assert!(seen(r#"{"_owner":1}"#));
    assert!(seen(r#"{"_Owner":1}"#));
    assert!(seen(r#"{"a":1,"\u005fowner":1}"#));
    assert!(!seen(r#"{"a":{"_owner":1}}"#));
    // What a filter sets has one spelling.
    let set = ["_owner".to_owned()];
    assert!(!with(&set, r#"{"_owner":1}"#));
    for arguments in [
        r#"{"_Owner":1}"#,
        r#"{"_owner":1,"_OWNER":1}"#,
        r#"{"_owner":1,"_admin":1}"#,
    ] {
        assert!(with(&set, arguments), "{arguments}");
    }
}

#[test]
fn too_many_kept_values_are_refused_but_not_too_many_arguments() {
    let many = format!("[{}]", vec!["0"; MAX_KEPT + 1].join(","));
    assert_eq!(reason(in_arguments(&many)), None);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{many}}}}}"#);
    assert_eq!(reason(body), Some(Reason::ParamsTooLarge));
    let batch = format!("[{}]", vec!["{}"; MAX_KEPT + 1].join(","));
    assert_eq!(reason(batch), Some(Reason::ParamsTooLarge));
}

#[test]
fn other_encodings_are_refused() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let utf16: Vec<u8> = body.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(reason(&utf16), Some(Reason::JsonInvalid));
    let bom: Vec<u8> = [b"\xef\xbb\xbf", body.as_bytes()].concat();
    assert_eq!(reason(&bom), Some(Reason::JsonInvalid));
    for bytes in [
        &b"\"\xff\""[..],
        b"\"\xc0\xaf\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
    ] {
        assert_eq!(reason(bytes), Some(Reason::JsonUtf8));
    }
    assert_eq!(reason(""), Some(Reason::BodyEmpty));
    assert_eq!(
        reason(format!("{body}\n{body}")),
        Some(Reason::JsonTrailing)
    );
}

#[test]
fn a_byte_order_mark_is_called_one() {
    let told = |bytes: &[u8]| strict(bytes).unwrap_err();
    for (bytes, reason, encoding) in [
        (&b"\xef\xbb\xbf{}"[..], Reason::JsonInvalid, " a byte"),
        (b"\xff\xfe{\0}\0", Reason::JsonUtf8, "UTF-16"),
        (b"\xfe\xff\0{\0}", Reason::JsonUtf8, "UTF-16"),
        (b"\xff\xfe\0\0{\0\0\0", Reason::JsonUtf8, "UTF-32"),
        (b"\0\0\xfe\xff\0\0\0{", Reason::JsonUtf8, "UTF-32"),
        (b"\xef\xbb\xbf", Reason::JsonInvalid, " a byte"),
    ] {
        let refusal = told(bytes);
        assert_eq!(refusal.reason, reason, "{bytes:?}");
        assert!(refusal.detail.contains("byte order mark"), "{refusal:?}");
        assert!(refusal.detail.contains(encoding), "{refusal:?}");
    }
    // Within the text it is a character like others.
    assert_eq!(reason(in_arguments("\"\u{feff}\"")), None);
}

#[test]
fn an_odd_name_costs_no_id_unless_it_may_be_the_id() {
    let read = |body: &str| parse(body.as_bytes(), Limits::DEFAULT, Forbidden::default());
    let id = |body: &str| read(body).ok().and_then(|json| json.reply_id());
    for (members, expected) in [
        (r#""id":7,"method":"x","params":{"Name":1}"#, Some(json!(7))),
        (r#""Params":1,"id":"a","method":"x""#, Some(json!("a"))),
        (r#""method":"x","Method":"y","id":-1"#, Some(json!(-1))),
        (r#""id":7,"method":"x","params":{"ID":8}"#, Some(json!(7))),
        (
            r#""id":7,"method":"x","params":{"a\u0000":1}"#,
            Some(json!(7)),
        ),
        (r#""id":7,"ID":8,"method":"x""#, None),
        (r#""Id":7,"method":"x""#, None),
        (r#""id\u0000":8,"id":7,"method":"x""#, None),
        (r#""\u0001id":8,"id":7,"method":"x""#, None),
        (r#""id":7,"i\u0000d":8,"method":"x""#, None),
        (r#""id":7,"Id\u0000x":8,"method":"x""#, None),
        (r#""id":7,"Name":1,"ID":8,"method":"x""#, None),
        (r#""id":1.0,"method":"x","Name":1"#, None),
        (r#""id":7,"method":"x","result":1,"Name":1"#, None),
        (r#""id":7,"Method":"x""#, None),
        // What comes after is not to be read.
        (r#""id":7,"method":"x","Name":1,,"#, None),
        (r#""id":7,"Name":1,"method":"x","id":8"#, None),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
        assert_eq!(id(&body), expected, "{body}");
        let reason = reason(&body);
        let odd = matches!(
            reason,
            Some(Reason::JsonCaseVariant | Reason::JsonControlName)
        );
        assert!(odd, "{body}: {reason:?}");
        // A batch has no one id.
        assert_eq!(id(&format!("[{body}]")), None);
    }
}

#[test]
fn the_protocol_member_that_a_name_folds_to_is_told() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"NAME":1}}"#;
    let refusal = strict(body.as_bytes()).unwrap_err();
    assert!(refusal.detail.contains("from `name` only"), "{refusal:?}");
    assert!(!refusal.detail.contains("NAME"), "{refusal:?}");
}

/// Text that is JSON or nearly so.
fn nearly_json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-0".to_owned()),
        Just("1.0".to_owned()),
        Just("1e999".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string()),
        "[a-c]{0,2}".prop_map(|s| format!("\"{s}\"")),
        "\\PC{0,6}".prop_map(|s| Value::from(s).to_string()),
        "[\\[\\]{},:\"\\\\eE0-9+.\\- tfn-]{0,6}",
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|v| format!("[{}]", v.join(", "))),
            prop::collection::vec(("[a-d]{1,2}|\\\\u006[1-3]", inner), 0..5).prop_map(|v| {
                let members: Vec<_> = v.iter().map(|(k, v)| format!("\"{k}\" :{v}")).collect();
                format!("{{{}}}", members.join(" ,"))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever passes is JSON for an ordinary reader, and what an ordinary
    /// reader takes is refused only for a reason that it does not check.
    #[test]
    fn agrees_with_serde_json(text in nearly_json()) {
        let ordinary = serde_json::from_str::<Value>(&text);
        match reason(&text) {
            None => prop_assert!(ordinary.is_ok(), "{text}"),
            Some(Reason::JsonDuplicate | Reason::JsonTooDeep) => {}
            Some(reason) => prop_assert!(ordinary.is_err(), "{text}: {reason:?}"),
        }
    }

    #[test]
    fn never_panics(body in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = strict(&body);
    }

    #[test]
    fn strings_are_scanned_the_same_at_any_offset(pad in 0_usize..20, tail in "[ -~]{0,20}") {
        let text = Value::from(format!("{}{tail}", "x".repeat(pad))).to_string();
        let body = format!(r#"{{"method":{text}}}"#);
        let (skeleton, _) = strict(body.as_bytes()).unwrap().into_parts();
        prop_assert_eq!(&skeleton["method"], &serde_json::from_str::<Value>(&text).unwrap());
    }
}

/// `tower-mcp-types` switches `serde_json/preserve_order` on, in every build. So
/// members stay in the order of the document, and the first fault that a
/// message names is the first for its reader; without it they would be sorted.
/// No verdict depends on it: order is no part of equality.
#[test]
fn members_stay_in_the_order_of_the_document() {
    let text = r#"{"method":"ping","id":1,"jsonrpc":"2.0"}"#;
    let (skeleton, _) = strict(text.as_bytes()).unwrap().into_parts();
    assert_eq!(skeleton.to_string(), text);
    let sorted = serde_json::json!({"id": 1, "jsonrpc": "2.0", "method": "ping"});
    assert_eq!(skeleton, sorted);
}
