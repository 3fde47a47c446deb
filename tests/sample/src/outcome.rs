//! What became of a call, read from the answer the client got and from what the server received.

use std::fmt;

use serde_json::Value;

/// `error.code` of a policy denial; every other error of the boundary is a rejection.
const DENIED: i64 = -31403;

/// The boundary's three verdicts as a client can tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The server answered.
    Forward,
    /// The policy said no.
    Deny,
    /// The request was malformed, ambiguous or lying.
    Reject,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Forward => "forward",
            Self::Deny => "deny",
            Self::Reject => "reject",
        })
    }
}

/// One call's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What happened; `None` if it was neither of the three, see `note`.
    pub verdict: Option<Verdict>,
    /// The boundary's reason code.
    pub reason: Option<String>,
    /// For people: the result's text, or what went wrong.
    pub note: String,
}

impl Outcome {
    /// The server answered, with `note` in its answer.
    pub fn forwarded(note: impl Into<String>) -> Self {
        Self {
            verdict: Some(Verdict::Forward),
            reason: None,
            note: note.into(),
        }
    }

    /// Neither an answer of the server nor one of the boundary.
    pub fn unexpected(note: impl Into<String>) -> Self {
        Self {
            verdict: None,
            reason: None,
            note: note.into(),
        }
    }

    /// Reads a JSON-RPC message. Only an error whose data carry a reason is the boundary's.
    pub fn of_message(message: &Value) -> Self {
        if message.get("result").is_some() {
            return Self::forwarded(text_of(message).unwrap_or_default());
        }
        match (
            message["error"]["code"].as_i64(),
            message["error"]["data"]["reason"].as_str(),
        ) {
            (Some(code), Some(reason)) => Self {
                verdict: Some(if code == DENIED {
                    Verdict::Deny
                } else {
                    Verdict::Reject
                }),
                reason: Some(reason.to_owned()),
                note: message["error"]["message"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            },
            _ => Self::unexpected(message.to_string()),
        }
    }

    /// Reads what an SDK made of a refusal. Some keep the HTTP error and put the answer's body into its text.
    pub fn of_error_text(text: &str) -> Self {
        let body = text.find('{').and_then(|start| {
            let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter();
            values.next()?.ok()
        });
        body.map_or_else(
            || Self::unexpected(text),
            |message| Self::of_message(&message),
        )
    }
}

fn text_of(message: &Value) -> Option<String> {
    Some(
        message["result"]["content"].get(0)?["text"]
            .as_str()?
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tells_denials_from_rejections_and_both_from_the_server() {
        let refusal = |code: i64, reason: &str| json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no", "data": {"reason": reason}}});
        let denied = Outcome::of_message(&refusal(-31403, "tool_denied"));
        assert_eq!(denied.verdict, Some(Verdict::Deny));
        assert_eq!(denied.reason.as_deref(), Some("tool_denied"));
        let rejected = Outcome::of_message(&refusal(-32020, "mirror_mismatch"));
        assert_eq!(rejected.verdict, Some(Verdict::Reject));

        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "sunny"}]}});
        assert_eq!(Outcome::of_message(&answer), Outcome::forwarded("sunny"));
        // An error of the server's own is no verdict.
        let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -31403, "message": "no"}});
        assert_eq!(Outcome::of_message(&failed).verdict, None);
    }

    #[test]
    fn finds_the_answer_in_an_error_text() {
        let text = r#"HTTP 403 Forbidden: {"error":{"code":-31403,"message":"no","data":{"reason":"tool_denied"}}} (closed)"#;
        assert_eq!(
            Outcome::of_error_text(text).reason.as_deref(),
            Some("tool_denied")
        );
        assert_eq!(Outcome::of_error_text("connection refused").verdict, None);
        assert_eq!(Outcome::of_error_text("{").verdict, None);
    }
}
