//! Modules that are made to be slow to compile: what a person who wants to harm the machine would upload. All are valid WebAssembly of at
//! most the size that a module may have. Used by the tests and by `benches/compile.rs`.

use wasm_encoder::{
    BlockType, CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    Instruction, MemorySection, MemoryType, Module, TypeSection, ValType,
};

/// What an author of such a module chooses. The sizes count in the units of the kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Worst {
    /// One function of so many additions.
    LongFunction(usize),
    /// So many functions that do nothing.
    ManyFunctions(usize),
    /// So many functions with so many variables.
    ManyLocals(usize, usize),
    /// So many functions of a thousand instructions.
    Ordinary(usize),
    /// Loops inside each other, and locals that change in the innermost one.
    LoopsAndLocals(usize, usize),
    /// Blocks one after the other, in each of which one of many locals changes on one of two ways.
    BranchesAndLocals(usize, usize),
    /// Blocks inside each other.
    Nested(usize),
    /// A jump table of so many targets, so many times.
    JumpTables(usize, usize),
    /// Jump tables to so many different blocks.
    WideJumpTables(usize, usize),
    /// Calls of a function with so many arguments and results, each with the results of the call before.
    WideCalls(usize, usize),
    /// Blocks that give so many values.
    WideBlocks(usize, usize),
    /// Loops that take and give so many values.
    BlocksThatTake(usize, usize),
    /// So many values on the stack at the same time.
    DeepStack(usize),
    /// So many instructions that become long machine code: a division of vectors whose NaN is made canonical.
    LongInstructions(usize),
    /// So many calls through a table.
    IndirectCalls(usize),
    /// So many fills of memory.
    BulkMemory(usize),
    /// So many imports of the same function.
    Imports(usize),
    /// So many types.
    Types(usize),
    /// So many exports.
    Exports(usize),
    /// So many globals.
    Globals(usize),
    /// So many pieces of data.
    Data(usize),
}

/// Modules that are refused before they are compiled. The comments say what they took without limits, on two busy cores.
pub(crate) const TOO_COSTLY: &[Worst] = &[
    Worst::LongFunction(1_100_000),
    // 900,000 functions, 3.5 MiB: 112 s, 5 GiB.
    Worst::ManyFunctions(90_000),
    Worst::ManyLocals(420, 20_000),
    Worst::ManyLocals(1, 20_000),
    Worst::Ordinary(4_000),
    // 25 KiB: 29 s, 0.6 GiB; with ten times as many of both, all memory.
    Worst::LoopsAndLocals(2_000, 2_000),
    Worst::BranchesAndLocals(20_000, 20_000),
    // 88 KiB: more than two minutes.
    Worst::LoopsAndLocals(15_000, 40),
    // 2.3 MiB: all memory.
    Worst::BranchesAndLocals(200_000, 19_000),
    Worst::Nested(1_500_000),
    Worst::JumpTables(60_000, 90),
    // More than two minutes, and all memory.
    Worst::WideJumpTables(3_000, 1_000),
    Worst::WideJumpTables(3_000, 40),
    Worst::WideCalls(1_000, 20_000),
    // 26 KiB: 29 s, 1.2 GiB.
    Worst::WideCalls(100, 13_000),
    Worst::WideBlocks(100, 1_000),
    // 41 KiB: all memory.
    Worst::BlocksThatTake(5, 6_800),
    Worst::DeepStack(1_000_000),
    // A million: 58 s, 0.8 GiB.
    Worst::IndirectCalls(300_000),
    // 800,000: 53 s, 0.9 GiB.
    Worst::BulkMemory(300_000),
    Worst::Imports(1_001),
    Worst::Types(20_001),
    Worst::Exports(20_001),
    Worst::Globals(20_001),
    Worst::Data(2_001),
];

