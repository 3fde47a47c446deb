//! `limits`, each from 1 to what the format allows.

use mcp_boundary_format::Limits;

use crate::report::{Finding, Report};
use crate::schema::{self, Located, Size};
use crate::show::Shown;

/// The limits; a wrong one is reported and stays at its default.
pub(super) fn lower(limits: &schema::Limits, report: &mut Report<'_>) -> Limits {
    let (default, max) = (Limits::DEFAULT, Limits::MAX);
    Limits {
        body_bytes: limits
            .body_bytes
            .as_ref()
            .and_then(|size| bytes(size, report))
            .and_then(|bytes| within(&bytes, "body_bytes", max.body_bytes, report))
            .unwrap_or(default.body_bytes),
        depth: limits
            .depth
            .as_ref()
            .and_then(|depth| within(depth, "depth", max.depth, report))
            .unwrap_or(default.depth),
        batch_members: limits
            .batch_members
            .as_ref()
            .and_then(|members| within(members, "batch_members", max.batch_members, report))
            .unwrap_or(default.batch_members),
    }
}

fn bytes(size: &Located<Size>, report: &mut Report<'_>) -> Option<Located<u64>> {
    let value = match &size.value {
        Size::Bytes(bytes) => Some(*bytes),
        Size::Text(text) => [("KiB", 1_u64 << 10), ("MiB", 1 << 20)]
            .into_iter()
            .find_map(|(unit, factor)| {
                let number = text.strip_suffix(unit)?.trim_end_matches(' ');
                let digits = number.bytes().all(|byte| byte.is_ascii_digit());
                let number: u64 = digits.then(|| number.parse().ok())??;
                Some(number.saturating_mul(factor))
            }),
    };
    match (value, &size.value) {
        (Some(value), _) => Some(Located {
            value,
            at: size.at.clone(),
        }),
        (None, Size::Text(text)) => {
            report.push(
                Finding::error(format!("{} is not a size", Shown(text)))
                    .at(&size.at, "")
                    .help("write a number of bytes, or a whole number with `KiB` or `MiB`"),
            );
            None
        }
        (None, Size::Bytes(_)) => None,
    }
}

fn within<T: TryFrom<u64> + Into<u64> + Copy>(
    number: &Located<u64>,
    key: &str,
    max: T,
    report: &mut Report<'_>,
) -> Option<T> {
    let most = max.into();
    if (1..=most).contains(&number.value) {
        return T::try_from(number.value).ok();
    }
    report.push(
        Finding::error(format!(
            "`{key}` is {}: it must be 1 to {most}",
            number.value
        ))
        .at(&number.at, "")
        .help(match key {
            "body_bytes" => format!("the most is `{}MiB`", most >> 20),
            _ => format!("the most is `{most}`"),
        }),
    );
    None
}
