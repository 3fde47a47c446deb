//! The filter's module in a small proxy-wasm host of its own, whose every call
//! can be made to fail.
//!
//! Envoy's host functions fail for reasons that no request can provoke at will:
//! a header map that is gone, a property that cannot be serialised. Here each
//! of them can, and what the module then does is seen.

mod calls;

use std::collections::{BTreeMap, VecDeque};
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
    /// Contexts whose requests were told to go on.
    pub resumed: Vec<i32>,
    /// What a gate behind leaves in filter state, under which key, once it has
    /// the headers.
    pub ticket: Option<(Vec<u8>, Vec<u8>)>,
    /// What outlives a VM.
    pub shared: Shared,
    /// The context that a call is for.
    effective: i32,
    /// Lines of the log.
    pub log: Vec<String>,
}

/// What the VMs of a module share.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// Values by key, each with the number of its last change.
    pub data: BTreeMap<Vec<u8>, (Vec<u8>, i32)>,
    /// Queues in the order of their numbers, which count from one.
    pub queues: Vec<Queue>,
}

/// A queue that a module registered.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    /// Its name.
    pub name: Vec<u8>,
    /// The context that is called when something is put in.
    pub context: i32,
    /// What is in it.
    pub held: VecDeque<Vec<u8>>,
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
        self.start_among(configuration, Shared::default())
    }

    /// As [`Code::start`], with what other VMs left.
    ///
    /// # Errors
    /// As [`Code::start`].
    pub fn start_among(&self, configuration: &[u8], shared: Shared) -> Result<Option<Vm>> {
        let host = Host {
            shared,
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
        let accepted = vm.configure(ROOT, configuration)?;
        Ok(accepted.then_some(vm))
    }
}

impl Vm {
    /// What the host holds.
    pub fn host(&self) -> &Host {
        self.store.data()
    }

    /// The same, to be changed between callbacks.
    pub fn host_mut(&mut self) -> &mut Host {
        self.store.data_mut()
    }

    /// Adds a root context with a configuration of its own; whether the module
    /// accepts it.
    ///
    /// # Errors
    /// If the module traps.
    pub fn configure(&mut self, root: i32, configuration: &[u8]) -> Result<bool> {
        self.host_mut().configuration = configuration.to_vec();
        self.call("proxy_on_context_create", &[root, 0])?;
        self.call("proxy_on_vm_start", &[root, 0])?;
        let size = i32::try_from(configuration.len()).context("a configuration too long")?;
        Ok(self.call("proxy_on_configure", &[root, size])? == Some(1))
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
        if let (Some(0), Some((key, ticket))) = (fate, self.host().ticket.clone()) {
            self.host_mut().properties.insert(key, ticket);
        }
        if size > 0 && self.host().answer.is_none() {
            fate = self.call("proxy_on_request_body", &[REQUEST, number(size)?, 1])?;
        }
        let goes = fate == Some(0) && self.host().answer.is_none();
        self.call("proxy_on_done", &[REQUEST])?;
        self.call("proxy_on_delete", &[REQUEST])?;
        Ok(if goes { Fate::Goes } else { Fate::Held })
    }

    /// Calls an export, whose first argument is a context; nothing if there is
    /// none of this name.
    ///
    /// # Errors
    /// If the module traps.
    pub fn call(&mut self, name: &str, arguments: &[i32]) -> Result<Option<i32>> {
        self.host_mut().effective = arguments.first().copied().unwrap_or_default();
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