/// Modules just within the limits: the longest that anybody can make the machine compile.
pub(crate) const COSTLY: &[Worst] = &[
    Worst::LongFunction(950_000),
    Worst::ManyFunctions(75_000),
    Worst::ManyLocals(240, 19_990),
    Worst::Ordinary(1_900),
    Worst::LoopsAndLocals(200, 1_800),
    Worst::LoopsAndLocals(40, 8_000),
    Worst::BranchesAndLocals(700, 19_000),
    Worst::BranchesAndLocals(17_000, 700),
    Worst::BranchesAndLocals(100_000, 20),
    Worst::JumpTables(60_000, 80),
    Worst::JumpTables(1_000, 70),
    Worst::WideJumpTables(3_000, 5),
    Worst::WideJumpTables(100, 150),
    Worst::WideJumpTables(12_000, 1),
    Worst::WideCalls(100, 1_100),
    Worst::WideCalls(5, 38_000),
    Worst::WideBlocks(5, 4_500),
    Worst::DeepStack(600_000),
    Worst::LongInstructions(1_600_000),
    Worst::IndirectCalls(100_000),
    Worst::BulkMemory(110_000),
    Worst::Nested(240_000),
];

/// The module in its binary form.
pub(crate) fn module(worst: Worst) -> Vec<u8> {
    let mut parts = Parts::default();
    match worst {
        Worst::LongFunction(number) => parts.function(&[], |body| {
            body.instruction(&Instruction::LocalGet(0));
            (0..number).for_each(|n| {
                body.instruction(&Instruction::LocalGet(u32::from(n % 7 == 0)));
                body.instruction(&Instruction::I32Add);
            });
            body.instruction(&Instruction::LocalSet(0));
        }),
        Worst::ManyFunctions(number) => (0..number).for_each(|_| parts.function(&[], |_| {})),
        Worst::ManyLocals(number, locals) => {
            (0..number).for_each(|_| parts.function(&[(locals as u32, ValType::V128)], |_| {}));
        }
        Worst::Ordinary(number) => (0..number).for_each(|_| parts.function(&[], ordinary)),
        Worst::LoopsAndLocals(loops, locals) => parts.function(&[(locals as u32, ValType::I64)], |body| {
            (0..loops).for_each(|_| {
                body.instruction(&Instruction::Loop(BlockType::Empty));
            });
            for local in 0..locals as u32 {
                body.instruction(&Instruction::LocalGet(3 + (local + 1) % locals as u32));
                body.instruction(&Instruction::LocalSet(3 + local));
            }
            (0..loops).for_each(|_| {
                body.instruction(&Instruction::LocalGet(1));
                body.instruction(&Instruction::BrIf(0));
                body.instruction(&Instruction::End);
            });
        }),
        Worst::BranchesAndLocals(branches, locals) => {
            parts.function(&[(locals as u32, ValType::I64)], |body| {
                body.instruction(&Instruction::Loop(BlockType::Empty));
                for branch in 0..branches as u32 {
                    let local = 3 + branch.wrapping_mul(7919) % locals as u32;
                    body.instruction(&Instruction::LocalGet(1));
                    body.instruction(&Instruction::If(BlockType::Empty));
                    body.instruction(&Instruction::LocalGet(3 + (local * 31) % locals as u32));
                    body.instruction(&Instruction::LocalSet(local));
                    body.instruction(&Instruction::End);
                }
                body.instruction(&Instruction::LocalGet(1));
                body.instruction(&Instruction::BrIf(0));
                body.instruction(&Instruction::End);
            });
        }
        Worst::Nested(depth) => parts.function(&[], |body| {
            (0..depth).for_each(|_| {
                body.instruction(&Instruction::Block(BlockType::Empty));
            });
            (0..depth).for_each(|_| {
                body.instruction(&Instruction::End);
            });
        }),
        Worst::JumpTables(targets, tables) => (0..tables).for_each(|_| {
            parts.function(&[], |body| {
                body.instruction(&Instruction::Block(BlockType::Empty));
                body.instruction(&Instruction::LocalGet(0));
                let targets: Vec<u32> = (0..targets as u32).map(|n| n % 2).collect();
                body.instruction(&Instruction::BrTable(targets.into(), 0));
                body.instruction(&Instruction::End);
            });
        }),
        Worst::WideJumpTables(targets, tables) => parts.function(&[], |body| {
            (0..targets).for_each(|_| {
                body.instruction(&Instruction::Block(BlockType::Empty));
            });
            let all: Vec<u32> = (0..targets as u32).collect();
            for _ in 0..tables {
                body.instruction(&Instruction::Block(BlockType::Empty));
                body.instruction(&Instruction::LocalGet(0));
                body.instruction(&Instruction::BrTable((&all[..]).into(), 0));
                body.instruction(&Instruction::End);
            }
            (0..targets).for_each(|_| {
                body.instruction(&Instruction::End);
            });
        }),
        Worst::WideCalls(width, calls) => {
            let wide = parts.kind(width, width);
            let callee = parts.add(wide, &[], |body| {
                (0..width as u32).for_each(|n| {
                    body.instruction(&Instruction::LocalGet(n));
                });
            });
            parts.function(&[], |body| {
                (0..width).for_each(|_| {
                    body.instruction(&Instruction::LocalGet(0));
                });
                (0..calls).for_each(|_| {
                    body.instruction(&Instruction::Call(callee));
                });
                (0..width).for_each(|_| {
                    body.instruction(&Instruction::Drop);
                });
            });
        }
        Worst::WideBlocks(width, blocks) => {
            let wide = parts.kind(0, width);
            parts.function(&[], |body| {
                (0..blocks).for_each(|_| {
                    body.instruction(&Instruction::Block(BlockType::FunctionType(wide)));
                    for ends in [Instruction::BrIf(0), Instruction::End] {
                        (0..width as u32).for_each(|n| {
                            body.instruction(&Instruction::LocalGet(n % 3));
                        });
                        match ends {
                            Instruction::End => body.instruction(&ends),
                            _ => body.instruction(&Instruction::LocalGet(1)).instruction(&ends),
                        };
                        if !matches!(ends, Instruction::End) {
                            (0..width).for_each(|_| {
                                body.instruction(&Instruction::Drop);
                            });
                        }
                    }
                    (0..width as u32).for_each(|n| {
                        body.instruction(&Instruction::LocalSet(n % 3));
                    });
                });
            });
        }
        Worst::BlocksThatTake(width, blocks) => {
            let wide = parts.kind(width, width);
            parts.function(&[], |body| {
                (0..width).for_each(|_| {
                    body.instruction(&Instruction::LocalGet(0));
                });
                (0..blocks).for_each(|_| {
                    body.instruction(&Instruction::Loop(BlockType::FunctionType(wide)));
                    body.instruction(&Instruction::LocalGet(1));
                    body.instruction(&Instruction::BrIf(0));
                    body.instruction(&Instruction::End);
                });
                (0..width).for_each(|_| {
                    body.instruction(&Instruction::Drop);
                });
            });
        }
        Worst::DeepStack(depth) => parts.function(&[], |body| {
            (0..depth).for_each(|n| {
                body.instruction(&Instruction::LocalGet(n as u32 % 3));
                body.instruction(&Instruction::I32Clz);
            });
            (0..depth).for_each(|_| {
                body.instruction(&Instruction::GlobalSet(0));
            });
        }),
        Worst::LongInstructions(number) => {
            let vector = [(2, ValType::V128)];
            (0..number / 1_000).for_each(|_| {
                parts.function(&vector, |body| {
                    body.instruction(&Instruction::LocalGet(3));
                    (0..1_000).for_each(|_| {
                        body.instruction(&Instruction::LocalGet(4));
                        body.instruction(&Instruction::F32x4Div);
                        body.instruction(&Instruction::I32x4TruncSatF32x4U);
                    });
                    body.instruction(&Instruction::LocalSet(3));
                })
            });
        }
        Worst::IndirectCalls(number) => (0..number / 1_000).for_each(|_| {
            parts.function(&[], |body| {
                (0..1_000).for_each(|_| {
                    for local in [0, 1, 2, 0] {
                        body.instruction(&Instruction::LocalGet(local));
                    }
                    body.instruction(&Instruction::CallIndirect { type_index: 1, table_index: 0 });
                });
            })
        }),
        Worst::BulkMemory(number) => (0..number / 1_000).for_each(|_| {
            parts.function(&[], |body| {
                (0..1_000).for_each(|_| {
                    (0..3).for_each(|n| {
                        body.instruction(&Instruction::LocalGet(n));
                    });
                    body.instruction(&Instruction::MemoryFill(0));
                });
            })
        }),
        Worst::Imports(number) => parts.imports = number,
        Worst::Types(number) => (0..number).for_each(|n| {
            let all = [ValType::I32, ValType::I64, ValType::F32, ValType::F64];
            let of = (0..10).map(|at| all[(n >> (2 * at)) % 4]).collect::<Vec<_>>();
            parts.types.ty().function(of, []);
        }),
        Worst::Exports(number) => parts.exports = number,
        Worst::Globals(number) => parts.globals = number,
        Worst::Data(number) => parts.data = number,
    }
    parts.finish()
}

