//! Calls that every program may import and that do nothing. Those that a library makes in passing fail with a number; those that only a
//! program with a wrong idea of this place makes end it, with a sentence for its author.

use wasmtime::{FuncType, Linker, Val, ValType};

use super::{Errno, MODULE};
use crate::host::{Host, Stop};

/// Calls that fail: the name, and the types of the parameters (`i`: 32 bits, `I`: 64 bits).
const FAILING: [(&str, &str); 14] = [
    ("fd_advise", "iIIi"),
    ("fd_allocate", "iII"),
    ("fd_fdstat_set_rights", "iII"),
    ("fd_filestat_set_times", "iIIi"),
    ("fd_pread", "iiiIi"),
    ("fd_pwrite", "iiiIi"),
    ("fd_renumber", "ii"),
    ("path_create_directory", "iii"),
    ("path_filestat_set_times", "iiiiIIi"),
    ("path_link", "iiiiiii"),
    ("path_readlink", "iiiiii"),
    ("path_remove_directory", "iii"),
    ("path_symlink", "iiiii"),
    ("proc_raise", "i"),
];

/// Calls that end the program.
const FORBIDDEN: [(&str, &str); 4] =
    [("sock_accept", "iii"), ("sock_recv", "iiiiii"), ("sock_send", "iiiii"), ("sock_shutdown", "ii")];

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    for (name, parameters) in FAILING {
        let kind = of_type(linker, parameters);
        linker.func_new(MODULE, name, kind, |_, _, results| {
            results.fill(Val::I32(Errno::NOTSUP.0));
            Ok(())
        })?;
    }
    for (name, parameters) in FORBIDDEN {
        let kind = of_type(linker, parameters);
        linker.func_new(MODULE, name, kind, move |_, _, _| {
            Err(Stop::Forbidden(format!("it called {name}: a program has no network")).into())
        })?;
    }
    Ok(())
}

fn of_type(linker: &Linker<Host>, parameters: &str) -> FuncType {
    let parameters = parameters.chars().map(|kind| if kind == 'I' { ValType::I64 } else { ValType::I32 });
    FuncType::new(linker.engine(), parameters, [ValType::I32])
}
