//! The memory of the program.

use wasmtime::{Extern, Memory};

use super::{CallFailure, Errno, Program};

/// The most buffers that one call may name; `writev` of the C library has at most 1024.
const MOST_BUFFERS: u32 = 1024;

fn memory(program: &mut Program<'_>) -> Result<Memory, CallFailure> {
    match program.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory),
        _ => Err(Errno::FAULT.into()),
    }
}

/// Bytes of the program.
pub(super) fn bytes<'p>(program: &'p mut Program<'_>, at: u32, length: u32) -> Result<&'p [u8], CallFailure> {
    let memory = memory(program)?;
    let (at, length) = (at as usize, length as usize);
    at.checked_add(length)
        .and_then(|end| memory.data(program).get(at..end))
        .ok_or_else(|| Errno::FAULT.into())
}

/// Bytes of the program, to write.
pub(super) fn bytes_mut<'p>(
    program: &'p mut Program<'_>,
    at: u32,
    length: usize,
) -> Result<&'p mut [u8], CallFailure> {
    let memory = memory(program)?;
    let at = at as usize;
    at.checked_add(length)
        .and_then(|end| memory.data_mut(program).get_mut(at..end))
        .ok_or_else(|| Errno::FAULT.into())
}

/// Writes bytes.
pub(super) fn write(program: &mut Program<'_>, at: u32, value: &[u8]) -> Result<(), CallFailure> {
    bytes_mut(program, at, value.len())?.copy_from_slice(value);
    Ok(())
}

/// Writes a number of four bytes.
pub(super) fn write_u32(program: &mut Program<'_>, at: u32, value: u32) -> Result<(), CallFailure> {
    write(program, at, &value.to_le_bytes())
}

/// Writes a number of eight bytes.
pub(super) fn write_u64(program: &mut Program<'_>, at: u32, value: u64) -> Result<(), CallFailure> {
    write(program, at, &value.to_le_bytes())
}

/// The buffers that a list of the program names: where each is, and how long.
pub(super) fn buffers(
    program: &mut Program<'_>,
    at: u32,
    number: u32,
) -> Result<Vec<(u32, u32)>, CallFailure> {
    if number > MOST_BUFFERS {
        return Err(Errno::INVAL.into());
    }
    let list = bytes(program, at, number * 8)?;
    Ok(list.as_chunks::<8>().0.iter().map(|pair| (u32_at(pair, 0), u32_at(pair, 4))).collect())
}

/// The number of four bytes at this place of a structure; 0 beyond its end.
pub(super) fn u32_at(structure: &[u8], at: usize) -> u32 {
    structure.get(at..at + 4).and_then(|part| part.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The number of eight bytes at this place of a structure; 0 beyond its end.
pub(super) fn u64_at(structure: &[u8], at: usize) -> u64 {
    structure.get(at..at + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_le_bytes)
}