/// A thousand instructions as compilers write them.
fn ordinary(body: &mut Function) {
    let address = wasm_encoder::MemArg { offset: 16, align: 2, memory_index: 0 };
    for n in 0..100 {
        body.instruction(&Instruction::Block(BlockType::Empty));
        body.instruction(&Instruction::LocalGet(n % 3));
        body.instruction(&Instruction::I32Load(address));
        body.instruction(&Instruction::LocalTee((n + 1) % 3));
        body.instruction(&Instruction::BrIf(0));
        body.instruction(&Instruction::LocalGet(0));
        body.instruction(&Instruction::LocalGet((n + 2) % 3));
        body.instruction(&Instruction::I32Store(address));
        body.instruction(&Instruction::End);
    }
}

/// The sections of a module. The first type is `_start`'s, the second that of the other functions: three parameters.
struct Parts {
    types: TypeSection,
    functions: FunctionSection,
    code: CodeSection,
    kinds: u32,
    imports: usize,
    exports: usize,
    globals: usize,
    data: usize,
}

impl Default for Parts {
    fn default() -> Self {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([ValType::I32; 3], []);
        let mut parts = Self {
            types,
            functions: FunctionSection::new(),
            code: CodeSection::new(),
            kinds: 2,
            imports: 0,
            exports: 0,
            globals: 1,
            data: 0,
        };
        parts.add(0, &[], |_| {});
        parts
    }
}

