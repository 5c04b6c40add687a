//! The files that the server hands out to authors of bots: those of a folder, or the `kibitz-shim` beside its own program. It must
//! not know HTTP.
//!
//! They are listed at the start and stay open: a file that is replaced later, as an upgrade does, has no part in an answer whose
//! hash is that of the old one.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use clap::Args;
use futures_util::{Stream, stream};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{Code, Error};

/// The most files of a folder.
const MOST_FILES: usize = 100;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 100;

/// How much of a file is in memory at a time for a download, in bytes.
const PART: usize = 64 * 1024;

/// How the names of shims begin.
const SHIM: &str = "kibitz-shim";

/// The files to hand out.
#[derive(Clone, Debug, Default, Args)]
pub struct DownloadOptions {
    /// A folder with files to hand out at /downloads: kibitz-shim for one or several systems, the Python wheel, others. Default:
    /// the kibitz-shim beside this program, if there is one.
    #[arg(long, env = "KIBITZ_DOWNLOADS", value_name = "FOLDER")]
    pub downloads: Option<PathBuf>,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OfferedFileKind {
    /// The program that connects a bot with a server.
    Shim,
    /// A wheel: the Python package.
    Python,
    /// Something else.
    Other,
}

/// A file to download.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OfferedFile {
    /// Its name: `GET /downloads/NAME` has the file.
    pub name: String,
    /// What it is for.
    pub kind: OfferedFileKind,
    /// The system that it is for: of a program, such as `x86_64-linux`; of a wheel, the tag in its name, such as `linux_x86_64`.
    /// `null`: any, or unknown.
    pub platform: Option<String>,
    /// The version in its name. `null`: the name has none.
    pub version: Option<String>,
    /// Its size, in bytes.
    pub size: u64,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
}

/// A file that is kept open.
struct OpenedFile {
    name: String,
    file: Arc<File>,
    /// As it was at the start of the server.
    metadata: Metadata,
    /// From the first use on: hashing takes a moment for each file.
    listed: OnceLock<OfferedFile>,
}

/// All files that the server hands out, by name.
pub(crate) struct OfferedFiles(Vec<OpenedFile>);

impl OfferedFiles {
    /// Opens the files.
    ///
    /// # Errors
    /// If the folder cannot be read or holds too many files; the text names it.
    pub(crate) fn open(options: &DownloadOptions) -> io::Result<Self> {
        let Some(folder) = &options.downloads else { return Ok(Self(beside_this_program())) };
        let named = |e: io::Error| io::Error::new(e.kind(), format!("--downloads {}: {e}", folder.display()));
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(named)? {
            let entry = entry.map_err(named)?;
            // The kind of the entry itself: a link is no file.
            if !entry.file_type().map_err(named)?.is_file() {
                continue;
            }
            match entry.file_name().to_str().filter(|name| is_name(name)) {
                Some(name) => files.push(OpenedFile::open(&entry.path(), name).map_err(named)?),
                None => {
                    tracing::warn!(file = ?entry.path(), "not offered: its name has other characters than letters, digits, - . _ +")
                }
            }
            if files.len() > MOST_FILES {
                return Err(named(io::Error::other(format!("there are more than {MOST_FILES} files"))));
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self(files))
    }

    /// The descriptions of all files but those whose content was changed since the start of the server.
    ///
    /// # Errors
    /// `internal` if a file cannot be read.
    pub(crate) async fn list(&'static self) -> Result<Vec<OfferedFile>, Error> {
        apart(|| self.list_now()).await
    }

    /// The description of a file, and its content, part by part.
    ///
    /// # Errors
    /// `not_found` if there is no such file, or if its content was changed since the start of the server; `internal`.
    pub(crate) async fn find(
        &'static self,
        name: String,
    ) -> Result<(OfferedFile, impl Stream<Item = io::Result<Bytes>> + Send + 'static), Error> {
        let (listed, file) = apart(move || self.find_now(&name)).await?;
        Ok((listed, parts(file)))
    }

    fn list_now(&self) -> Result<Vec<OfferedFile>, Error> {
        let listed = self.0.iter().map(OpenedFile::listed);
        listed.filter(|file| !file.as_ref().is_err_and(|e| e.code() == Code::NotFound)).collect()
    }

    fn find_now(&self, name: &str) -> Result<(OfferedFile, Arc<File>), Error> {
        let found = self.0.iter().find(|file| file.name == name).ok_or_else(|| {
            Error::new(Code::NotFound, "there is no such file to download; /v1/downloads lists them")
        })?;
        Ok((found.listed()?, Arc::clone(&found.file)))
    }
}

/// Does work that reads files on a thread that may wait.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|e| Error::new(Code::Internal, format!("files to download: {e}")))?
}

