//! Entries that are written in another pattern language. The filter knows `*`
//! alone (and `**` in URIs), so such an entry matches nothing that exists: a
//! deny of it holds nobody, and nothing else would tell.

mod rewrite;
mod signs;

use crate::show::{Shown, one_of};

pub(super) use signs::{Strictness, is_drive};

/// What an entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Regex,
    Shell,
    Template,
    Sql,
    Negation,
    List,
}

impl Language {
    fn name(self) -> &'static str {
        match self {
            Self::Regex => "a regular expression",
            Self::Shell => "a shell pattern",
            Self::Template => "a template",
            Self::Sql => "an SQL pattern",
            Self::Negation => "a negation",
            Self::List => "a list",
        }
    }
}

/// An entry in another language.
#[derive(Debug)]
pub(super) struct Foreign {
    /// Goes on after the entry: "looks like …".
    pub(super) looks: String,
    /// What in it is ordinary text, and what a pattern is.
    pub(super) remark: String,
    /// How to write it.
    pub(super) help: String,
}

/// What `name`, of a tool, a prompt, a method or an extension, looks like, if
/// not like a name or a pattern.
pub(super) fn name(name: &str, strictness: Strictness) -> Option<Foreign> {
    let (language, sign) = signs::of_name(name, strictness)?;
    let written = rewrite::name(name, strictness).unwrap_or_default();
    let mut help = help(language, &written);
    // The dot may be one that the names have.
    if sign == "." && written.len() == 1 && has_dotted_word(name) {
        let meant = name.replace(".*", ".**");
        if signs::of_name(&meant, strictness).is_none() {
            help.push_str(&format!(
                "; if the names do have a dot there, write {}",
                Shown(&meant)
            ));
        }
    }
    Some(Foreign {
        looks: format!("looks like {}", language.name()),
        remark: format!(
            "{} is an ordinary character: only `*` is a pattern",
            Shown(sign)
        ),
        help,
    })
}

/// The same of a resource's URI.
pub(super) fn uri(uri: &str) -> Option<Foreign> {
    let (language, sign) = signs::of_uri(uri)?;
    let written = rewrite::uri(uri).unwrap_or_default();
    let mut help = help(language, &written);
    if sign == "." {
        help.push_str("; for names that begin with a dot, write `/.**`");
    }
    Some(Foreign {
        looks: format!("looks like {}", language.name()),
        remark: format!("{} is no pattern here: only `*` and `**` are", Shown(sign)),
        help,
    })
}

fn help(language: Language, written: &[String]) -> String {
    let words: Vec<_> = written.iter().map(String::as_str).collect();
    match (language, words.as_slice()) {
        (Language::Negation, _) => {
            "nothing here negates: `allow` only what may, or `deny` what may not".into()
        }
        (_, []) => "list each name, with `*` for what varies".into(),
        (_, [_]) => format!("write {}", one_of(&words, "and")),
        (_, _) => format!("list {}", one_of(&words, "and")),
    }
}

/// Whether `.*` follows a letter or digit, as in `github.*`.
fn has_dotted_word(name: &str) -> bool {
    name.split_once(".*")
        .is_some_and(|(before, _)| before.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests;