impl Parts {
    /// A type of function with so many parameters and results.
    fn kind(&mut self, parameters: usize, results: usize) -> u32 {
        self.types.ty().function(vec![ValType::I32; parameters], vec![ValType::I32; results]);
        self.kinds += 1;
        self.kinds - 1
    }

    fn add(&mut self, kind: u32, locals: &[(u32, ValType)], body: impl FnOnce(&mut Function)) -> u32 {
        let mut function = Function::new(locals.iter().copied());
        body(&mut function);
        function.instruction(&Instruction::End);
        self.functions.function(kind);
        self.code.function(&function);
        self.functions.len() - 1
    }

    /// A function with three parameters.
    fn function(&mut self, locals: &[(u32, ValType)], body: impl FnOnce(&mut Function)) {
        self.add(1, locals, body);
    }

    fn finish(self) -> Vec<u8> {
        let mut imports = ImportSection::new();
        for _ in 0..self.imports {
            imports.import("wasi_snapshot_preview1", "sched_yield", EntityType::Function(self.kinds));
        }
        let mut types = self.types;
        types.ty().function([], [ValType::I32]);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("_start", ExportKind::Func, self.imports as u32);
        exports.export("memory", ExportKind::Memory, 0);
        for n in 0..self.exports {
            exports.export(&format!("{n:x}"), ExportKind::Memory, 0);
        }
        let mut globals = wasm_encoder::GlobalSection::new();
        for _ in 0..self.globals {
            let kind = wasm_encoder::GlobalType { val_type: ValType::I32, mutable: true, shared: false };
            globals.global(kind, &wasm_encoder::ConstExpr::i32_const(0));
        }
        let mut tables = wasm_encoder::TableSection::new();
        tables.table(wasm_encoder::TableType {
            element_type: wasm_encoder::RefType::FUNCREF,
            minimum: 1,
            maximum: None,
            table64: false,
            shared: false,
        });
        let mut data = wasm_encoder::DataSection::new();
        for _ in 0..self.data {
            data.active(0, &wasm_encoder::ConstExpr::i32_const(0), [1]);
        }
        let mut module = Module::new();
        module.section(&types);
        if self.imports > 0 {
            module.section(&imports);
        }
        module.section(&self.functions).section(&tables).section(&memories).section(&globals);
        module.section(&exports).section(&self.code);
        if self.data > 0 {
            module.section(&data);
        }
        module.finish()
    }
}
