//! The pages hold together: what sources and cases cite is there, what is
//! linked is there, and what is listed is all there is.

mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use mcp_boundary_tests::workspace;

/// Folders that are made, not written; so is what begins with a dot.
const MADE: [&str; 4] = ["target", "build", "node_modules", "artifacts"];
/// The sections of the contract, which keep their numbers.
const SECTIONS: u32 = 14;

/// All files below `folder` whose names end with `ending`.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() && !name.starts_with('.') && !MADE.contains(&name.as_str()) {
            found.extend(files(&entry.path(), ending));
        } else if kind.is_file() && name.ends_with(ending) {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn page(name: &str) -> String {
    read(&workspace().join(name))
}

/// The lines of a page outside blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut block = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        block ^= fence;
        !block && !fence
    })
}

/// What stands between backticks on a line.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The numbers that a text begins with: `3`, `3, 4 and 12`, `4 to 9`.
fn numbers(text: &str) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut rest = text;
    let mut range = false;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (digits, tail) = rest.split_at(end.unwrap_or(rest.len()));
        let Ok(number) = digits.parse() else {
            return found;
        };
        if let (true, Some(first)) = (range, found.last()) {
            found.extend(first + 1..number);
        }
        found.push(number);
        let joints = [", ", " and ", " to "];
        let Some(joint) = joints.into_iter().find(|joint| tail.starts_with(joint)) else {
            return found;
        };
        range = joint == " to ";
        rest = &tail[joint.len()..];
    }
}

/// A source's text with its comments joined over the ends of lines.
fn comments_joined(source: &str) -> String {
    let bare = |line| str::trim_start_matches(str::trim(line), ['/', '!']).trim();
    source.lines().map(bare).collect::<Vec<_>>().join(" ")
}

fn check_sections(place: &str, cited: &[u32]) {
    assert!(!cited.is_empty(), "{place}: which section of the contract?");
    for number in cited {
        let known = (1..=SECTIONS).contains(number);
        assert!(known, "{place}: docs/contract.md has no section {number}");
    }
}

#[test]
fn lists_of_sections_are_read() {
    for (text, found) in [
        ("10.", vec![10]),
        ("3, 4 and 12.", vec![3, 4, 12]),
        ("1 and 11", vec![1, 11]),
        ("4 to 7; bypass B1", vec![4, 5, 6, 7]),
        ("8, 11: differential", vec![8, 11]),
        ("4: 2026-07-28 with any verb", vec![4]),
        ("10, \"`when`\"", vec![10]),
        ("where", vec![]),
    ] {
        assert_eq!(numbers(text), found, "{text}");
    }
    let split =
        "/// Near. Contract\n    /// section 3.\n//! Sections: Contract sections 1 and\n//! 2";
    let joined = comments_joined(split);
    assert!(joined.contains("Contract section 3."), "{joined}");
    assert!(joined.contains("Contract sections 1 and 2"), "{joined}");
}

#[test]
fn the_contract_has_its_sections_in_order() {
    let text = page("docs/contract.md");
    let headings = prose(&text).filter_map(|line| line.strip_prefix("## "));
    let numbered: Vec<u32> = headings
        .filter_map(|heading| heading.split_once(". ")?.0.parse().ok())
        .collect();
    assert_eq!(numbered, (1..=SECTIONS).collect::<Vec<_>>());
}

#[test]
fn sections_that_sources_cite_exist() {
    let mut citations = 0;
    for folder in ["filter", "policy-compiler", "tests"] {
        for path in files(&workspace().join(folder), ".rs") {
            // What this file says of citations is none.
            if path.ends_with("tests/tests/papers/main.rs") {
                continue;
            }
            let text = comments_joined(&read(&path));
            for after in text.split("ontract section").skip(1) {
                let after = after.strip_prefix('s').unwrap_or(after).trim_start();
                check_sections(&path.display().to_string(), &numbers(after));
                citations += 1;
            }
        }
    }
    assert!(citations > 30, "only {citations} citations were found");
}

/// Every code has its rule: the contract says when it is given.
#[test]
fn the_contract_names_every_reason() {
    let contract = page("docs/contract.md");
    let named: BTreeSet<&str> = prose(&contract).flat_map(code).collect();
    let reasons = page("docs/reasons.md");
    let rows = reasons.lines().filter_map(|line| line.strip_prefix("| `"));
    let codes: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert!(codes.len() > 60, "only {} codes were found", codes.len());
    for code in codes {
        // A status may stand before it.
        assert!(
            named.contains(code),
            "docs/contract.md does not say when `{code}` is given"
        );
    }
}

