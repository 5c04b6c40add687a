//! The numbers by which a program names what it has open.

use super::Errno;

/// The most that a program may have open.
const MOST: usize = 64;

/// The number of the private directory: the first after the three streams.
pub(super) const DIRECTORY: u32 = 3;

/// What a number stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Descriptor {
    /// Standard input: the lines of the dialogue.
    Input,
    /// Standard output: the lines of the bot.
    Output,
    /// Standard error: the author's notes.
    Errors,
    /// The private directory.
    Directory,
    File(OpenFile),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    /// Its number in the directory.
    pub(super) file: u64,
    /// Where it is read and written next.
    pub(super) at: u64,
    /// Whether each write goes to its end.
    pub(super) appends: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// All numbers of a program.
pub(crate) struct Descriptors(Vec<Option<Descriptor>>);

impl Default for Descriptors {
    fn default() -> Self {
        use Descriptor::{Directory, Errors, Input, Output};
        Self([Input, Output, Errors, Directory].map(Some).into())
    }
}

impl Descriptors {
    /// What this number stands for.
    pub(super) fn get(&self, number: u32) -> Result<&Descriptor, Errno> {
        self.0.get(number as usize).and_then(Option::as_ref).ok_or(Errno::BADF)
    }

    /// The open file with this number.
    pub(super) fn file(&mut self, number: u32) -> Result<&mut OpenFile, Errno> {
        match self.0.get_mut(number as usize).and_then(Option::as_mut) {
            Some(Descriptor::File(file)) => Ok(file),
            Some(Descriptor::Directory) => Err(Errno::ISDIR),
            Some(_) => Err(Errno::SPIPE),
            None => Err(Errno::BADF),
        }
    }

    /// Checks that this number is the directory.
    pub(super) fn directory(&self, number: u32) -> Result<(), Errno> {
        match self.get(number)? {
            Descriptor::Directory => Ok(()),
            _ => Err(Errno::NOTDIR),
        }
    }

    /// Gives this the lowest free number.
    pub(super) fn open(&mut self, opened: Descriptor) -> Result<u32, Errno> {
        let free = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        if free >= MOST {
            return Err(Errno::MFILE);
        }
        if free == self.0.len() {
            self.0.push(None);
        }
        if let Some(place) = self.0.get_mut(free) {
            *place = Some(opened);
        }
        u32::try_from(free).map_err(|_| Errno::MFILE)
    }

    /// Frees this number.
    pub(super) fn close(&mut self, number: u32) -> Result<(), Errno> {
        self.get(number)?;
        if let Some(place) = self.0.get_mut(number as usize) {
            *place = None;
        }
        Ok(())
    }
}
