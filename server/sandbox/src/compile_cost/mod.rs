//! Checks a module and estimates what it costs to compile, before anything is compiled. A module that a compiler wrote is far below the
//! limits; without them 25 KiB could take all of a machine's memory.

mod function;

use wasmparser::{
    FuncValidatorAllocations, Parser, Payload, SectionLimited, TypeRef, ValidPayload, Validator, WasmFeatures,
};

use crate::refusal::ProgramRefusal;
use function::FunctionCost;

/// The most that a module may cost, in instructions of the simplest kind. A core compiles about half a million of them in a second.
const MOST: u64 = 5_000_000;

/// The cost of a function besides its instructions.
const FUNCTION: u64 = 60;

/// The most of each kind of part that a module may have.
const MOST_TYPES: u32 = 20_000;
const MOST_IMPORTS: u32 = 1_000;
const MOST_EXPORTS: u32 = 20_000;
const MOST_GLOBALS: u32 = 20_000;

/// The most parameters and results of a function.
const MOST_VALUES: usize = 200;

/// What is known of a module that may be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weighed {
    /// What it costs to compile, in instructions of the simplest kind.
    pub(crate) cost: u64,
    /// Whether instructions name its pieces of data by their number.
    pub(crate) names_data: bool,
}

/// Checks a module, and estimates what it costs to compile.
///
/// # Errors
/// When the module is damaged, or has more of something than a module may have.
pub(crate) fn compile_cost(bytes: &[u8]) -> Result<Weighed, ProgramRefusal> {
    let mut module = ModuleCost::default();
    // What else a program may not use, wasmtime says.
    let mut validator = Validator::new_with_features(WasmFeatures::default());
    let mut memory = FuncValidatorAllocations::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(invalid)?;
        module.read(&payload)?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload).map_err(invalid)? {
            let number = function.index;
            let mut checked = function.into_validator(memory);
            let Weighed { cost, names_data } = FunctionCost::of(&body, &module, number, &mut checked)?;
            module.spend(cost)?;
            module.names_data |= names_data;
            memory = checked.into_allocations();
        }
    }
    Ok(Weighed { cost: module.sum, names_data: module.names_data })
}

fn invalid(e: wasmparser::BinaryReaderError) -> ProgramRefusal {
    ProgramRefusal::Invalid(format!("{e:#}").replace('\n', " "))
}

/// Refuses more than the limit.
fn at_most(what: &'static str, count: u32, limit: u32) -> Result<(), ProgramRefusal> {
    match count <= limit {
        true => Ok(()),
        false => Err(ProgramRefusal::TooMany { what, count: count.into(), limit: limit.into() }),
    }
}

/// What is known of a module while it is read.
#[derive(Default)]
struct ModuleCost {
    /// The number of parameters and results of each type.
    types: Vec<(usize, usize)>,
    /// The type of each function, those that are imported first.
    functions: Vec<u32>,
    names_data: bool,
    sum: u64,
}

impl ModuleCost {
    /// Reads a part of the module.
    fn read(&mut self, payload: &Payload<'_>) -> Result<(), ProgramRefusal> {
        match payload {
            Payload::TypeSection(section) => self.read_types(section.clone()),
            Payload::ImportSection(section) => {
                at_most("imports", section.count(), MOST_IMPORTS)?;
                for import in section.clone().into_imports() {
                    if let TypeRef::Func(kind) | TypeRef::FuncExact(kind) = import.map_err(invalid)?.ty {
                        self.functions.push(kind);
                        at_most("imports", self.functions.len() as u32, MOST_IMPORTS)?;
                    }
                }
                Ok(())
            }
            Payload::FunctionSection(section) => {
                self.spend(FUNCTION * u64::from(section.count()))?;
                for kind in section.clone() {
                    self.functions.push(kind.map_err(invalid)?);
                }
                Ok(())
            }
            Payload::ExportSection(section) => at_most("exports", section.count(), MOST_EXPORTS),
            Payload::GlobalSection(section) => at_most("globals", section.count(), MOST_GLOBALS),
            _ => Ok(()),
        }
    }

    fn read_types(
        &mut self,
        section: SectionLimited<'_, wasmparser::RecGroup>,
    ) -> Result<(), ProgramRefusal> {
        at_most("types", section.count(), MOST_TYPES)?;
        for kind in section.into_iter_err_on_gc_types() {
            let kind = kind.map_err(invalid)?;
            let (parameters, results) = (kind.params().len(), kind.results().len());
            at_most("values in a type of function", (parameters + results) as u32, MOST_VALUES as u32)?;
            self.types.push((parameters, results));
        }
        Ok(())
    }

    /// How many values this type takes, and how many it gives.
    fn values_of(&self, kind: u32) -> (usize, usize) {
        self.types.get(kind as usize).copied().unwrap_or_default()
    }

    fn spend(&mut self, cost: u64) -> Result<(), ProgramRefusal> {
        self.sum += cost;
        match self.sum <= MOST {
            true => Ok(()),
            false => Err(ProgramRefusal::CostlyModule { limit: MOST }),
        }
    }
}
