//! Where Tower alone is stricter than the official schema (its refusal
//! stands): which member it means. Tower's own text may quote the request, so
//! that member is found by asking again without it.

use serde_json::{Map, Value};

use super::shape::Wrong;

/// What stands in a member's place while Tower is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    Nothing,
    Object,
    Zero,
}

/// A member of params that Tower may refuse.
struct Member {
    path: &'static [&'static str],
    instead: Instead,
    must: &'static str,
}

const fn member(path: &'static [&'static str], instead: Instead, must: &'static str) -> Member {
    Member {
        path,
        instead,
        must,
    }
}

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const ID: &str = "must be a string or an integer within 64 bits";
const EXTENSIONS: &str =
    "must be an object of objects, each under a name with a prefix, like `com.example/name`";
const OBJECT: &str = "must be an object or be left out";
const CAPABILITY: &str = "must be an object whose members are those that MCP's schema has, with its types, or be left out";
const INFO: &str = "must be an object with `name` and `version` or be left out";
const ICONS: &str =
    "must be an array of objects with `src`, whose `sizes` are arrays, or be left out";
const TIME: &str =
    "must be an integer of milliseconds, not negative, written without fraction or exponent";

/// Inner ones before those that hold them.
const MEMBERS: &[Member] = &[
    member(&["_meta", "progressToken"], Instead::Nothing, ID),
    member(
        &["_meta", "io.modelcontextprotocol/subscriptionId"],
        Instead::Nothing,
        ID,
    ),
    member(
        &["_meta", "io.modelcontextprotocol/logLevel"],
        Instead::Nothing,
        "must be a log level or be left out",
    ),
    member(
        &["_meta", "io.modelcontextprotocol/clientInfo", "icons"],
        Instead::Nothing,
        ICONS,
    ),
    member(
        &["_meta", "io.modelcontextprotocol/clientInfo"],
        Instead::Nothing,
        INFO,
    ),
    member(
        &["_meta", CAPABILITIES, "extensions"],
        Instead::Nothing,
        EXTENSIONS,
    ),
    member(
        &["_meta", CAPABILITIES, "roots"],
        Instead::Nothing,
        CAPABILITY,
    ),
    member(
        &["_meta", CAPABILITIES, "sampling"],
        Instead::Nothing,
        CAPABILITY,
    ),
    member(
        &["_meta", CAPABILITIES, "elicitation"],
        Instead::Nothing,
        CAPABILITY,
    ),
    member(
        &["_meta", CAPABILITIES, "experimental"],
        Instead::Nothing,
        OBJECT,
    ),
    member(
        &["_meta", CAPABILITIES, "tasks"],
        Instead::Nothing,
        CAPABILITY,
    ),
    member(
        &["_meta", CAPABILITIES],
        Instead::Object,
        "must be an object",
    ),
    member(
        &["capabilities", "extensions"],
        Instead::Nothing,
        EXTENSIONS,
    ),
    member(&["capabilities", "roots"], Instead::Nothing, CAPABILITY),
    member(&["capabilities", "sampling"], Instead::Nothing, CAPABILITY),
    member(
        &["capabilities", "elicitation"],
        Instead::Nothing,
        CAPABILITY,
    ),
    member(&["capabilities", "experimental"], Instead::Nothing, OBJECT),
    member(&["capabilities", "tasks"], Instead::Nothing, CAPABILITY),
    member(&["clientInfo", "icons"], Instead::Nothing, ICONS),
    member(
        &["clientInfo", "title"],
        Instead::Nothing,
        "must be a string or be left out",
    ),
    member(
        &["clientInfo", "description"],
        Instead::Nothing,
        "must be a string or be left out",
    ),
    member(
        &["clientInfo", "websiteUrl"],
        Instead::Nothing,
        "must be a string or be left out",
    ),
    member(&["requestId"], Instead::Zero, ID),
    member(&["progressToken"], Instead::Zero, ID),
    member(&["task", "ttl"], Instead::Nothing, TIME),
    member(
        &["task"],
        Instead::Nothing,
        "must be an object, `ttl` in it an integer, or be left out",
    ),
    member(&["ttl"], Instead::Zero, TIME),
    member(&["pollInterval"], Instead::Nothing, TIME),
    member(
        &["status"],
        Instead::Nothing,
        "must be the status of a task or be left out",
    ),
    member(
        &["context"],
        Instead::Nothing,
        "must be an object, `arguments` in it an object of strings, or be left out",
    ),
    member(
        &["requestState"],
        Instead::Nothing,
        "must be a string or be left out",
    ),
    member(
        &["inputResponses"],
        Instead::Nothing,
        "must be an object of answers; a `tool_result` in one may hold no `resource` and no `resource_link`",
    ),
];

/// The member that Tower refuses, if `accepts` takes the params without it.
/// Members that may be wrong go one after the other; the one without which the
/// rest is accepted is wrong.
pub(super) fn find(params: &Map<String, Value>, accepts: impl Fn(&Value) -> bool) -> Option<Wrong> {
    let mut rest = Value::Object(params.clone());
    let found = MEMBERS
        .iter()
        .find(|member| member.replace(&mut rest) && accepts(&rest));
    found.map(Member::wrong).or_else(|| {
        // 2025-11-25's schema lets the id of what is cancelled be absent.
        let mut whole = Value::Object(params.clone());
        whole.as_object_mut()?.insert("requestId".into(), 0.into());
        let missing = || Wrong::new(format!("is missing; it {ID}")).under("requestId");
        accepts(&whole).then(missing)
    })
}

impl Member {
    fn wrong(&self) -> Wrong {
        let path = self.path.iter().rev();
        path.fold(Wrong::new(self.must), |wrong, name| wrong.under(name))
    }

    /// Puts something harmless in its place; false if it is not there.
    fn replace(&self, params: &mut Value) -> bool {
        let Some((name, above)) = self.path.split_last() else {
            return false;
        };
        let holder = above
            .iter()
            .try_fold(params, |value, name| value.get_mut(name));
        let Some(holder) = holder.and_then(Value::as_object_mut) else {
            return false;
        };
        let Some(value) = holder.get_mut(*name) else {
            return false;
        };
        match self.instead {
            Instead::Nothing => drop(holder.remove(*name)),
            Instead::Object => *value = Value::Object(Map::new()),
            Instead::Zero => *value = 0.into(),
        }
        true
    }
}
