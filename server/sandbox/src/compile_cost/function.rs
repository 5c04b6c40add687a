//! What one function costs to compile. The weights are measured: `cargo bench -p kibitz-sandbox --bench compile`.

use std::collections::BTreeSet;

use wasmparser::{BlockType, FuncValidator, FunctionBody, Operator, ValidatorResources};

use super::{ModuleCost, Weighed, at_most, invalid};
use crate::refusal::ProgramRefusal;

/// The most that one function may cost, which a single core compiles.
const MOST: u64 = 2_000_000;

/// The most variables of a function, parameters included.
const MOST_LOCALS: u32 = 20_000;

/// The most loops inside each other: the compiler's analysis of loops is slower than their number.
const MOST_LOOPS: u32 = 200;

/// The most values that a block gives. Compilers use none and one. It takes none, which compilers do not use either.
const MOST_VALUES: usize = 10;

/// The cost of a call, and of an instruction that is one.
const CALL: u64 = 40;

/// How many values a call has whose cost is part of its own, and the cost of each further one.
const VALUES_OF_CALL: u64 = 10;
const VALUE_OF_CALL: u64 = 8;

/// The cost of a block of instructions, besides what is kept for later ones.
const BLOCK: u64 = 6;

/// The cost of a value that a block gives, for each way by which its end is reached.
const VALUE_OF_BLOCK: u64 = 20;

/// The cost of a variable whose value depends on the way by which a place of a function is reached.
const JOIN: u64 = 4;

/// How many values that are kept from one block to the next cost as much as an instruction.
const KEPT_VALUES: u64 = 8;

/// How many pairs of edges of jump tables cost as much as an instruction.
const PAIRS_OF_EDGES: u64 = 100;

/// A place of a function where ways meet: a block, a loop or an if.
#[derive(Default)]
struct Construct {
    is_loop: bool,
    /// How often variables are read in it, and set.
    read: u64,
    set: u64,
}

/// The cost of a function while it is read.
pub(super) struct FunctionCost<'m> {
    module: &'m ModuleCost,
    number: u32,
    locals: u64,
    constructs: Vec<Construct>,
    loops: u32,
    /// The most values that a block of it gives.
    widest: u64,
    /// The edges of its jump tables so far.
    edges: u64,
    names_data: bool,
    sum: u64,
}

impl<'m> FunctionCost<'m> {
    /// Checks the function with this number, and estimates its cost.
    ///
    /// # Errors
    /// When it is invalid, or too costly.
    pub(super) fn of(
        body: &FunctionBody<'_>,
        module: &'m ModuleCost,
        number: u32,
        checked: &mut FuncValidator<ValidatorResources>,
    ) -> Result<Weighed, ProgramRefusal> {
        let mut reader = body.get_binary_reader();
        checked.read_locals(&mut reader).map_err(invalid)?;
        let locals = checked.len_locals();
        at_most("variables in a function", locals, MOST_LOCALS)?;
        let mut cost = Self {
            module,
            number,
            locals: locals.into(),
            constructs: vec![Construct::default()],
            loops: 0,
            widest: 0,
            edges: 0,
            names_data: false,
            sum: locals.into(),
        };
        let mut operators = wasmparser::OperatorsReader::new(reader);
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset().map_err(invalid)?;
            checked.op(offset, &operator).map_err(invalid)?;
            cost.add(&operator, checked.operand_stack_height().into())?;
        }
        operators.finish().map_err(invalid)?;
        Ok(Weighed { cost: cost.sum, names_data: cost.names_data })
    }

    /// Adds an instruction. `height`: how many values there are on the stack.
    fn add(&mut self, operator: &Operator<'_>, height: u64) -> Result<(), ProgramRefusal> {
        self.sum += match operator {
            Operator::Block { blockty } | Operator::If { blockty } => self.begin(*blockty, false, height)?,
            Operator::Loop { blockty } => self.begin(*blockty, true, height)?,
            Operator::Else => self.block(height),
            Operator::End => self.end(),
            Operator::Br { .. } | Operator::Return => 1 + VALUE_OF_BLOCK * self.widest,
            Operator::BrIf { .. } => self.block(height) + VALUE_OF_BLOCK * self.widest,
            Operator::BrTable { targets } => {
                let depths: Result<BTreeSet<u32>, _> = targets.targets().collect();
                self.jump_table(targets.len().into(), depths.map_err(invalid)?.len() as u64, height)
            }
            Operator::LocalGet { .. } => self.touch(1, 0),
            Operator::LocalSet { .. } | Operator::LocalTee { .. } => self.touch(0, 1),
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                let kind = self.module.functions.get(*function_index as usize);
                call(kind.map_or((0, 0), |kind| self.module.values_of(*kind)))
            }
            Operator::CallIndirect { type_index, .. } | Operator::ReturnCallIndirect { type_index, .. } => {
                call(self.module.values_of(*type_index))
            }
            Operator::MemoryInit { .. } | Operator::DataDrop { .. } => {
                self.names_data = true;
                CALL
            }
            Operator::MemoryGrow { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableGet { .. }
            | Operator::TableSet { .. }
            | Operator::TableGrow { .. }
            | Operator::RefFunc { .. } => CALL,
            _ => 1,
        };
        match self.sum <= MOST {
            true => Ok(()),
            false => Err(ProgramRefusal::CostlyFunction { number: self.number, limit: MOST }),
        }
    }

    fn begin(&mut self, kind: BlockType, is_loop: bool, height: u64) -> Result<u64, ProgramRefusal> {
        let values = match kind {
            BlockType::Empty => 0,
            BlockType::Type(_) => 1,
            BlockType::FuncType(kind) => {
                let (taken, given) = self.module.values_of(kind);
                at_most("values that a block takes", taken as u32, 0)?;
                given
            }
        };
        at_most("values that a block gives", values as u32, MOST_VALUES as u32)?;
        self.widest = self.widest.max(values as u64);
        self.constructs.push(Construct { is_loop, ..Construct::default() });
        self.loops += u32::from(is_loop);
        at_most("loops inside each other", self.loops, MOST_LOOPS)?;
        Ok(self.block(height) + VALUE_OF_BLOCK * values as u64)
    }

    /// A block of instructions begins: the compiler notes for each which values are needed later.
    fn block(&self, height: u64) -> u64 {
        BLOCK + (self.locals + height) / KEPT_VALUES
    }

    /// A variable that is set in a block may have another value behind it; one that is read in a loop, another in each turn.
    fn end(&mut self) -> u64 {
        let Some(done) = self.constructs.pop() else { return 1 };
        self.loops -= u32::from(done.is_loop);
        if let Some(around) = self.constructs.last_mut() {
            around.read += done.read;
            around.set += done.set;
        }
        let joins = if done.is_loop { done.read + done.set } else { done.set };
        1 + JOIN * joins.min(self.locals)
    }

    /// A jump table with this many targets.
    fn jump_table(&mut self, targets: u64, places: u64, height: u64) -> u64 {
        self.edges += places;
        let per_target = 1 + VALUE_OF_BLOCK * self.widest;
        let per_place = self.block(height) + self.edges / PAIRS_OF_EDGES;
        (targets + 1) * per_target + places * per_place
    }

    fn touch(&mut self, read: u64, set: u64) -> u64 {
        if let Some(construct) = self.constructs.last_mut() {
            construct.read += read;
            construct.set += set;
        }
        1
    }
}

/// The cost of a call with this many arguments and results.
fn call((arguments, results): (usize, usize)) -> u64 {
    let values = (arguments + results) as u64;
    CALL + values + VALUE_OF_CALL * values.saturating_sub(VALUES_OF_CALL)
}
