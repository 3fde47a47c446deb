//! What a wasm module asks of its host.

use std::{fmt, path::Path};

/// The filter must stay below this many bytes. Envoy compiles it once per worker thread and plugin, so size is start-up time.
const FILTER_LIMIT: usize = 900 * 1000;

/// The gate holds headers and decides nothing, so it is small.
const GATE_LIMIT: usize = 150 * 1000;

/// Below how many bytes the module in this file must stay; the gate is known by its name.
pub fn size_limit(file: &Path) -> usize {
    match file
        .file_stem()
        .is_some_and(|name| name == "mcp_boundary_gate")
    {
        true => GATE_LIMIT,
        false => FILTER_LIMIT,
    }
}

/// One import: the namespace and the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// For example `env`.
    pub module: String,
    /// For example `proxy_log`.
    pub name: String,
    /// Whether a function is imported; memories, tables and globals are the others.
    pub is_function: bool,
}

impl Import {
    /// Whether a proxy-wasm host offers it: the ABI's functions, and WASI's for what the standard library wants.
    pub fn is_offered_by_envoy(&self) -> bool {
        self.is_function
            && match self.module.as_str() {
                "env" => self.name.starts_with("proxy_"),
                "wasi_snapshot_preview1" => true,
                _ => false,
            }
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.name)
    }
}

/// The imports of a module, in its order.
///
/// # Errors
/// When `bytes` are no WebAssembly module of version 1; the error says where reading stopped.
pub fn imports(bytes: &[u8]) -> Result<Vec<Import>, &'static str> {
    let mut rest = bytes
        .strip_prefix(b"\0asm\x01\0\0\0")
        .ok_or("not a WebAssembly module of version 1")?;
    while !rest.is_empty() {
        let id = byte(&mut rest)?;
        let length = number(&mut rest)?;
        let section = take(&mut rest, length)?;
        if id == IMPORT_SECTION {
            return import_section(section);
        }
    }
    Ok(Vec::new())
}

const IMPORT_SECTION: u8 = 2;

fn import_section(mut rest: &[u8]) -> Result<Vec<Import>, &'static str> {
    let count = number(&mut rest)?;
    let mut imports = Vec::new();
    for _ in 0..count {
        let module = name(&mut rest)?;
        let name = name(&mut rest)?;
        let kind = byte(&mut rest)?;
        match kind {
            // A function: its type's index.
            0 => drop(number(&mut rest)?),
            // A table: element type, limits.
            1 => {
                byte(&mut rest)?;
                limits(&mut rest)?;
            }
            // A memory: limits.
            2 => limits(&mut rest)?,
            // A global: value type, mutability.
            3 => drop(take(&mut rest, 2)?),
            _ => return Err("an import of an unknown kind"),
        }
        imports.push(Import {
            module,
            name,
            is_function: kind == 0,
        });
    }
    Ok(imports)
}

fn limits(rest: &mut &[u8]) -> Result<(), &'static str> {
    let has_maximum = byte(rest)? & 1 == 1;
    number(rest)?;
    if has_maximum {
        number(rest)?;
    }
    Ok(())
}

fn name(rest: &mut &[u8]) -> Result<String, &'static str> {
    let length = number(rest)?;
    let bytes = take(rest, length)?;
    String::from_utf8(bytes.to_vec()).map_err(|_| "an import's name is not UTF-8")
}

fn byte(rest: &mut &[u8]) -> Result<u8, &'static str> {
    let (first, after) = rest.split_first().ok_or("the module ends too early")?;
    *rest = after;
    Ok(*first)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], &'static str> {
    let (taken, after) = rest
        .split_at_checked(length)
        .ok_or("the module ends too early")?;
    *rest = after;
    Ok(taken)
}

/// An unsigned LEB128 number of at most 32 bits.
fn number(rest: &mut &[u8]) -> Result<usize, &'static str> {
    let mut value = 0_u64;
    for shift in (0..35).step_by(7) {
        let next = byte(rest)?;
        value |= u64::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return u32::try_from(value)
                .map(|value| value as usize)
                .map_err(|_| "a number above 32 bits");
        }
    }
    Err("a number above 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with an empty custom section, then these imports.
    fn module(imports: &[(&str, &str, &[u8])]) -> Vec<u8> {
        let mut section = vec![u8::try_from(imports.len()).unwrap()];
        for (module, name, description) in imports {
            for text in [module, name] {
                section.push(u8::try_from(text.len()).unwrap());
                section.extend(text.as_bytes());
            }
            section.extend(*description);
        }
        let mut bytes = b"\0asm\x01\0\0\0\x00\x01\x00\x02".to_vec();
        // Two bytes of LEB128 whatever the length, as linkers write it.
        bytes.push(u8::try_from(section.len() & 0x7f).unwrap() | 0x80);
        bytes.push(u8::try_from(section.len() >> 7).unwrap());
        bytes.extend(section);
        bytes
    }

    #[test]
    fn lists_every_import() {
        let bytes = module(&[
            ("env", "memory", &[2, 1, 1, 2]),
            ("env", "table", &[1, 0x70, 0, 1]),
            ("env", "proxy_log", &[0, 3]),
            ("env", "global", &[3, 0x7f, 0]),
            ("wasi_snapshot_preview1", "fd_write", &[0, 4]),
        ]);
        let found = imports(&bytes).unwrap();
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            [
                "env.memory",
                "env.table",
                "env.proxy_log",
                "env.global",
                "wasi_snapshot_preview1.fd_write"
            ]
        );
        let offered: Vec<bool> = found.iter().map(Import::is_offered_by_envoy).collect();
        assert_eq!(offered, [false, false, true, false, true]);
    }

    #[test]
    fn a_host_offers_nothing_else() {
        for (module, name) in [
            ("env", "abort"),
            ("__wbindgen_placeholder__", "proxy_log"),
            ("wasi_unstable", "fd_write"),
        ] {
            let import = Import {
                module: module.into(),
                name: name.into(),
                is_function: true,
            };
            assert!(!import.is_offered_by_envoy(), "{import}");
        }
    }

    #[test]
    fn refuses_what_is_no_module() {
        assert_eq!(imports(b"\0asm\x01\0\0\0"), Ok(Vec::new()));
        assert!(imports(b"ELF").is_err());
        let whole = module(&[("env", "proxy_log", &[0, 3])]);
        for cut in 9..whole.len() {
            assert!(imports(&whole[..cut]).is_err() || cut == 11, "cut at {cut}");
        }
    }
}
