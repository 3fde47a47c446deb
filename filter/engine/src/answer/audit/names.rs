//! Methods and names of a request, as logs list them.

use serde_json::Value;

use crate::answer::show::{MAX_SHOWN, and_more, bare, escaped};
use crate::policy::operation::{Operation, OperationKind};

/// Most entries of a list. If there are more, one entry says how many.
pub(super) const MOST: usize = 16;

/// The methods of all operations, in wire order.
pub(super) fn methods(operations: &[Operation]) -> Vec<Value> {
    let methods = operations.iter().map(|operation| operation.method.as_str());
    let named = methods.filter(|method| !method.is_empty());
    listed(named, |method| escaped(method, MAX_SHOWN))
}

/// The tools, prompts and URIs, in wire order.
pub(super) fn names(operations: &[Operation]) -> Vec<Value> {
    let named = operations.iter().filter_map(|operation| {
        let name = operation.name.as_deref().filter(|name| !name.is_empty())?;
        Some((operation.kind, name))
    });
    listed(named, |(kind, name)| match kind {
        OperationKind::Resource => bare(name),
        _ => escaped(name, MAX_SHOWN),
    })
}

/// The first entries, shown, and how many more there are.
pub(super) fn listed<T, S: Into<Value>>(
    mut entries: impl Iterator<Item = T>,
    shown: impl Fn(T) -> S,
) -> Vec<Value> {
    let mut list: Vec<Value> = entries
        .by_ref()
        .take(MOST)
        .map(|entry| shown(entry).into())
        .collect();
    let more = entries.count();
    if more > 0 {
        list.push(and_more(more).into());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(kind: OperationKind, method: &str, name: &str) -> Operation {
        Operation {
            kind,
            method: method.into(),
            name: Some(name.into()),
            granted_by: &[],
            forbidden_argument: false,
        }
    }

    #[test]
    fn one_entry_an_operation_whatever_the_name_holds() {
        let operations = [
            operation(OperationKind::Tool, "tools/call", "a,delete_all"),
            operation(OperationKind::Resource, "resources/read", "x://u:p@h/a?q"),
            operation(OperationKind::Prompt, "prompts/get", "x://u:p@h/a?q"),
            operation(OperationKind::Response, "", ""),
        ];
        assert_eq!(
            methods(&operations),
            ["tools/call", "resources/read", "prompts/get"]
        );
        assert_eq!(
            names(&operations),
            ["a,delete_all", "x://…@h/a?…", "x://u:p@h/a?q"]
        );
    }

    #[test]
    fn a_list_says_how_much_longer_it_is() {
        let of = |count: usize| {
            let calls: Vec<Operation> = (0..count)
                .map(|index| operation(OperationKind::Tool, "tools/call", &format!("t{index}")))
                .collect();
            names(&calls)
        };
        assert_eq!(of(16).len(), 16);
        assert_eq!(of(16).last(), Some(&"t15".into()));
        assert_eq!(of(100).len(), 17);
        assert_eq!(of(100).last(), Some(&"… 84 more".into()));
        // No name reads like that.
        let forged = [operation(OperationKind::Tool, "tools/call", "… 84 more")];
        assert_eq!(names(&forged), ["\\u{2026} 84 more"]);
    }
}
