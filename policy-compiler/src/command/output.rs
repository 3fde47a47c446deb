//! Writing a file whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::console::Console;
use super::input::is_dash;
use crate::cli::Exit;

pub(super) fn stdout(console: &Console, bytes: &[u8]) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| {
            // Whoever closed the pipe, such as `head`, had enough.
            if error.kind() == io::ErrorKind::BrokenPipe {
                return Exit::Input;
            }
            console.fail(
                Exit::Input,
                "<stdout>",
                format!("cannot write to standard output: {error}"),
                "check what reads it",
            )
        })
}

/// Writes to a file, or to standard output if none or `-` is given. `source` is
/// what it was made from.
pub(super) fn output(
    console: &Console,
    path: Option<&Path>,
    source: &Path,
    bytes: &[u8],
) -> Result<(), Exit> {
    match path.filter(|path| !is_dash(path)) {
        Some(path) => replace(console, path, source, bytes),
        None => stdout(console, bytes),
    }
}

/// Replaces `path` by a complete file. `source` is what it was made from.
fn replace(console: &Console, path: &Path, source: &Path, bytes: &[u8]) -> Result<(), Exit> {
    let file = path.display().to_string();
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if let Some(existing) = &existing {
        let refused = if existing.is_dir() {
            Some(("is a directory", "name a file in it"))
        } else if !existing.is_file() {
            Some((
                "is not a regular file",
                "name a file, or `-` for standard output",
            ))
        } else if existing.permissions().readonly() {
            Some((
                "is read-only",
                "make it writable or remove it if it shall be replaced",
            ))
        } else {
            None
        };
        if let Some((why, help)) = refused {
            return Err(console.fail(
                Exit::Input,
                &file,
                format!("cannot write `{file}`: it {why}"),
                help,
            ));
        }
    }
    if !is_dash(source) && fs::canonicalize(source).is_ok_and(|source| source == target) {
        return Err(console.fail(
            Exit::Usage,
            &file,
            format!("`{file}` is the policy itself"),
            "write to another file",
        ));
    }
    let permissions = existing.map(|existing| existing.permissions());
    write(&target, permissions, bytes).map_err(|error| {
        console.fail(
            Exit::Input,
            &file,
            format!("cannot write `{file}`: {error}"),
            "check that the directory exists and is writable",
        )
    })
}

fn write(target: &Path, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-policy-");
    // The proxy usually runs as another user; the file mode creation mask
    // still applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}