impl OpenedFile {
    fn open(path: &Path, name: &str) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok(Self { name: name.to_owned(), file: Arc::new(file), metadata, listed: OnceLock::new() })
    }

    fn listed(&self) -> Result<OfferedFile, Error> {
        let failed = |e: io::Error| Error::new(Code::Internal, format!("download {}: {e}", self.name));
        let now = self.file.metadata().map_err(failed)?;
        if now.len() != self.metadata.len() || now.modified().ok() != self.metadata.modified().ok() {
            let detail = "this file was changed while the server runs: it is offered again after a restart";
            return Err(Error::new(Code::NotFound, detail));
        }
        if let Some(known) = self.listed.get() {
            return Ok(known.clone());
        }
        let (hash, begin) = self.read().map_err(failed)?;
        let sha256 = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let (kind, platform, version) = describe(&self.name, &begin);
        let size = self.metadata.len();
        let listed = OfferedFile { name: self.name.clone(), kind, platform, version, size, sha256 };
        Ok(self.listed.get_or_init(|| listed).clone())
    }

    /// The hash of the content, and its first bytes.
    fn read(&self) -> io::Result<([u8; 32], Vec<u8>)> {
        let (mut hash, mut begin, mut at) = (Sha256::new(), Vec::new(), 0);
        loop {
            let part = part(&self.file, at)?;
            if part.is_empty() {
                return Ok((hash.finalize().into(), begin));
            }
            if at == 0 {
                begin = part.clone();
            }
            at += part.len() as u64;
            hash.update(&part);
        }
    }
}

/// The shim beside the program that runs, where packages and builds place both.
fn beside_this_program() -> Vec<OpenedFile> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    let name = format!("{SHIM}{}", std::env::consts::EXE_SUFFIX);
    let shim = program.with_file_name(&name);
    let is_file = fs::symlink_metadata(&shim).is_ok_and(|found| found.is_file());
    is_file.then(|| OpenedFile::open(&shim, &name).ok()).flatten().into_iter().collect()
}

/// Whether a name is safe in an address, a header, and a command of a shell.
fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._+".contains(&b))
        && name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
}

/// The kind, the system and the version of a file, by its name and its first bytes.
fn describe(name: &str, begin: &[u8]) -> (OfferedFileKind, Option<String>, Option<String>) {
    let is_version = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.');
    if let Some(wheel) = name.strip_suffix(".whl") {
        let parts: Vec<&str> = wheel.split('-').collect();
        let platform = parts.last().filter(|tag| **tag != "any").map(|tag| (*tag).to_owned());
        return (
            OfferedFileKind::Python,
            platform,
            parts.get(1).copied().filter(is_version).map(str::to_owned),
        );
    }
    let platform = platform(begin);
    if platform.is_some() && name.starts_with(SHIM) {
        let version = name.split('-').find(is_version).map(str::to_owned);
        return (OfferedFileKind::Shim, platform, version);
    }
    (OfferedFileKind::Other, platform, None)
}

/// The system for which a program was built, as Rust names it: its file says so. `None`: no program, or an unknown one.
fn platform(begin: &[u8]) -> Option<String> {
    let number = |at: usize| Some(u16::from_le_bytes(begin.get(at..at + 2)?.try_into().ok()?));
    let (machine, system) = if begin.starts_with(b"\x7fELF") {
        let machine = match number(18)? {
            3 => "x86",
            40 => "arm",
            62 => "x86_64",
            183 => "aarch64",
            243 => "riscv64",
            _ => return None,
        };
        (machine, "linux")
    } else if begin.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
        (if number(4)? == 12 { "aarch64" } else { "x86_64" }, "macos")
    } else if begin.starts_with(b"MZ") {
        let at = usize::from(number(60)?);
        (if number(at + 4)? == 0xaa64 { "aarch64" } else { "x86_64" }, "windows")
    } else {
        return None;
    };
    Some(format!("{machine}-{system}"))
}

