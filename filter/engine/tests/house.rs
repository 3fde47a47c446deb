//! How the engine's own files stand to each other: none imports another that
//! imports it, and what a stage makes is made in one place.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
#![cfg(not(target_arch = "wasm32"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A file by the names that lead to it from the crate's root.
type Module = Vec<String>;

/// The code of each file: no comments, no tests.
fn sources() -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    walk(&root, &mut Vec::new(), &mut found);
    found
}

fn walk(folder: &Path, names: &mut Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            names.push(name);
            walk(&path, names, found);
            names.pop();
        } else if name != "tests" {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().lines();
            let code = code.map(|line| line.split("//").next().unwrap());
            let code = code.collect::<Vec<_>>().join("\n");
            let mut module = names.clone();
            if !(names.is_empty() && name == "lib") {
                module.push(name);
            }
            found.insert(module, code);
        }
    }
}

/// `a::{b, c::{d}}` as `a::b` and `a::c::d`.
fn spread(import: &str) -> Vec<String> {
    let Some((start, group)) = import.split_once('{') else {
        return vec![import.trim().to_owned()];
    };
    let group = group.trim().strip_suffix('}').unwrap();
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(character);
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| spread(&format!("{}{}", start.trim(), part.trim())))
        .collect()
}

/// The file that a path, seen from `here`, leads to.
fn target(path: &str, here: &Module, files: &BTreeMap<Module, String>) -> Option<Module> {
    let names: Vec<&str> = path.split("::").map(str::trim).collect();
    let mut at = match names.first()? {
        &"crate" => Vec::new(),
        &"super" | &"self" => here.clone(),
        name => {
            let mut child = here.clone();
            child.push((*name).to_owned());
            files.contains_key(&child).then(|| here.clone())?
        }
    };
    for name in names {
        match name {
            "crate" | "self" => {}
            "super" => drop(at.pop()),
            name => {
                let mut child = at.clone();
                child.push(name.to_owned());
                if !files.contains_key(&child) {
                    break;
                }
                at = child;
            }
        }
    }
    (at != *here).then_some(at)
}

/// All paths that a file names: those it imports, and those in its code.
fn paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let line = rest[..at].rsplit('\n').next().unwrap().trim();
        rest = &rest[at + 4..];
        if line.is_empty() || line.starts_with("pub") {
            let import = rest.split(';').next().unwrap();
            paths.extend(spread(&import.replace('\n', " ")));
        }
    }
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c: char| !word(c));
    paths.extend(
        words
            .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
            .map(str::to_owned),
    );
    paths
}

fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let files = sources();
    let of = |(here, code): (&Module, &String)| {
        // Who may see an item is no import.
        let code = code.replace("pub(in crate", "pub(");
        let targets = paths(&code);
        let targets = targets.iter().filter_map(|path| target(path, here, &files));
        (here.clone(), targets.collect())
    };
    files.iter().map(of).collect()
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let mut left = imports();
    assert!(left.len() > 40, "the sources are not where they were");
    let all: usize = left.values().map(BTreeSet::len).sum();
    assert!(all > 150, "only {all} imports are seen");
    // What imports nothing that is left is no part of a circle.
    loop {
        let names: BTreeSet<Module> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, targets| targets.iter().any(|target| names.contains(target)));
        if left.len() == before {
            break;
        }
    }
    let names: BTreeSet<Module> = left.keys().cloned().collect();
    let circle: Vec<String> = left
        .iter()
        .map(|(module, targets)| {
            let targets = targets.iter().filter(|target| names.contains(*target));
            let targets: Vec<_> = targets.map(|target| target.join("/")).collect();
            format!("{} -> {}", module.join("/"), targets.join(", "))
        })
        .collect();
    assert!(
        circle.is_empty(),
        "files import each other in circles:\n{}",
        circle.join("\n")
    );
}

/// What stages make, and where.
const STAGES: [(&str, &str); 14] = [
    ("Arrived", "head/located"),
    ("Unmatched", "head/located"),
    ("Seated", "head/located"),
    ("Opened", "head/verb"),
    ("Posted", "head/verb"),
    ("Parsed", "body/json"),
    ("StrictJson", "body/json/skeleton"),
    ("Enveloped", "body/envelope"),
    ("Measured", "body/revision"),
    ("Selected", "body/revision"),
    ("Profiled", "body/profile"),
    ("Agreed", "body/mirrors"),
    ("Asked", "policy/operations"),
    ("Request", "request"),
];

/// How often the code makes a value of this type, by its name or as `Self`.
fn made(code: &str, name: &str) -> usize {
    let mut times = 0;
    for (at, _) in code.match_indices(&format!("{name} {{")) {
        let before = code[..at].trim_end();
        let declares = ["struct", "impl", "for", "->", "&", "let"];
        let part = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        times += usize::from(!part && !declares.iter().any(|word| before.ends_with(word)));
    }
    let start = format!("{name}<");
    let blocks = code.split("\nimpl").skip(1);
    for block in blocks.filter(|block| {
        let head = block.split('{').next().unwrap();
        let subject = head.trim_start_matches("<'a>").trim();
        subject == name || subject.starts_with(&start)
    }) {
        let block = block.split("\n}\n").next().unwrap();
        for (at, _) in block.match_indices("Self {") {
            let before = block[..at].trim_end();
            let copied = block[at..].split('}').next().unwrap().contains("..self");
            times += usize::from(!before.ends_with("->") && !before.ends_with("let") && !copied);
        }
    }
    times
}

#[test]
fn each_stage_has_one_constructor() {
    let files = sources();
    for (name, place) in STAGES {
        let mut found = BTreeMap::new();
        for (module, code) in &files {
            let times = made(code, name);
            if times > 0 {
                found.insert(module.join("/"), times);
            }
        }
        let wanted = BTreeMap::from([(place.to_owned(), 1)]);
        assert_eq!(found, wanted, "where a `{name}` is made");
    }
}

/// A permit is made where it is said to be, from what only stages make.
#[test]
fn permits_are_made_in_one_file() {
    for (module, code) in sources() {
        let place = module.join("/");
        if place != "policy/authorize" {
            assert_eq!(made(&code, "Permit"), 0, "{place}");
            assert_eq!(made(&code, "Permitted"), 0, "{place}");
        }
    }
}
