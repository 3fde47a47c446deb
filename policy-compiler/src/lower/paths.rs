//! `path` and `path_prefix`.

use mcp_boundary_format::{MAX_PATTERN_BYTES, PathPattern, is_normal_path};

use crate::report::{Finding, Report};
use crate::schema::{self, Text};
use crate::show::Shown;
use crate::source::Route;

pub(super) fn lower(path: &schema::Path, report: &mut Report<'_>) -> Option<(PathPattern, Route)> {
    let (schema::Path::Exact(text) | schema::Path::Prefix(text)) = path;
    let prefix = matches!(path, schema::Path::Prefix(_));
    let value = &text.value;
    if !value.starts_with('/') {
        return refuse(
            text,
            report,
            "does not begin with `/`",
            "write it from the root, such as `/mcp`",
        );
    }
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
    if !is_normal_path(value.as_bytes()) || value.len() > MAX_PATTERN_BYTES {
        return refuse(
            text,
            report,
            "is not in normal form, so no request would match it",
            "use visible ASCII without empty, `.` or `..` segments; percent-encode only what needs it, never `/`",
        );
    }
    if value.contains('*') {
        report.push(
            Finding::warning(format!("`*` in path {} is not a pattern", Shown(value)))
                .at(&text.at, "matches only a path with this very `*`")
                .help("use `path_prefix` for everything below a path"),
        );
    }
    let pattern = if prefix {
        PathPattern::Prefix(value.clone())
    } else {
        PathPattern::Exact(value.clone())
    };
    Some((pattern, text.at.clone()))
}

fn refuse<T>(text: &Text, report: &mut Report<'_>, why: &str, help: &str) -> Option<T> {
    report.push(
        Finding::error(format!("path {} {why}", Shown(&text.value)))
            .at(&text.at, "")
            .help(help),
    );
    None
}
