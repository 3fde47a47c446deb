//! What a process uses, as the kernel counts it.

use std::fs;
use std::time::Duration;

use crate::error::{Context, Error, Result};

/// Pages are 4 KiB wherever the tests run; Envoy itself assumes no less.
const PAGE: u64 = 4096;

/// Resident memory of the process `id` in bytes.
///
/// # Errors
/// If there is no such process, or no `/proc`.
pub fn resident(id: u32) -> Result<u64> {
    Ok(field(&format!("/proc/{id}/statm"), 1)? * PAGE)
}

/// Processor time that all threads of the process `id` have taken.
///
/// # Errors
/// As [`resident`].
pub fn processor(id: u32) -> Result<Duration> {
    let path = format!("/proc/{id}/task");
    let threads = fs::read_dir(&path).context(format!("cannot read `{path}`"))?;
    let mut nanoseconds = 0;
    for thread in threads {
        let thread = thread.context(format!("cannot read `{path}`"))?;
        nanoseconds += field(&thread.path().join("schedstat").to_string_lossy(), 0)?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// A number in a line of numbers.
fn field(path: &str, index: usize) -> Result<u64> {
    let text = fs::read_to_string(path).context(format!("cannot read `{path}`"))?;
    let found = text.split_whitespace().nth(index);
    found
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| Error::new(format!("`{path}` says `{text}`")))
}
