//! Why a module cannot be a program. Uses nothing of the compiler, so that the check before it can be fuzzed alone.

/// The reason why a module cannot be a program; a sentence for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramRefusal {
    /// Longer than the limit.
    #[error("the module has {bytes} bytes; a program may have {limit}")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The most that a program may have.
        limit: usize,
    },
    /// It does not begin as a WebAssembly file does.
    #[error("this is no WebAssembly file")]
    OtherFile,
    /// It is a component, the form of WASI preview 2.
    #[error(
        "this is a WebAssembly component; a program is a module for WASI preview 1 (the target is called wasm32-wasi or wasm32-wasip1)"
    )]
    Component,
    /// It is damaged, or needs an extension of WebAssembly that programs may not use.
    #[error("this WebAssembly module cannot run here: {0}")]
    Invalid(String),
    /// It has more of something than any compiler writes.
    #[error("the module has {count} {what}; a program may have {limit}")]
    TooMany {
        /// What there are too many of, in the plural.
        what: &'static str,
        /// How many.
        count: u64,
        /// The most that a program may have.
        limit: u64,
    },
    /// It would take too long to compile.
    #[error("the module takes too long to compile: it is estimated at more than {limit} instructions")]
    CostlyModule {
        /// The limit, in instructions of the simplest kind.
        limit: u64,
    },
    /// One of its functions would take too long to compile.
    #[error(
        "function {number} of the module takes too long to compile: it is estimated at more than {limit} instructions; divide it"
    )]
    CostlyFunction {
        /// Its number, imported functions counted.
        number: u32,
        /// The limit, in instructions of the simplest kind.
        limit: u64,
    },
    /// It imports something that is not offered.
    #[error(
        "the module imports '{name}' from '{module}'; a program may import only functions of wasi_snapshot_preview1"
    )]
    Import {
        /// The module from which it imports.
        module: String,
        /// What it imports from there.
        name: String,
    },
    /// It lacks an export that every command of WASI has.
    #[error("the module does not export '{0}'; build it as a command for WASI preview 1, not as a library")]
    Export(&'static str),
    /// It begins with more memory than it may have.
    #[error("the module begins with {bytes} bytes of memory; a program may have {limit}")]
    Memory {
        /// What it begins with.
        bytes: u64,
        /// The most that a program may have.
        limit: usize,
    },
    /// Its tables begin with more elements than it may have.
    #[error("the tables of the module begin with {elements} elements; a program may have {limit}")]
    Tables {
        /// What it begins with.
        elements: u64,
        /// The most that a program may have.
        limit: usize,
    },
}
