//! A request as a line of a log tells of it: the filter's own line, or one of
//! the access log. `docs/operations.md` has both.

use mcp_boundary_format::{Policy, Revision, Source};
use serde_json::{Map, Value};

use super::{Asked, Call, Caller, Request};

/// What a line tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// The request, as far as it can be made again: with the names that it asked
    /// for, without the arguments that it had.
    pub request: Request,
    /// `forward`, `deny`, `reject` or `would_deny`.
    pub verdict: String,
    /// The reason's code.
    pub reason: String,
    /// The rule that allowed or denied.
    pub rule: Option<String>,
    /// Methods with names, in words.
    pub asked: String,
    /// Who asked, in words; empty if no rule wants to know.
    pub who: String,
}

/// Why a line cannot be made a request again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untold {
    /// It is no line of either log.
    #[error("it is neither the filter's line nor one of its access log")]
    Foreign,
    /// It is about what never was read so far.
    #[error("the request was refused before anything was read of it")]
    Unread,
    /// A name or value is cut, or written with escapes.
    #[error("the log has cut or escaped a name or a value")]
    Cut,
}

impl Logged {
    /// What a line tells, under a policy: its rules say how to read who asked.
    /// Envoy's own log has words before the object.
    ///
    /// # Errors
    /// If the request cannot be made again.
    pub fn read(line: &[u8], policy: &Policy) -> Result<Self, Untold> {
        let start = line.iter().position(|byte| *byte == b'{');
        let object = start.and_then(|at| line.get(at..));
        match object.map(serde_json::from_slice::<Value>) {
            Some(Ok(object)) => Self::of(&object, policy),
            _ => Err(Untold::Foreign),
        }
    }

    fn of(line: &Value, policy: &Policy) -> Result<Self, Untold> {
        let own = line.get("mcp_boundary").and_then(Value::as_str);
        let verdict = own.or_else(|| line.get("verdict")?.as_str());
        let verdict = verdict.ok_or(Untold::Foreign)?.to_owned();
        let text = |member: &str| line.get(member).and_then(Value::as_str).map(str::to_owned);
        let either = |one: &str, other: &str| nested(line.get(one).or_else(|| line.get(other)));
        let methods = texts(&either("methods", "mcp_methods"));
        let names = texts(&either("names", "mcp_names"));
        let principals = either("principals", "principals");
        if methods.is_empty() || text("host").as_deref() == Some("-") {
            return Err(Untold::Unread);
        }
        // An escape stands for something that the log does not hold as it was.
        let mut all = methods.iter().chain(&names);
        let is_cut = |text: &str| text.contains(['…', '\\']);
        if all.any(|name| is_cut(name)) || values(&principals).iter().any(|value| is_cut(value)) {
            return Err(Untold::Cut);
        }
        let known = |member: &str| Revision::from_bytes(text(member)?.as_bytes());
        let (caller, headers) = callers(&principals, policy);
        let mut names = names.into_iter();
        let mut requests = Vec::new();
        let mut asked = Vec::new();
        for method in methods {
            let name = takes_a_name(&method).then(|| names.next()).flatten();
            asked.push(match &name {
                Some(name) => format!("{method} {name}"),
                None => method.clone(),
            });
            let one = Asked {
                host: text("host"),
                path: text("path"),
                revision: known("revision").or_else(|| known("requested")),
                headers: headers.clone(),
                caller: caller.clone(),
                ..Asked::new(call(method, name))
            };
            requests.push(one.request(policy).map_err(|_| Untold::Unread)?);
        }
        let who: Vec<_> = principals
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, values)| format!("{name}={values}"))
            .collect();
        Ok(Self {
            request: batch(requests).ok_or(Untold::Unread)?,
            verdict,
            reason: text("reason").unwrap_or_default(),
            rule: text("rule").filter(|rule| !rule.is_empty()),
            asked: asked.join(", "),
            who: who.join(" "),
        })
    }
}

/// JSON within JSON in the access log.
fn nested(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Every value of every principal.
fn values(principals: &Value) -> Vec<String> {
    let lists = principals.as_object().into_iter().flatten();
    lists.flat_map(|(_, list)| texts(list)).collect()
}

fn takes_a_name(method: &str) -> bool {
    matches!(
        method,
        "tools/call"
            | "prompts/get"
            | "resources/read"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "completion/complete"
    )
}

fn call(method: String, name: Option<String>) -> Call {
    match (method.as_str(), name) {
        ("tools/call", Some(name)) => Call::Tool(name),
        ("prompts/get", Some(name)) => Call::Prompt(name),
        ("resources/read", Some(name)) => Call::Resource(name),
        ("completion/complete", Some(name)) => {
            let reference = match name.contains(':') {
                true => serde_json::json!({ "type": "ref/resource", "uri": name }),
                false => serde_json::json!({ "type": "ref/prompt", "name": name }),
            };
            let argument = serde_json::json!({ "name": "a", "value": "" });
            let params = serde_json::json!({ "ref": reference, "argument": argument });
            Call::Method(method, Some(params))
        }
        (_, Some(name)) => Call::Method(method, Some(serde_json::json!({ "uri": name }))),
        (_, None) => Call::Method(method, None),
    }
}

/// One request of several: a batch.
fn batch(requests: Vec<Request>) -> Option<Request> {
    let mut messages = Vec::new();
    let mut whole = None;
    for request in requests {
        let body = request.body.clone().unwrap_or_default();
        messages.push(String::from_utf8(body).ok()?);
        whole.get_or_insert(request);
    }
    let mut whole = whole?;
    if messages.len() > 1 {
        whole.body = Some(format!("[{}]", messages.join(",")).into_bytes());
    }
    Some(whole)
}

/// Who asked, and by which headers it is known: of what the policy's rules ask
/// for.
fn callers(principals: &Value, policy: &Policy) -> (Caller, Vec<(String, String)>) {
    let mut caller = Caller::default();
    let mut headers = Vec::new();
    for source in policy.sources() {
        match source {
            Source::JwtClaim { payload, path } => {
                let values = principals.get(format!("jwt.{payload}.{}", path.join(".")));
                if let Some(values) = values.and_then(Value::as_array) {
                    let claims = caller.tokens.entry(payload.clone()).or_default();
                    put(claims, path, values);
                }
            }
            Source::PeerSan => {
                for name in texts(principals.get("peer").unwrap_or(&Value::Null)) {
                    caller.peer(&name);
                }
            }
            Source::Header(name) => {
                let values = principals.get(format!("header.{name}"));
                if let Some(value) = texts(values.unwrap_or(&Value::Null)).pop()
                    && !headers.iter().any(|(other, _)| other == name)
                {
                    headers.push((name.clone(), value));
                }
            }
        }
    }
    (caller, headers)
}

fn put(claims: &mut Map<String, Value>, path: &[String], values: &[Value]) {
    let value = match values {
        [one] => one.clone(),
        several => Value::from(several.to_vec()),
    };
    match path {
        [] => {}
        [last] => {
            claims.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = claims
                .entry(first.clone())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                put(inner, rest, values);
            }
        }
    }
}
