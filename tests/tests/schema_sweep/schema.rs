//! One revision's official schema: what its client methods are, what judges a
//! message of theirs, and values of every kind at every place.

use std::fs;

use jsonschema::Validator;
use mcp_boundary_tests::workspace;
use serde_json::{Map, Value, json};

use crate::values::WRONG;

/// Free-form JSON: what is below is not enumerated.
const FREE: [&str; 2] = ["JSONValue", "JSONObject"];

/// Takes a place, the value that stands above it with it inside, and what was
/// put there on purpose.
type Put<'a> = &'a mut dyn FnMut(&[String], Value, Option<Value>);

pub(crate) struct Schema {
    whole: Value,
    /// `$defs`, or `definitions` in older ones.
    key: &'static str,
}

/// A method that clients send.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) is_request: bool,
    /// Of the whole message.
    pub(crate) validator: Validator,
    /// Schema of `params`.
    params: Value,
}

/// `params` to try: what was put where.
pub(crate) struct Trial {
    /// Members from `params` down; `*` is any member or item.
    pub(crate) path: Vec<String>,
    /// None is without `params`.
    pub(crate) params: Option<Value>,
    /// What stands at `path`, if it was put there on purpose.
    pub(crate) value: Option<Value>,
}

impl Schema {
    pub(crate) fn of(revision: &str) -> Self {
        let path = workspace().join(format!("tests/data/schema/{revision}.json"));
        let text = fs::read_to_string(path).expect("a schema");
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        let key = match whole.get("$defs") {
            Some(_) => "$defs",
            None => "definitions",
        };
        Self { whole, key }
    }

    fn definition(&self, name: &str) -> &Value {
        &self.whole[self.key][name]
    }

    fn reference(&self, name: &str) -> Value {
        json!({ "$ref": format!("#/{}/{name}", self.key) })
    }

