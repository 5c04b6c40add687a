//! Checks and compiles a module.

use std::io;
use std::sync::Arc;

use wasmtime::{Config, Engine, ExternType, InstancePre, Linker, Module};

use crate::compile_cost::{Weighed, compile_cost};
use crate::data_segments::join_data;
use crate::host::Host;
use crate::memory::{MemoryBudget, MemoryLimits};
use crate::refusal::ProgramRefusal;
use crate::ticker::Ticker;
use crate::wasi;

/// What a program may be and use. The same limits on every machine: a program can find out where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramLimits {
    /// The size of the module, in bytes.
    pub module_bytes: usize,
    /// The linear memory of a process, in bytes.
    pub memory_bytes: usize,
    /// The elements of all its tables.
    pub table_elements: usize,
    /// The memory of all programs of a sandbox together, in bytes. A program that would need more is ended, see
    /// [`Ending::NoRoom`](crate::Ending::NoRoom).
    pub all_memory_bytes: usize,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        Self {
            module_bytes: 16 << 20,
            memory_bytes: 256 << 20,
            table_elements: 100_000,
            all_memory_bytes: usize::MAX,
        }
    }
}

/// The stack of the functions of a program, in bytes.
const STACK: usize = 1 << 20;

/// What the calls of the system may use of the same stack besides, in bytes.
const HOST_STACK: usize = 256 << 10;

/// Compiles programs, and is where they run.
pub struct Sandbox {
    engine: Engine,
    linker: Linker<Host>,
    ticker: Ticker,
    limits: ProgramLimits,
    memory: MemoryBudget,
}

impl Sandbox {
    /// A sandbox in which programs have these limits.
    ///
    /// # Errors
    /// When the machine has no such processor, or no thread.
    pub fn new(limits: ProgramLimits) -> io::Result<Self> {
        let engine = Engine::new(&config()).map_err(io::Error::other)?;
        let mut linker = Linker::new(&engine);
        wasi::link(&mut linker).map_err(io::Error::other)?;
        let ticker = Ticker::start(&engine)?;
        Ok(Self { engine, linker, ticker, limits, memory: MemoryBudget::new(limits.all_memory_bytes) })
    }

    /// The memory that all programs have now, in bytes.
    pub fn memory_taken(&self) -> usize {
        self.memory.taken()
    }

    /// Checks a module as far as that is possible without compiling it, which takes milliseconds.
    ///
    /// Returns an estimate of what it costs to compile, in instructions of the simplest kind.
    ///
    /// # Errors
    /// The reason why it cannot be a program.
    pub fn estimate(&self, bytes: &[u8]) -> Result<u64, ProgramRefusal> {
        self.weigh(bytes).map(|weighed| weighed.cost)
    }

    fn weigh(&self, bytes: &[u8]) -> Result<Weighed, ProgramRefusal> {
        let limit = self.limits.module_bytes;
        if bytes.len() > limit {
            return Err(ProgramRefusal::TooLong { bytes: bytes.len(), limit });
        }
        match bytes.split_first_chunk::<8>() {
            Some(([0, b'a', b's', b'm', 1, 0, 0, 0], _)) => compile_cost(bytes),
            Some(([0, b'a', b's', b'm', _, 0, 1, 0], _)) => Err(ProgramRefusal::Component),
            _ => Err(ProgramRefusal::OtherFile),
        }
    }

    /// Checks and compiles a module.
    ///
    /// # Errors
    /// The reason why it cannot be a program.
    pub fn compile(&self, bytes: &[u8]) -> Result<Program, ProgramRefusal> {
        let weighed = self.weigh(bytes)?;
        let bytes = join_data(bytes, weighed.names_data)?;
        // The whole chain: its last part says what is wrong where.
        let invalid = |e: wasmtime::Error| ProgramRefusal::Invalid(format!("{e:#}").replace('\n', " "));
        let module = Module::from_binary(&self.engine, &bytes).map_err(invalid)?;
        self.check(&module)?;
        let linked = self.linker.instantiate_pre(&module).map_err(invalid)?;
        let memory = self.memory.clone();
        Ok(Program(Arc::new(Compiled { linked, ticker: self.ticker.clone(), limits: self.limits, memory })))
    }

    /// Checks what a module imports and exports, and with how much it begins.
    fn check(&self, module: &Module) -> Result<(), ProgramRefusal> {
        for import in module.imports() {
            let known = import.module() == wasi::MODULE && wasi::FUNCTIONS.contains(&import.name());
            if !known {
                let (module, name) = (import.module().to_owned(), import.name().to_owned());
                return Err(ProgramRefusal::Import { module, name });
            }
        }
        match module.get_export("_start") {
            Some(ExternType::Func(start)) if start.params().len() + start.results().len() == 0 => {}
            _ => return Err(ProgramRefusal::Export("_start")),
        }
        if !matches!(module.get_export("memory"), Some(ExternType::Memory(_))) {
            return Err(ProgramRefusal::Export("memory"));
        }
        let needs = module.resources_required();
        let bytes = needs.max_initial_memory_size.unwrap_or(0).saturating_mul(64 << 10);
        let elements = needs.max_initial_table_size.unwrap_or(0).saturating_mul(needs.num_tables.into());
        if bytes > self.limits.memory_bytes as u64 {
            return Err(ProgramRefusal::Memory { bytes, limit: self.limits.memory_bytes });
        }
        if elements > self.limits.table_elements as u64 {
            return Err(ProgramRefusal::Tables { elements, limit: self.limits.table_elements });
        }
        Ok(())
    }
}

/// A compiled module. Clones share it.
#[derive(Clone)]
pub struct Program(Arc<Compiled>);

pub(crate) struct Compiled {
    pub(crate) linked: InstancePre<Host>,
    pub(crate) ticker: Ticker,
    limits: ProgramLimits,
    memory: MemoryBudget,
}

impl Compiled {
    /// The limits of a program that begins.
    pub(crate) fn memory_limits(&self) -> MemoryLimits {
        MemoryLimits::new(&self.limits, self.memory.clone())
    }
}

impl Program {
    pub(crate) fn compiled(&self) -> &Compiled {
        &self.0
    }
}

/// What every program needs to be the same everywhere: one form of NaN, no threads, and nothing whose result depends on the processor.
fn config() -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_tail_call(true)
        .wasm_wide_arithmetic(false)
        .wasm_custom_page_sizes(false)
        // A runner may not make the files that this would need.
        .memory_init_cow(false)
        .max_wasm_stack(STACK)
        .async_stack_size(STACK + HOST_STACK);
    config
}
