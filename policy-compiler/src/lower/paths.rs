//! `path` and `path_prefix`.

use mcp_boundary_format::{
    MAX_PATTERN_BYTES, PathFault, PathPattern, exact_path_fault, is_plain_path, path_fault,
};

use super::parsed;
use crate::report::{Finding, Report};
use crate::schema::{self, Text};
use crate::show::Shown;
use crate::source::Route;

/// Which escapes an exact path may hold; a prefix never holds one that it
/// could do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Any: the path is compared byte for byte.
    Any,
    /// Those of characters that paths cannot hold.
    Needed,
}

pub(super) fn lower(
    path: &schema::Path,
    escapes: Escapes,
    report: &mut Report<'_>,
) -> Option<(PathPattern, Route)> {
    let (schema::Path::Exact(text) | schema::Path::Prefix(text)) = path;
    let prefix = matches!(path, schema::Path::Prefix(_));
    let value = &text.value;
    if value.contains(['?', '#']) {
        return refuse(
            text,
            report,
            "has a query or a fragment",
            "leave it out: paths are compared without the query",
        );
    }
    if prefix && value.len() > 1 && value.ends_with('/') {
        return refuse(
            text,
            report,
            "is a prefix that ends in `/`",
            "drop the final `/`: a prefix covers itself and everything below it",
        );
    }
    let any = !prefix && escapes == Escapes::Any;
    let fault = match any {
        true => exact_path_fault(value.as_bytes()),
        false => path_fault(value.as_bytes()),
    };
    if let Some(fault) = fault {
        let why = match fault {
            PathFault::NotAbsolute => "does not begin with `/`".to_owned(),
            _ => format!("has {}, so no request would match it", fault.as_str()),
        };
        return refuse(text, report, &why, help(fault));
    }
    if !any && !is_plain_path(value.as_bytes()) {
        return refuse(
            text,
            report,
            "has an escape that it could do without, so no request would match it",
            "write `! $ & ' ( ) * + , : = @` as they are; only the exact `path` of an endpoint may hold such escapes",
        );
    }
    if value.len() > MAX_PATTERN_BYTES {
        return refuse(
            text,
            report,
            "is too long",
            "write at most 1024 bytes; a `path_prefix` covers what is below",
        );
    }
    if value.contains('*') {
        report.push(
            Finding::warning(format!("`*` in path {} is not a pattern", Shown(value)))
                .at(&text.at, "matches only a path with this very `*`")
                .help("use `path_prefix` for everything below a path"),
        );
    }
    let pattern = match prefix {
        true => PathPattern::Prefix(parsed(text, report)?),
        false => PathPattern::Exact(parsed(text, report)?),
    };
    Some((pattern, text.at.clone()))
}

/// What to write instead.
const fn help(fault: PathFault) -> &'static str {
    match fault {
        PathFault::NotAbsolute => "write it from the root, such as `/mcp`",
        PathFault::EmptySegment | PathFault::DotSegment => {
            "write the path without `//`, `.` and `..`, as clients send it"
        }
        PathFault::Parameter => {
            "leave the `;` and what follows out: servers disagree on whether it is part of the path"
        }
        PathFault::Character => {
            "escape it as clients do, in UTF-8 and upper-case digits: a blank is `%20`, `é` is `%C3%A9`"
        }
        PathFault::BrokenEscape => "write `%` and two hexadecimal digits",
        PathFault::NeedlessEscape => "write the character itself",
        PathFault::ForbiddenEscape => {
            "servers disagree on where such a path ends; only the exact `path` of an endpoint may hold such escapes"
        }
        PathFault::LowerCaseEscape => "write the digits of escapes in upper case: `%C3%A9`",
        PathFault::NotUtf8 => "escape the bytes of UTF-8: `é` is `%C3%A9`",
    }
}

fn refuse<T>(text: &Text, report: &mut Report<'_>, why: &str, help: &str) -> Option<T> {
    report.push(
        Finding::error(format!("path {} {why}", Shown(&text.value)))
            .at(&text.at, "")
            .help(help),
    );
    None
}
