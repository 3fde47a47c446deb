//! The filter's module in a small proxy-wasm host of its own, whose every call
//! can be made to fail.
//!
//! Envoy's host functions fail for reasons that no request can provoke at will:
//! a header map that is gone, a property that cannot be serialised. Here each
//! of them can, and what the module then does is seen.

mod calls;

use std::collections::BTreeMap;
use std::path::Path;

use wasmi::{Engine, Instance, Linker, Module, Store, Val};

use crate::error::{Context, Error, Result};

/// The root context and the request's.
const ROOT: i32 = 1;
const REQUEST: i32 = 2;

/// What the host holds for one request.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// The plugin configuration.
    pub configuration: Vec<u8>,
    /// Header lines, pseudo-headers first.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body so far.
    pub body: Vec<u8>,
    /// Properties by their path, its parts joined by NUL.
    pub properties: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Host calls since the last [`Vm::request`], in order, by name.
    pub calls: Vec<String>,
    /// Which of them fails, and with which status.
    pub fails: Option<(usize, i32)>,
    /// Status and body of a local answer.
    pub answer: Option<(u32, Vec<u8>)>,
    /// Lines of the log.
    pub log: Vec<String>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The module let it go on.
    Goes,
    /// The module holds it, answered or not.
    Held,
    /// The module trapped: a proxy answers 503 and starts a new VM.
    Trapped,
}

/// A module with its plugin configured.
#[derive(Debug)]
pub struct Vm {
    store: Store<Host>,
    instance: Instance,
}

/// A module, read once.
#[derive(Debug)]
pub struct Code {
    engine: Engine,
    module: Module,
}

impl Code {
    /// Reads the module at `path`.
    ///
    /// # Errors
    /// If it cannot be read or is no module.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).context("cannot read the module")?;
        let engine = Engine::default();
        let module = Module::new(&engine, bytes).context("not a module")?;
        Ok(Self { engine, module })
    }

    /// A VM with the plugin's configuration; `None` if the module refuses it.
    ///
    /// # Errors
    /// If the module does not run at all.
    pub fn start(&self, configuration: &[u8]) -> Result<Option<Vm>> {
        let host = Host {
            configuration: configuration.to_vec(),
            ..Host::default()
        };
        let mut store = Store::new(&self.engine, host);
        let mut linker = Linker::new(&self.engine);
        for import in self.module.imports() {
            let (space, name) = (import.module(), import.name());
            let Some(kind) = import.ty().func() else {
                return Err(Error::new(format!("`{space}.{name}` is no function")));
            };
            let called = name.to_owned();
            linker
                .func_new(space, name, kind.clone(), move |caller, given, back| {
                    calls::dispatch(&called, caller, given, back)
                })
                .context("an import that cannot be linked")?;
        }
        let instance = linker
            .instantiate_and_start(&mut store, &self.module)
            .context("the module cannot be instantiated")?;
        let mut vm = Vm { store, instance };
        vm.call("_initialize", &[])?;
        vm.call("proxy_on_context_create", &[ROOT, 0])?;
        vm.call("proxy_on_vm_start", &[ROOT, 0])?;
        let size = i32::try_from(configuration.len()).context("a configuration too long")?;
        let accepted = vm.call("proxy_on_configure", &[ROOT, size])? == Some(1);
        Ok(accepted.then_some(vm))
    }
}

impl Vm {
    /// What the host holds.
    pub fn host(&self) -> &Host {
        self.store.data()
    }

    /// Sends one request through, its body in one piece, and says what became
    /// of it. The VM is not to be used after a trap.
    pub fn request(
        &mut self,
        headers: &[(&str, &str)],
        body: &[u8],
        properties: &BTreeMap<Vec<u8>, Vec<u8>>,
        fails: Option<(usize, i32)>,
    ) -> Fate {
        let owned =
            |(name, value): &(&str, &str)| (name.as_bytes().into(), value.as_bytes().into());
        let host = self.store.data_mut();
        host.headers = headers.iter().map(owned).collect();
        host.body = body.to_vec();
        host.properties.clone_from(properties);
        host.calls.clear();
        host.log.clear();
        host.fails = fails;
        host.answer = None;
        self.pass(headers.len(), body.len())
            .unwrap_or(Fate::Trapped)
    }

    fn pass(&mut self, lines: usize, size: usize) -> Result<Fate> {
        let number = |count: usize| i32::try_from(count).context("too many");
        self.call("proxy_on_context_create", &[REQUEST, ROOT])?;
        let ends = i32::from(size == 0);
        let head = [REQUEST, number(lines)?, ends];
        let mut fate = self.call("proxy_on_request_headers", &head)?;
        if size > 0 && self.host().answer.is_none() {
            fate = self.call("proxy_on_request_body", &[REQUEST, number(size)?, 1])?;
        }
        let goes = fate == Some(0) && self.host().answer.is_none();
        self.call("proxy_on_done", &[REQUEST])?;
        self.call("proxy_on_delete", &[REQUEST])?;
        Ok(if goes { Fate::Goes } else { Fate::Held })
    }

    /// Calls an export; nothing if there is none of this name.
    fn call(&mut self, name: &str, arguments: &[i32]) -> Result<Option<i32>> {
        let Some(function) = self.instance.get_func(&self.store, name) else {
            return Ok(None);
        };
        let arguments: Vec<Val> = arguments.iter().copied().map(Val::I32).collect();
        let mut results = vec![Val::I32(0); function.ty(&self.store).results().len()];
        function
            .call(&mut self.store, &arguments, &mut results)
            .context(format!("`{name}` trapped"))?;
        Ok(results.first().and_then(Val::i32))
    }
}
