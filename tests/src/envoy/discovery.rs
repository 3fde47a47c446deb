//! Listeners that change while Envoy runs.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{Bootstrap, Envoy, Listener};
use crate::error::{Context, Result};

/// A folder that Envoy watches for its listeners, as it would watch a control
/// plane.
#[derive(Debug)]
pub struct Discovery {
    folder: TempDir,
    bootstrap: Bootstrap,
}

impl Discovery {
    /// Starts an Envoy that has its listeners from here.
    ///
    /// # Errors
    /// If it does not start. Listeners that it refuses are no reason.
    pub fn start(binary: &Path, bootstrap: &Bootstrap) -> Result<(Self, Envoy)> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let bootstrap = bootstrap.clone();
        let discovery = Self { folder, bootstrap };
        let rest = discovery.write(&discovery.bootstrap)?;
        let envoy = Envoy::start_with(binary, &rest, discovery.bootstrap.flags)?;
        Ok((discovery, envoy))
    }

    /// Puts `listeners` in the place of all before; whether Envoy takes them is
    /// another matter.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn publish(&self, listeners: Vec<Listener>) -> Result<()> {
        self.write(&Bootstrap {
            listeners,
            ..self.bootstrap.clone()
        })?;
        Ok(())
    }

    /// Writes the listeners and gives back the rest.
    fn write(&self, bootstrap: &Bootstrap) -> Result<String> {
        let file = self.folder.path().join("listeners.yaml");
        let next = self.folder.path().join("next.yaml");
        let (rest, listeners) = bootstrap.render_split(&file)?;
        // Envoy looks when a file is moved here, and must not see half a one.
        fs::write(&next, listeners).context("cannot write listeners")?;
        fs::rename(&next, &file).context("cannot move listeners")?;
        Ok(rest)
    }
}
