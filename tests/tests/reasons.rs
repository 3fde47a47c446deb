//! `docs/reasons.md` lists exactly the reasons there are, as they are.

use std::collections::BTreeMap;

use mcp_boundary_engine::{Kind, Reason};

#[test]
fn every_reason_is_documented_as_it_is() {
    let path = mcp_boundary_tests::workspace().join("docs/reasons.md");
    let text = std::fs::read_to_string(path).expect("docs/reasons.md");
    let mut documented = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [code, verdict, status, error, meaning, advice] = cells[..] else {
            panic!("six columns: {line}");
        };
        assert!(
            meaning.len() > 10 && !advice.is_empty(),
            "says too little: {line}"
        );
        let code = code.trim_matches('`').to_owned();
        let row = (verdict.to_owned(), status.to_owned(), error.to_owned());
        assert!(documented.insert(code, row).is_none(), "twice: {line}");
    }
    for reason in Reason::ALL {
        let row = documented.remove(reason.code());
        let (verdict, status, error) =
            row.unwrap_or_else(|| panic!("`{}` is not in docs/reasons.md", reason.code()));
        assert_eq!(verdict, reason.kind().as_str(), "{}", reason.code());
        let numbers = match reason.kind() {
            Kind::Forward => ("–".to_owned(), "–".to_owned()),
            Kind::Deny | Kind::Reject => (
                reason.status(false).to_string(),
                reason.error_code().to_string(),
            ),
        };
        assert_eq!((status, error), numbers, "{}", reason.code());
    }
    assert!(
        documented.is_empty(),
        "documented, but gone: {documented:?}"
    );
}
