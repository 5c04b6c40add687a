//! Joins the pieces of data with which the memory of a program begins. Some compilers write tens of thousands of them (Go leaves out
//! runs of zeros), and each would become instructions that are compiled and executed when a process starts.

use std::borrow::Cow;

use wasmparser::{DataKind, Operator, Parser, Payload};

use crate::refusal::ProgramRefusal;

/// Up to this number nothing is joined.
const FEW: usize = 64;

/// The longest run of zeros that is written between two pieces, in bytes.
const LONGEST_GAP: u32 = 256;

/// The most pieces that a module may have after that.
const MOST: usize = 2_000;

/// The numbers of the sections.
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// A piece of data and its address.
struct Piece {
    at: u32,
    bytes: Vec<u8>,
}

/// The module with fewer pieces of data, or as it is. The module is valid. `by_number`: whether its instructions name pieces by their
/// number, which then must stay.
///
/// # Errors
/// When there are too many pieces that cannot be joined.
pub(crate) fn join_data(bytes: &[u8], by_number: bool) -> Result<Cow<'_, [u8]>, ProgramRefusal> {
    let mut joined = Vec::new();
    let mut module = bytes.get(..8).unwrap_or_default().to_vec();
    let mut count = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        // The module was read once already.
        let Ok(payload) = payload else { return Ok(Cow::Borrowed(bytes)) };
        if let Payload::DataSection(section) = &payload {
            count = section.count() as usize;
            let pieces = if by_number || count <= FEW { None } else { pieces(section.clone()) };
            let Some(pieces) = pieces else { return few(bytes, count) };
            joined = pieces;
            write_section(&mut module, DATA, &data_section(&joined));
            continue;
        }
        match payload.as_section() {
            // Nothing needs it but instructions that name pieces.
            Some((DATA_COUNT, _)) | None => {}
            Some((id, range)) => write_section(&mut module, id, bytes.get(range).unwrap_or_default()),
        }
    }
    match count > FEW {
        true if joined.len() > MOST => too_many(joined.len()),
        true => Ok(Cow::Owned(module)),
        false => Ok(Cow::Borrowed(bytes)),
    }
}

/// The module as it is, if it has few enough pieces.
fn few(bytes: &[u8], count: usize) -> Result<Cow<'_, [u8]>, ProgramRefusal> {
    if count > MOST { too_many(count) } else { Ok(Cow::Borrowed(bytes)) }
}

fn too_many<T>(count: usize) -> Result<T, ProgramRefusal> {
    let what = "pieces of data that cannot be joined";
    Err(ProgramRefusal::TooMany { what, count: count as u64, limit: MOST as u64 })
}

/// The pieces of a section, joined where only a short gap is between them. `None`: their order matters, or an address is not known.
fn pieces(section: wasmparser::DataSectionReader<'_>) -> Option<Vec<Piece>> {
    let mut joined: Vec<Piece> = Vec::new();
    for data in section {
        let data = data.ok()?;
        let DataKind::Active { memory_index: 0, offset_expr } = data.kind else { return None };
        let mut operators = offset_expr.get_operators_reader();
        let Operator::I32Const { value } = operators.read().ok()? else { return None };
        let Operator::End = operators.read().ok()? else { return None };
        let at = value.cast_unsigned();
        // An address too large for the memory is refused when the program starts.
        at.checked_add(u32::try_from(data.data.len()).ok()?)?;
        let last_end = joined.last().map(|last| last.at + last.bytes.len() as u32);
        let gap = match last_end {
            None => u32::MAX,
            Some(end) => at.checked_sub(end)?,
        };
        match joined.last_mut() {
            Some(last) if gap <= LONGEST_GAP => {
                last.bytes.resize(last.bytes.len() + gap as usize, 0);
                last.bytes.extend_from_slice(data.data);
            }
            _ => joined.push(Piece { at, bytes: data.data.to_vec() }),
        }
    }
    Some(joined)
}

/// The content of the section with these pieces.
fn data_section(pieces: &[Piece]) -> Vec<u8> {
    let mut section = Vec::new();
    write_number(&mut section, pieces.len());
    for Piece { at, bytes } in pieces {
        // In memory 0, at the constant `at`: i32.const, end.
        section.extend([0, 0x41]);
        write_signed(&mut section, at.cast_signed());
        section.push(0x0b);
        write_number(&mut section, bytes.len());
        section.extend_from_slice(bytes);
    }
    section
}

fn write_section(module: &mut Vec<u8>, id: u8, content: &[u8]) {
    module.push(id);
    write_number(module, content.len());
    module.extend_from_slice(content);
}

/// LEB128.
fn write_number(to: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            to.push(low);
            return;
        }
        to.push(low | 0x80);
    }
}

/// Signed LEB128.
fn write_signed(to: &mut Vec<u8>, mut number: i32) {
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if (number == 0 && low & 0x40 == 0) || (number == -1 && low & 0x40 != 0) {
            to.push(low);
            return;
        }
        to.push(low | 0x80);
    }
}
