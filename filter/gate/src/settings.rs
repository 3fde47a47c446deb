//! The plugin configuration.

use mcp_boundary_handover::Role;

use crate::json::{self, Value};

/// Requests that a worker may hold at once, unless the configuration says
/// otherwise.
const MAX_WAITING: u32 = 16_384;
/// Seconds that a request may wait, likewise.
const WAIT_SECONDS: u32 = 60;
/// No request waits longer than a day.
const MAX_WAIT_SECONDS: u32 = 86_400;

/// The roles that must stand before a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaits {
    admit: bool,
    recheck: bool,
}

impl Awaits {
    /// Whether `role` is one.
    pub(crate) fn contains(self, role: Role) -> bool {
        match role {
            Role::Admit => self.admit,
            Role::Recheck => self.recheck,
        }
    }

    /// At least one, each once.
    pub(crate) fn read(names: &[&str]) -> Result<Self, String> {
        let mut awaits = Self {
            admit: false,
            recheck: false,
        };
        for name in names {
            let awaited = match *name {
                "admit" => &mut awaits.admit,
                "recheck" => &mut awaits.recheck,
                _ => {
                    return Err(format!(
                        "`awaits` lists `{name}`; it takes `admit` and `recheck`"
                    ));
                }
            };
            if std::mem::replace(awaited, true) {
                return Err(format!("`awaits` lists `{name}` twice; write it once"));
            }
        }
        match names.is_empty() {
            true => Err("`awaits` is empty, so that the gate would hold nothing; list the roles that stand before it".to_owned()),
            false => Ok(awaits),
        }
    }
}

/// A gate's configuration: what Envoy's `configuration` or Istio's
/// `pluginConfig` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Who must stand before the gate.
    pub(crate) awaits: Awaits,
    /// How long a request may wait.
    pub(crate) wait_seconds: u32,
    /// How many may wait on a worker.
    pub(crate) max_waiting: u32,
}

impl Settings {
    /// What a configuration asks for.
    ///
    /// # Errors
    /// In words for the proxy's log, with what to do.
    pub(crate) fn read(configuration: &[u8]) -> Result<Self, String> {
        let (mut role, mut awaits, mut wait, mut most) = (None, None, None, None);
        for (key, value) in json::members(configuration)? {
            let before = match (key, value) {
                ("role", Value::Text(name)) => role.replace(name).is_some(),
                ("awaits", Value::List(names)) => awaits.replace(Awaits::read(&names)?).is_some(),
                ("wait_seconds", Value::Number(number)) => wait.replace(number).is_some(),
                ("max_waiting", Value::Number(number)) => most.replace(number).is_some(),
                ("role", _) => return Err("`role` is no string; write `\"gate\"`".to_owned()),
                ("awaits", _) => {
                    return Err("`awaits` is no list; write `[\"admit\", \"recheck\"]`".to_owned());
                }
                ("wait_seconds" | "max_waiting", _) => {
                    return Err(format!("`{key}` is no number; write a whole one"));
                }
                _ => {
                    return Err(format!(
                        "`{key}` is no setting of a gate, which has `role`, `awaits`, `wait_seconds` and `max_waiting`"
                    ));
                }
            };
            if before {
                return Err(format!("`{key}` is there twice; write it once"));
            }
        }
        if role != Some("gate") {
            return Err("this module is the gate alone; write `\"role\": \"gate\"`, and give instances with another role the filter's own module".to_owned());
        }
        let settings = Self {
            awaits: awaits
                .ok_or("`awaits` is missing; list the roles that stand before the gate")?,
            wait_seconds: wait.unwrap_or(WAIT_SECONDS),
            max_waiting: most.unwrap_or(MAX_WAITING),
        };
        if !(1..=MAX_WAIT_SECONDS).contains(&settings.wait_seconds) {
            return Err(
                "`wait_seconds` is out of range; write 1 to 86400, or leave it out for 60"
                    .to_owned(),
            );
        }
        if settings.max_waiting == 0 {
            return Err(
                "`max_waiting` is 0, so that nothing would pass; leave it out for 16384".to_owned(),
            );
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_a_default() {
        let read = Settings::read(br#"{"role":"gate","awaits":["recheck","admit"]}"#);
        let expected = Settings {
            awaits: Awaits {
                admit: true,
                recheck: true,
            },
            wait_seconds: 60,
            max_waiting: 16_384,
        };
        assert_eq!(read, Ok(expected));
        let read = br#"{"role":"gate","awaits":["admit"],"wait_seconds":1,"max_waiting":2}"#;
        let read = Settings::read(read).expect("accepted");
        assert_eq!((read.wait_seconds, read.max_waiting), (1, 2));
        let awaits = read.awaits;
        assert!(awaits.contains(Role::Admit) && !awaits.contains(Role::Recheck));
    }

    #[test]
    fn anything_else_is_refused_with_help() {
        for (wrong, said) in [
            ("{}", "write `\"role\": \"gate\"`"),
            (
                r#"{"role":"admit","awaits":["admit"]}"#,
                "the filter's own module",
            ),
            (r#"{"role":1,"awaits":["admit"]}"#, "`role` is no string"),
            (r#"{"role":"gate"}"#, "`awaits` is missing"),
            (r#"{"role":"gate","awaits":"admit"}"#, "`awaits` is no list"),
            (r#"{"role":"gate","awaits":[]}"#, "`awaits` is empty"),
            (
                r#"{"role":"gate","awaits":["gate"]}"#,
                "takes `admit` and `recheck`",
            ),
            (
                r#"{"role":"gate","awaits":["admit","admit"]}"#,
                "lists `admit` twice",
            ),
            (
                r#"{"role":"gate","awaits":["admit"],"policy":""}"#,
                "`policy` is no setting",
            ),
            (
                r#"{"role":"gate","awaits":["admit"],"wait_seconds":0}"#,
                "write 1 to 86400",
            ),
            (
                r#"{"role":"gate","awaits":["admit"],"wait_seconds":86401}"#,
                "write 1 to 86400",
            ),
            (
                r#"{"role":"gate","awaits":["admit"],"wait_seconds":"9"}"#,
                "is no number",
            ),
            (
                r#"{"role":"gate","awaits":["admit"],"max_waiting":0}"#,
                "nothing would pass",
            ),
            (
                r#"{"role":"gate","role":"gate","awaits":["admit"]}"#,
                "`role` is there twice",
            ),
        ] {
            let error = Settings::read(wrong.as_bytes()).expect_err(wrong);
            assert!(error.contains(said), "{wrong}: {error}");
        }
    }
}
