//! How a new policy reaches a running Envoy: what it watches for it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use mcp_policy::envoy::Hold;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::envoy::{Bootstrap, Envoy, Flags};
use crate::error::{Context, Error, Result};
use crate::policy::hold;

/// How long Envoy may take to take an update.
const PATIENCE: Duration = Duration::from_secs(30);
const WASM: &str = "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm";

/// What Envoy discovers a policy by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Whole listeners, and whole clusters: open connections keep the
    /// listener's old policy until they are drained.
    Lds,
    /// The filters' configurations alone, each by itself: the next request of
    /// every connection has the new one.
    Ecds,
}

/// How a new policy gets to admit and recheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// What Envoy discovers it by.
    pub by: By,
    /// Whether the recheck stands in the cluster's chain.
    pub upstream: bool,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::new(By::Lds, false),
        Self::new(By::Lds, true),
        Self::new(By::Ecds, false),
        Self::new(By::Ecds, true),
    ];

    /// This one.
    pub const fn new(by: By, upstream: bool) -> Self {
        Self { by, upstream }
    }

    /// In tables and messages.
    pub const fn name(self) -> &'static str {
        match (self.by, self.upstream) {
            (By::Lds, false) => "LDS",
            (By::Lds, true) => "LDS and CDS",
            (By::Ecds, _) => "ECDS",
        }
    }

    /// The column of the evidence table.
    pub const fn column(self) -> &'static str {
        match self.upstream {
            false => "chain end",
            true => "upstream position",
        }
    }
}

/// A folder that an Envoy watches.
#[derive(Debug)]
pub(super) struct Watched {
    folder: TempDir,
    way: Way,
    /// Updates so far: every other one goes round in the other order.
    round: u32,
}

impl Watched {
    pub(super) fn start(
        binary: &Path,
        way: Way,
        first: &Bootstrap,
        flags: Flags,
    ) -> Result<(Self, Envoy)> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let mut watched = Self {
            folder,
            way,
            round: 0,
        };
        let rest = watched.publish(first)?;
        let envoy = Envoy::start_with(binary, &rest, flags)?;
        Ok((watched, envoy))
    }

    /// Puts another policy in force and waits until Envoy took it.
    pub(super) fn update(&mut self, envoy: &Envoy, next: &Bootstrap) -> Result<()> {
        let before = self.taken(envoy)?;
        self.publish(next)?;
        let deadline = Instant::now() + PATIENCE;
        while self.taken(envoy)? < before + self.files() {
            if Instant::now() > deadline {
                return Err(Error::new(format!(
                    "envoy does not take an update by {}",
                    self.way.name()
                )));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    const fn files(&self) -> u64 {
        match (self.way.by, self.way.upstream) {
            (By::Lds, false) => 1,
            (By::Lds, true) | (By::Ecds, _) => 2,
        }
    }

    /// Updates that Envoy has taken.
    fn taken(&self, envoy: &Envoy) -> Result<u64> {
        let filter = match self.way.by {
            By::Lds => "(lds|cds).update_success",
            By::Ecds => "extension_config_discovery.*config_reload$",
        };
        let stats = envoy.admin(&format!("/stats?filter={filter}"))?;
        let values = stats.lines().filter_map(|line| line.rsplit_once(": "));
        Ok(values
            .filter_map(|(_, value)| value.parse::<u64>().ok())
            .sum())
    }

    /// Writes what is watched; gives back the rest of the configuration.
    fn publish(&mut self, bootstrap: &Bootstrap) -> Result<String> {
        let mut root: Value =
            serde_yaml::from_str(&bootstrap.render()?).context("the bootstrap is not YAML")?;
        root["node"] = json!({ "id": "gateway", "cluster": "gateway" });
        let mut files = match self.way.by {
            By::Lds => self.whole(&mut root)?,
            By::Ecds => self.filters(&mut root)?,
        };
        if self.round % 2 == 1 {
            files.reverse();
        }
        self.round += 1;
        for (name, resources) in files {
            let next = self.folder.path().join("next");
            let text = serde_yaml::to_string(&json!({ "resources": resources }))
                .context("cannot write YAML")?;
            // Envoy looks when a file is moved here, and must not see half a one.
            fs::write(&next, text).context("cannot write an update")?;
            fs::rename(&next, self.folder.path().join(name)).context("cannot move an update")?;
        }
        serde_yaml::to_string(&root).context("cannot write YAML")
    }

    fn source(&self, file: &str) -> Value {
        let path = self.folder.path().join(file);
        json!({ "resource_api_version": "V3", "path_config_source": { "path": path } })
    }

    fn whole(&self, root: &mut Value) -> Result<Vec<(String, Vec<Value>)>> {
        let mut kinds = vec![("listeners", "lds_config", "listener.v3.Listener")];
        if self.way.upstream {
            kinds.push(("clusters", "cds_config", "cluster.v3.Cluster"));
        }
        let mut files = Vec::new();
        for (kind, config, proto) in kinds {
            let place = format!("/static_resources/{kind}");
            let list = root.pointer_mut(&place).map(Value::take);
            let Some(Value::Array(mut resources)) = list else {
                return Err(Error::new(format!("the bootstrap has no {kind}")));
            };
            for resource in &mut resources {
                resource["@type"] = json!(format!("type.googleapis.com/envoy.config.{proto}"));
            }
            root["static_resources"][kind] = json!([]);
            let file = format!("{kind}.yaml");
            root["dynamic_resources"][config] = self.source(&file);
            files.push((file, resources));
        }
        Ok(files)
    }

    fn filters(&self, root: &mut Value) -> Result<Vec<(String, Vec<Value>)>> {
        let mut files = Vec::new();
        let mut filters = Vec::new();
        wasm_filters(&mut root["static_resources"], &mut filters);
        for filter in filters {
            let name = filter["name"].as_str().unwrap_or_default().to_owned();
            // Control planes have slashes in names.
            let file = format!("{}.yaml", name.replace('/', "-"));
            files.push((
                file.clone(),
                vec![json!({
                    "@type": "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig",
                    "name": name,
                    "typed_config": filter["typed_config"].take(),
                })],
            ));
            *filter = json!({
                "name": name,
                "config_discovery": {
                    "config_source": self.source(&file),
                    "type_urls": [WASM],
                },
            });
        }
        // Whose configuration stays the same, Envoy does not count.
        let gates = usize::from(hold() == Hold::Gate);
        match files.len().checked_sub(gates) {
            Some(2) => Ok(files),
            _ => Err(Error::new(format!(
                "{} wasm filters instead of two and {gates} gates",
                files.len()
            ))),
        }
    }
}

/// The entries that load a wasm filter, wherever they are.
fn wasm_filters<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    if value.pointer("/typed_config/@type").and_then(Value::as_str) == Some(WASM) {
        found.push(value);
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| wasm_filters(item, found)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| wasm_filters(member, found)),
        _ => {}
    }
}