/// The content, part by part: the next one is read when the client has taken the one before.
fn parts(file: Arc<File>) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((file, 0), |(file, at)| async move {
        let reading = Arc::clone(&file);
        let part =
            tokio::task::spawn_blocking(move || part(&reading, at)).await.map_err(io::Error::other)??;
        let next = at + part.len() as u64;
        Ok((!part.is_empty()).then(|| (Bytes::from(part), (file, next))))
    })
}

/// The bytes of a file from this place on, none at its end.
fn part(file: &File, at: u64) -> io::Result<Vec<u8>> {
    #[cfg(unix)]
    let read = |part: &mut [u8]| std::os::unix::fs::FileExt::read_at(file, part, at);
    #[cfg(windows)]
    let read = |part: &mut [u8]| std::os::windows::fs::FileExt::seek_read(file, part, at);
    let mut part = vec![0; PART];
    let count = read(&mut part)?;
    part.truncate(count);
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        for good in ["kibitz-shim", "kibitz-0.1.0-cp310-abi3-linux_x86_64.whl", "a+b.tar.gz"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", ".hidden", "-rf", "a b", "a/b", "é", "a'b", "a$b", &"x".repeat(101)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn files_are_described_by_their_names_and_content() {
        let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
        elf.resize(18, 0);
        elf.extend([62, 0]);
        let described = |name: &str, begin: &[u8]| {
            let (kind, platform, version) = describe(name, begin);
            (kind, platform.unwrap_or_default(), version.unwrap_or_default())
        };
        let is = |kind, platform: &str, version: &str| (kind, platform.to_owned(), version.to_owned());
        assert_eq!(described("kibitz-shim", &elf), is(OfferedFileKind::Shim, "x86_64-linux", ""));
        let named = described("kibitz-shim-1.2.0-linux", &elf);
        assert_eq!(named, is(OfferedFileKind::Shim, "x86_64-linux", "1.2.0"));
        assert_eq!(described("kibitz-shim.txt", b"notes"), is(OfferedFileKind::Other, "", ""));
        let wheel = described("kibitz-0.1.0-cp310-abi3-linux_x86_64.whl", b"PK");
        assert_eq!(wheel, is(OfferedFileKind::Python, "linux_x86_64", "0.1.0"));
        assert_eq!(described("kibitz-0.1.0-py3-none-any.whl", b"PK").1, "");
        assert_eq!(platform(&[0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1]).as_deref(), Some("aarch64-macos"));
        assert_eq!((platform(b"MZ"), platform(b"")), (None, None));
    }

    #[test]
    fn folder_is_listed_without_links_and_a_changed_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("b.txt"), "two").unwrap();
        fs::write(at("a.txt"), "one").unwrap();
        fs::write(at("no name"), "three").unwrap();
        fs::create_dir(at("folder")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", at("link")).unwrap();
        let open =
            || OfferedFiles::open(&DownloadOptions { downloads: Some(folder.path().to_owned()) }).unwrap();
        let files = open();
        let names: Vec<_> = files.list_now().unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["a.txt", "b.txt"]);
        let one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
        assert_eq!(
            files.find_now("a.txt").map(|(file, _)| (file.size, file.sha256)).unwrap(),
            (3, one.to_owned())
        );
        assert_eq!(files.find_now("link").map(drop).unwrap_err().code(), Code::NotFound);
        // A file that takes its place changes nothing; one that is written over does.
        fs::write(at("new"), "other").unwrap();
        fs::rename(at("new"), at("a.txt")).unwrap();
        assert_eq!(files.find_now("a.txt").map(|(file, _)| file.sha256).unwrap(), one);
        fs::write(at("b.txt"), "longer than before").unwrap();
        assert_eq!(files.find_now("b.txt").map(drop).unwrap_err().code(), Code::NotFound);
        assert!(open().find_now("b.txt").is_ok());
        let missing = OfferedFiles::open(&DownloadOptions { downloads: Some(at("nowhere")) });
        assert!(missing.map(drop).unwrap_err().to_string().contains("nowhere"));
    }
}