    fn resolved<'a>(&'a self, mut schema: &'a Value) -> (&'a str, &'a Value) {
        let mut name = "";
        while let Some(target) = schema["$ref"].as_str() {
            name = target.rsplit('/').next().expect("a name");
            schema = self.definition(name);
        }
        (name, schema)
    }

    fn validator(&self, all_of: Vec<Value>) -> Validator {
        let mut schema = self.whole.clone();
        schema["allOf"] = Value::Array(all_of);
        // Formats are annotations, as in the TypeScript source.
        let options = jsonschema::options().should_validate_formats(false);
        options.build(&schema).expect("a schema")
    }

    /// Every client method, those of the tasks extension included.
    pub(crate) fn methods(&self) -> Vec<Method> {
        let mut methods = Vec::new();
        for (kind, is_request) in [("Request", true), ("Notification", false)] {
            let base = self.reference(&format!("JSONRPC{kind}"));
            let (own, union) = self.resolved(self.definition(&format!("Client{kind}")));
            let calls = match union["anyOf"].as_array() {
                Some(calls) => calls.clone(),
                None if own.is_empty() => vec![self.reference(&format!("Client{kind}"))],
                None => vec![self.reference(own)],
            };
            for call in calls {
                let (_, schema) = self.resolved(&call);
                let name = schema["properties"]["method"]["const"].as_str();
                let params = match schema["properties"].get("params") {
                    Some(params) => params.clone(),
                    None => json!({ "type": "object" }),
                };
                let base_params = self.resolved(&base).1["properties"]["params"].clone();
                methods.push(Method {
                    name: name.expect("a method").to_owned(),
                    is_request,
                    validator: self.validator(vec![base.clone(), call.clone()]),
                    params: json!({ "allOf": [base_params, params] }),
                });
            }
        }
        if !self.definition("InputResponses").is_null() {
            methods.extend(["get", "cancel", "update"].map(|verb| self.task_method(verb)));
        }
        methods
    }

    /// The tasks extension uses the types of the core.
    fn task_method(&self, verb: &str) -> Method {
        let mut own = json!({
            "type": "object",
            "properties": { "taskId": { "type": "string" } },
            "required": ["taskId"],
        });
        if verb == "update" {
            own["properties"]["inputResponses"] = self.reference("InputResponses");
        }
        let params = json!({ "allOf": [self.reference("RequestParams"), own] });
        let call = json!({ "properties": { "params": params }, "required": ["params"] });
        Method {
            name: format!("tasks/{verb}"),
            is_request: true,
            validator: self.validator(vec![self.reference("JSONRPCRequest"), call]),
            params,
        }
    }

    /// Every place in a method's params with every value in it.
    pub(crate) fn trials(&self, method: &Method) -> Vec<Trial> {
        let mut trials = vec![Trial {
            path: Vec::new(),
            params: None,
            value: None,
        }];
        self.vary(
            &method.params,
            &mut Vec::new(),
            &mut |path, params, value| {
                trials.push(Trial {
                    path: path.to_vec(),
                    params: Some(params),
                    value,
                });
            },
        );
        trials
    }

    /// The members that an object schema describes, with those required.
    fn members(&self, schema: &Value) -> (Map<String, Value>, Vec<String>) {
        let (_, schema) = self.resolved(schema);
        let mut members = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let required = schema["required"].as_array().into_iter().flatten();
        let mut required: Vec<_> = required
            .map(|name| name.as_str().expect("a name").into())
            .collect();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let (more, needed) = self.members(part);
            members.extend(more);
            required.extend(needed);
        }
        (members, required)
    }

    /// The least that such a value is.
    fn least(&self, schema: &Value) -> Value {
        let (name, schema) = self.resolved(schema);
        if let Some(parts) = schema["anyOf"].as_array() {
            return self.least(&parts[0]);
        }
        if let Some(word) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return word.clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("string") => json!("a:b"),
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            _ if schema.get("allOf").is_none() && kind.is_none() => json!({}),
            Some("object") | None => {
                let (members, required) = self.members(schema);
                let least = |name: String| (name.clone(), self.least(&members[&name]));
                Value::Object(required.into_iter().map(least).collect())
            }
            Some(other) => panic!("{name}: `{other}` is not known here"),
        }
    }

    fn vary(&self, schema: &Value, path: &mut Vec<String>, put: Put<'_>) {
        let (name, schema) = self.resolved(schema);
        if !path.is_empty() {
            for wrong in WRONG.iter() {
                put(path, wrong.clone(), Some(wrong.clone()));
            }
        }
        put(path, self.least(schema), None);
        if FREE.contains(&name) {
            return;
        }
        for part in schema["anyOf"].as_array().into_iter().flatten() {
            self.vary(part, path, put);
        }
        for word in schema["enum"].as_array().into_iter().flatten() {
            put(path, word.clone(), Some(word.clone()));
        }
        if let Some(item) = schema.get("items") {
            self.inside("*", item, path, &mut |path, value, at| {
                put(path, json!([value]), at)
            });
        }
        if let Some(item) = schema
            .get("additionalProperties")
            .filter(|item| item.is_object())
        {
            self.inside("*", item, path, &mut |path, value, at| {
                put(path, json!({ "k": value }), at)
            });
        }
        let (members, _) = self.members(schema);
        let base = self.least(schema);
        for (member, inner) in &members {
            let mut without = base.clone();
            if let Some(object) = without.as_object_mut() {
                object.remove(member);
            }
            self.inside(member, inner, path, &mut |path, value, at| {
                let mut whole = base.clone();
                whole[member] = value;
                put(path, whole, at);
            });
            let mut gone = path.clone();
            gone.push(member.clone());
            put(&gone, without, None);
        }
    }

    /// The same one step further down.
    fn inside(&self, part: &str, schema: &Value, path: &mut Vec<String>, put: Put<'_>) {
        path.push(part.to_owned());
        self.vary(schema, path, put);
        path.pop();
    }
}
