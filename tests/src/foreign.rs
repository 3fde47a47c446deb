//! Readers in other languages: programs that answer each line with a line.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What `program` makes of each line when it runs `script` of `tests/data`, a
/// line for a line; none if there is no such program and that is acceptable.
///
/// # Panics
/// In CI if there is no such program; if it fails, or does not answer each
/// line with one.
pub fn ask(program: impl AsRef<OsStr>, script: &str, lines: &[String]) -> Option<Vec<String>> {
    let program = program.as_ref();
    let shown = program.to_string_lossy();
    let child = Command::new(program)
        .arg(script)
        .current_dir(crate::workspace().join("tests/data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) if std::env::var_os("CI").is_some() => panic!("`{shown}`: {error}"),
        Err(error) => {
            eprintln!("SKIPPED the reader `{shown}`: {error}");
            return None;
        }
    };
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the reader ends");
    writer
        .join()
        .expect("no panic")
        .expect("the reader reads all");
    assert!(output.status.success(), "`{shown}` failed");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len(), "`{shown}` answers each line");
    Some(answers)
}
