//! Scripts and Makefile run where people build: with the tools of macOS (BSD
//! tools, bash 3.2, GNU Make 3.81) as well as with those of Linux.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_boundary_tests::workspace;

/// What is not everywhere, and what to write instead.
const FOREIGN: [(&str, &str); 26] = [
    ("sha256sum", "compare the files' texts"),
    ("md5sum", "compare the files' texts"),
    ("readlink -f", "use `cd … && pwd`"),
    ("realpath", "use `cd … && pwd`"),
    ("tee --append", "write `tee -a`"),
    ("sed -i", "write to another file and move it"),
    ("sed -r", "write `sed -E`"),
    ("grep -P", "write `grep -E`"),
    ("stat -c", "use `wc -c` or python3"),
    ("date -d", "use python3"),
    ("date --", "use python3"),
    ("xargs -r", "ask first whether there is something"),
    ("cp --", "use the short option"),
    ("mv --", "use the short option"),
    ("rm --", "use the short option"),
    ("mkdir --", "use the short option"),
    ("ln --", "use the short option"),
    ("sort -V", "use python3"),
    ("mapfile", "bash 4: read lines in a loop"),
    ("readarray", "bash 4: read lines in a loop"),
    ("declare -A", "bash 4: use a function with `case`"),
    ("${BASH_SOURCE[-1]", "bash 4: count from 0"),
    ("|&", "bash 4: write `2>&1 |`"),
    ("&>>", "bash 4: write `>>file 2>&1`"),
    (".SHELLFLAGS", "Make 3.82: begin the recipe with `set -e;`"),
    (".ONESHELL", "Make 3.82: join the lines with `\\`"),
];

/// `${name,,}` and `${name^^}`.
fn changes_case(line: &str) -> bool {
    let mut rest = line;
    while let Some((_, tail)) = rest.split_once("${") {
        let (inside, after) = tail.split_once('}').unwrap_or((tail, ""));
        if inside.ends_with(",,") || inside.ends_with("^^") {
            return true;
        }
        rest = after;
    }
    false
}

/// `mktemp` without a template, which BSD's once wanted.
fn makes_unnamed(line: &str) -> bool {
    line.contains("mktemp") && !line.contains("XXXXXX")
}

/// `\t` in a program of sed, which BSD's takes for a `t`.
fn has_tab_for_sed(line: &str) -> bool {
    line.contains("sed ") && line.contains("\\t")
}

fn complaints(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with('#') {
            continue;
        }
        let mut tell = |what: &str, instead: &str| {
            found.push(format!("{name}:{}: `{what}`: {instead}", at + 1));
        };
        for (what, instead) in FOREIGN {
            if line.contains(what) {
                tell(what, instead);
            }
        }
        if changes_case(line) {
            tell("${name,,}", "bash 4: use `tr`");
        }
        if makes_unnamed(line) {
            tell(
                "mktemp",
                "give it a template: `${TMPDIR:-/tmp}/name.XXXXXX`",
            );
        }
        if has_tab_for_sed(line) {
            tell("sed \\t", "use awk");
        }
    }
    found
}

/// Every script, and the Makefile.
fn scripts() -> Vec<PathBuf> {
    let root = workspace();
    let mut found = vec![root.join("Makefile")];
    let mut open = vec![root.join(".ci"), root.join("tests"), root.join("envoy")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if is_script(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn is_script(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "sh") {
        return true;
    }
    let text = || fs::read_to_string(path).unwrap_or_default();
    path.extension().is_none() && text().starts_with("#!/") && text().contains("sh\n")
}

#[test]
fn scripts_and_makefile_use_what_is_everywhere() {
    let scripts = scripts();
    assert!(
        scripts.len() >= 10,
        "the scripts are not found: {scripts:?}"
    );
    let mut found = Vec::new();
    for path in scripts {
        let name = path.strip_prefix(workspace()).expect("below").display();
        let text = fs::read_to_string(&path).expect("text");
        found.extend(complaints(&name.to_string(), &text));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_is_foreign_is_found() {
    for line in [
        "cat x | sha256sum",
        "x=$(mktemp)",
        "\techo a | tee --append log",
        "sed -n 's/a/\\t/p' x",
        "y=${x,,}",
        "y=${x}${y^^}",
        "declare -A seen",
        ".SHELLFLAGS := -e",
    ] {
        assert_eq!(complaints("x", line).len(), 1, "{line}");
    }
    for line in [
        "# sha256sum in a comment",
        "x=$(mktemp -d \"$target/fetch.XXXXXX\")",
        "tee -a log",
        "y=${x:-a,b}",
        "sed -n 's/a/b/p' x",
    ] {
        assert_eq!(complaints("x", line), Vec::<String>::new(), "{line}");
    }
}

/// GNU Make before 3.82 stops a recipe's line only at its last command.
#[test]
fn recipes_of_several_commands_stop_at_the_first_that_fails() {
    let text = fs::read_to_string(workspace().join("Makefile")).expect("the Makefile");
    let joined = text.replace("\\\n", " ");
    for line in joined.lines().filter(|line| line.starts_with('\t')) {
        let command = line.trim_start_matches(['\t', '@']);
        let several = command.contains("; ") && !command.starts_with("[[");
        assert!(
            !several || command.starts_with("set -e;"),
            "begin with `set -e;`: {command}"
        );
    }
}
