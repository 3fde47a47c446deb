//! The corpus beside the pages: what cases cite, where they lie, and what pages
//! say of them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use mcp_boundary_tests::workspace;
use serde_json::Value;

use super::{check_sections, code, files, numbers, page, prose, read};

/// Names of other things that begin as cases do.
const NO_CASES: [&str; 1] = ["json-schema-2020-12"];
/// Members that do not say what a case does.
const TELLING: [&str; 5] = ["id", "source", "why", "expected_reason", "debatable"];

/// Every case: its path below the corpus, and what it says.
fn cases() -> Vec<(PathBuf, Value)> {
    let corpus = workspace().join("tests/corpus");
    let read = |path: PathBuf| {
        let case = serde_json::from_str(&read(&path)).expect("JSON");
        let below = path.strip_prefix(&corpus).expect("it is below");
        (below.to_owned(), case)
    };
    let cases: Vec<_> = files(&corpus, ".json").into_iter().map(read).collect();
    assert!(cases.len() > 1000, "only {} cases", cases.len());
    cases
}

#[test]
fn sections_that_cases_cite_exist() {
    let mut citations = 0;
    for (path, case) in cases() {
        let source = case["source"].as_str().expect("a source");
        if let Some(rest) = source.strip_prefix("contract ") {
            check_sections(&path.display().to_string(), &numbers(rest));
            citations += 1;
        }
    }
    assert!(citations > 1000, "only {citations} citations were found");
}

/// Rooms and subjects as the index has them, `written/paths`, by the rows of
/// its tables: a subject and the rooms it is in.
fn indexed() -> BTreeSet<String> {
    let index = page("tests/corpus/README.md");
    let index = index.split_once("## Subjects").expect("subjects").1;
    let index = index.split("\n## ").next().expect("a part");
    let rows = index.lines().filter(|line| line.starts_with("| `"));
    let mut found = BTreeSet::new();
    for row in rows {
        let mut cells = row.split('|').skip(1);
        let (subject, _, rooms) = (cells.next(), cells.next(), cells.next());
        let subject = subject.and_then(|cell| code(cell).next());
        let subject = subject.expect("a subject");
        for room in rooms.expect("rooms").split(',') {
            found.insert(format!("{}/{subject}", room.trim()));
        }
    }
    found
}

#[test]
fn every_case_lies_in_a_room_and_a_subject_that_the_index_has() {
    let indexed = indexed();
    let mut there = BTreeSet::new();
    for (path, _) in cases() {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let [room, subject, _] = parts.as_slice() else {
            panic!("{}: not in ROOM/SUBJECT", path.display());
        };
        there.insert(format!("{room}/{subject}"));
    }
    let unlisted: Vec<_> = there.difference(&indexed).collect();
    assert!(
        unlisted.is_empty(),
        "tests/corpus/README.md does not list {unlisted:?}"
    );
    let missing: Vec<_> = indexed.difference(&there).collect();
    assert!(
        missing.is_empty(),
        "tests/corpus/README.md lists {missing:?}, which hold no case"
    );
}

/// Two cases with the same request, policy and verdict are one.
#[test]
fn no_two_cases_say_the_same() {
    let mut seen: HashMap<Value, PathBuf> = HashMap::new();
    let mut copies = Vec::new();
    for (path, mut case) in cases() {
        let members = case.as_object_mut().expect("an object");
        members.retain(|name, _| !TELLING.contains(&name.as_str()));
        match seen.get(&case) {
            Some(first) => copies.push(format!("{} is {}", path.display(), first.display())),
            None => drop(seen.insert(case, path)),
        }
    }
    assert!(
        copies.is_empty(),
        "remove one of each:\n{}",
        copies.join("\n")
    );
}

/// Whether `name` is what `glob` says; `*` stands for any text.
fn matches(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        None => glob == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|left| {
            let ends = left.char_indices().map(|(at, _)| at).chain([left.len()]);
            ends.into_iter().any(|at| matches(rest, &left[at..]))
        }),
    }
}

/// The family a name begins with.
fn family(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

/// Whether a text is written as names of cases are, with `*` for any text.
fn is_a_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '*');
    text.contains('-') && text.chars().all(fits)
}

#[test]
fn globs_match_what_they_say() {
    for (glob, name, fits) in [
        ("a-1", "a-1", true),
        ("a-1", "a-12", false),
        ("a-*", "a-", true),
        ("a-*", "a-12", true),
        ("a-*-z", "a-1-2-z", true),
        ("a-*-z", "a-1-2", false),
        ("a-*", "b-a-1", false),
    ] {
        assert_eq!(matches(glob, name), fits, "{glob} {name}");
    }
}

/// What pages name between backticks as cases are named, with `*` for any text,
/// is there.
#[test]
fn cases_that_pages_name_exist() {
    let stem = |(path, _): (PathBuf, Value)| path.with_extension("");
    let names: BTreeSet<String> = cases()
        .into_iter()
        .map(stem)
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let families: BTreeSet<&str> = names.iter().map(|name| family(name)).collect();
    let mut globs = 0;
    for path in files(&workspace(), ".md") {
        let text = read(&path);
        for token in prose(&text).flat_map(code) {
            let named = is_a_name(token) && families.contains(family(token));
            if !named || NO_CASES.contains(&token) {
                continue;
            }
            let found = names.iter().any(|name| matches(token, name));
            assert!(found, "{}: `{token}` names no case", path.display());
            globs += usize::from(token.contains('*'));
        }
    }
    assert!(globs > 80, "only {globs} globs were found");
}
