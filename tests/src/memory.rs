//! How much memory a process holds.

use std::fs;

use crate::error::{Context, Error, Result};

/// Pages are 4 KiB wherever the tests run; Envoy itself assumes no less.
const PAGE: u64 = 4096;

/// Resident memory of the process `id` in bytes, as the kernel counts it.
///
/// # Errors
/// If there is no such process, or no `/proc`.
pub fn resident(id: u32) -> Result<u64> {
    let path = format!("/proc/{id}/statm");
    let text = fs::read_to_string(&path).context(format!("cannot read `{path}`"))?;
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|field| field.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| Error::new(format!("`{path}` says `{text}`")))?;
    Ok(pages * PAGE)
}