/// Headings as they are linked to, by GitHub's rule.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let mut anchors = BTreeSet::new();
    for heading in headings {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let slug = title
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-");
        let times = seen.entry(slug.clone()).or_default();
        anchors.insert(match *times {
            0 => slug,
            n => format!("{slug}-{n}"),
        });
        *times += 1;
    }
    anchors
}

/// Where the links of a page lead; what is between backticks is none.
fn links(text: &str) -> Vec<String> {
    let outside = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("");
    let all = prose(text).map(outside).collect::<Vec<_>>().join(" ");
    let targets = all.split("](").skip(1);
    targets
        .filter_map(|target| Some(target.split_once(')')?.0.to_owned()))
        .collect()
}

/// A path without its `..`, which need not be followed through links.
fn plain(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(made.pop()),
            Component::CurDir => {}
            other => made.push(other),
        }
    }
    made
}

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for path in files(&workspace(), ".md") {
        let text = read(&path);
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match (file, path.parent()) {
                ("", _) | (_, None) => path.clone(),
                (file, Some(folder)) => plain(&folder.join(file)),
            };
            let place = format!("{}: the link to `{link}`", path.display());
            assert!(target.exists(), "{place} leads nowhere");
            let found = anchor.is_empty() || anchors(&read(&target)).contains(anchor);
            assert!(found, "{place} names no heading");
            followed += 1;
        }
    }
    assert!(followed > 80, "only {followed} links were found");
}

/// Whoever looks for a page finds it from the first one.
#[test]
fn every_page_is_listed() {
    let landing = links(&page("docs/README.md"));
    let docs = workspace().join("docs");
    for path in files(&docs, ".md") {
        let name = path
            .strip_prefix(&docs)
            .expect("below docs")
            .to_string_lossy();
        let to_it = |link: &String| link.split('#').next() == Some(&*name);
        let listed = name == "README.md" || landing.iter().any(to_it);
        assert!(listed, "docs/README.md does not lead to {name}");
    }
    assert!(links(&page("README.md")).contains(&"docs/README.md".to_owned()));
}

#[test]
fn recipes_name_files_that_exist() {
    let text = page("docs/development.md");
    let recipes = text.split_once("\n## Recipes").expect("recipes").1;
    let root = workspace();
    let exists = |path: &str| root.join(path.trim_end_matches('/')).exists();
    let mut steps = 0;
    for step in recipes.lines().filter_map(|line| line.strip_prefix("- `")) {
        let path = step.split('`').next().expect("a path");
        assert!(
            exists(path),
            "a recipe begins with `{path}`, which does not exist"
        );
        steps += 1;
    }
    assert!(steps > 40, "only {steps} steps were found");
    for token in recipes.lines().flat_map(code) {
        let top = token.split('/').next().expect("a part");
        let path = token.contains('/') && !token.contains(' ') && root.join(top).is_dir();
        assert!(
            !path || exists(token),
            "a recipe names `{token}`, which does not exist"
        );
    }
}

#[test]
fn packages_are_under_the_licence_that_is_there() {
    let licence = page("LICENSE");
    assert!(licence.contains("Apache License") && licence.contains("Version 2.0, January 2004"));
    let manifests = files(&workspace(), "Cargo.toml");
    assert!(manifests.len() > 8, "{manifests:?}");
    for path in manifests {
        let text = read(&path);
        let said = ["license = \"Apache-2.0\"", "license.workspace = true"];
        let says = said
            .iter()
            .any(|line| text.lines().any(|found| found == *line));
        assert!(says, "{} does not say `license`", path.display());
    }
}

/// The pipeline that releases does what anybody can do by hand.
#[test]
fn workflows_call_targets_that_exist() {
    let makefile = page("Makefile");
    let mut calls = 0;
    for path in files(&workspace().join(".github/workflows"), ".yaml") {
        for line in read(&path).lines() {
            let Some(command) = line.trim_start_matches([' ', '-']).strip_prefix("run: ") else {
                continue;
            };
            let words = command
                .strip_prefix("make ")
                .expect("a target of the Makefile");
            let target = words.split(' ').next().expect("a word");
            let defined = format!("\n{target}:");
            assert!(makefile.contains(&defined), "{command}: no such target");
            calls += 1;
        }
    }
    assert!(calls > 3, "only {calls} steps were found");
}
