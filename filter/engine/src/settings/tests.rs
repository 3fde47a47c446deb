use mcp_boundary_format::{Compat, Endpoint, Holder, Switch, Unmatched};

use super::*;

/// A policy of one endpoint, in base64.
fn policy(compat: Compat) -> String {
    let endpoint = Endpoint {
        name: "one".parse().unwrap(),
        compat,
        ..Endpoint::default()
    };
    let sealed = Policy::seal(Unmatched::Deny, vec![endpoint]).unwrap();
    STANDARD.encode(sealed.encode().unwrap())
}

/// What becomes of an object with a sound policy and these members.
fn read(members: &str) -> Result<(Engine, Hold), String> {
    let policy = policy(Compat::default());
    Settings::read(format!(r#"{{"policy":"{policy}",{members}}}"#).as_bytes())
}

#[test]
fn what_is_asked_for_is_what_is_made() {
    for (members, role, hold) in [
        (r#""role":"admit""#, Role::Admit, Hold::Headers),
        (r#""role":"recheck""#, Role::Recheck, Hold::Headers),
        (r#""role":"admit","hold":"gate""#, Role::Admit, Hold::Gate),
        (
            r#""role":"recheck","place":"chain","hold":"gate""#,
            Role::Recheck,
            Hold::Gate,
        ),
        (
            r#""role":"recheck","place":"upstream","hold":"headers","endpoint":"one""#,
            Role::Recheck,
            Hold::Headers,
        ),
        (
            r#""role":"admit","hold":"body","held_by":"lua""#,
            Role::Admit,
            Hold::Body(Holder::Lua),
        ),
    ] {
        let (engine, held) = read(members).unwrap_or_else(|error| panic!("{members}: {error}"));
        assert_eq!((engine.role(), held), (role, hold), "{members}");
    }
}

#[test]
fn anything_else_is_refused_with_help() {
    for (members, said) in [
        (r#""hold":"gate""#, "says no `role`; write"),
        (r#""role":null"#, "says no `role`; write"),
        (r#""role":"Admit""#, "neither `admit` nor `recheck`"),
        (r#""role":"gate""#, "neither `admit` nor `recheck`"),
        (r#""role":1"#, "expected a string"),
        (r#""role":"admit","role":"admit""#, "duplicate field"),
        (r#""role":"admit","hould":"gate""#, "unknown field `hould`"),
        (
            r#""role":"admit","place":"chain""#,
            "only for role `recheck`",
        ),
        (
            r#""role":"admit","endpoint":"one""#,
            "only for role `recheck`",
        ),
        (
            r#""role":"recheck","endpoint":"two""#,
            "`mcp-policy inspect` lists",
        ),
        (
            r#""role":"recheck","place":"behind""#,
            "neither `chain` nor `upstream`",
        ),
        (
            r#""role":"recheck","place":"upstream","hold":"gate""#,
            "nobody else holds headers",
        ),
        (
            r#""role":"recheck","place":"upstream","hold":"body","held_by":"buffer""#,
            "nobody else holds headers",
        ),
        (r#""role":"admit","hold":"body""#, "nothing says who holds"),
        (r#""role":"admit","digest":"00""#, "asks for another one"),
    ] {
        let error = read(members)
            .err()
            .unwrap_or_else(|| panic!("{members} is accepted"));
        assert!(error.contains(said), "{members}: {error}");
    }
}

#[test]
fn what_is_no_policy_is_refused_with_help() {
    let blob = STANDARD.decode(policy(Compat::default())).unwrap();
    let short = STANDARD.encode(&blob[..blob.len() - 1]);
    for (configuration, said) in [
        (Vec::new(), "`mcp-policy envoy` prints a valid one"),
        (blob, "is a compiled policy alone"),
        (br#"{"role":"admit"}"#.to_vec(), "has no `policy`"),
        (br#"{"policy":"*","role":"admit"}"#.to_vec(), "not base64"),
        (
            format!(r#"{{"policy":"{short}","role":"admit"}}"#).into_bytes(),
            "it was cut or extended",
        ),
    ] {
        let error = Settings::read(&configuration).expect_err(said);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_right_digest_is_no_hindrance() {
    let policy = policy(Compat::default());
    let sealed = Policy::decode(&STANDARD.decode(&policy).unwrap()).unwrap();
    let settings = Settings {
        policy: Some(policy),
        role: Some("admit".into()),
        digest: Some(sealed.digest().to_string()),
        ..Settings::default()
    };
    assert!(Settings::read(&serde_json::to_vec(&settings).unwrap()).is_ok());
}

#[test]
fn nobody_edits_headers_that_went_on_to_a_filter_of_the_host() {
    let allow = Switch::Allow;
    let deny = Switch::Deny;
    for (equal_version_repeats, stale_mirrors, named) in [
        (deny, deny, None),
        (allow, deny, Some("equal_version_repeats")),
        (deny, allow, Some("stale_mirrors")),
    ] {
        let policy = policy(Compat {
            equal_version_repeats,
            stale_mirrors,
        });
        let with = |more: &str| {
            let text = format!(r#"{{"policy":"{policy}","role":"admit","hold":{more}}}"#);
            Settings::read(text.as_bytes()).err()
        };
        assert_eq!(with(r#""gate""#), None);
        let error = with(r#""body","held_by":"buffer""#);
        assert_eq!(error.is_some(), named.is_some(), "{error:?}");
        if let (Some(error), Some(named)) = (error, named) {
            assert!(error.contains(named) && error.contains("`one`"), "{error}");
        }
    }
}
