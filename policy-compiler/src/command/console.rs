//! Standard error, in the format that was asked for.

use std::io::{IsTerminal as _, Write as _};

use crate::cli::Exit;
use crate::diagnostic::{Diagnostic, Format, render};

#[derive(Debug)]
pub(crate) struct Console {
    format: Format,
    colour: bool,
}

impl Console {
    pub(crate) fn new(format: Format) -> Self {
        let colour = std::io::stderr().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
        Self { format, colour }
    }

    /// Tells findings about a file.
    pub(crate) fn tell(&self, diagnostics: &[Diagnostic], file: &str, text: &str) {
        let text = render(diagnostics, self.format, file, text, self.colour);
        // If nobody can be told, the exit code still says it.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Tells why it cannot be done.
    pub(crate) fn fail(
        &self,
        exit: Exit,
        file: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Exit {
        self.tell(&[Diagnostic::error(message, help)], file, "");
        exit
    }
}
