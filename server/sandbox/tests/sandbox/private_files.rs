//! The private directory: what one process writes, the next one reads.

use kibitz_sandbox::{Ending, PrivateFiles, Program};

use super::{program, run_in};

/// Opens the file with this name for reading and writing; `how`: 1 creates, 4 refuses one that is there, 8 empties it. Prints the error.
fn open(name: &str, how: u32) -> String {
    format!(
        r#"(data (i32.const 4096) "{name}")
        (func $file (result i32)
          (call $open (i32.const 3) (i32.const 0) (i32.const 4096) (i32.const {}) (i32.const {how})
            (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 256)))"#,
        name.len()
    )
}

/// Opens this name and prints the number of the error.
fn opener(name: &str, how: u32) -> Program {
    program(&format!(
        r#"{} (func (export "_start") (call $number (i64.extend_i32_u (call $file))))"#,
        open(name, how)
    ))
}

fn printed(program: &Program, files: &PrivateFiles) -> String {
    let (ending, lines, _) = run_in(program, files);
    assert_eq!(ending, Ending::Exited(0));
    lines
}

#[test]
fn next_process_reads_what_the_last_one_wrote() {
    // Adds a letter to the file, and prints all of it.
    let program = program(&format!(
        r#"{} (data (i32.const 4200) "x")
        (func (export "_start")
          (drop (call $file))
          (drop (call $seek (i32.load (i32.const 256)) (i64.const 0) (i32.const 2) (i32.const 264)))
          (call $to (i32.load (i32.const 256)) (i32.const 4200) (i32.const 1))
          (drop (call $seek (i32.load (i32.const 256)) (i64.const 0) (i32.const 0) (i32.const 264)))
          (i32.store (i32.const 0) (i32.const 5000))
          (i32.store (i32.const 4) (i32.const 100))
          (drop (call $fd_read (i32.load (i32.const 256)) (i32.const 0) (i32.const 1) (i32.const 64)))
          (call $print (i32.const 5000) (i32.load (i32.const 64))))"#,
        open("notes.txt", 1)
    ));
    let files = PrivateFiles::new(1 << 20);
    assert_eq!(["x", "xx", "xxx"].map(|_| printed(&program, &files)), ["x", "xx", "xxx"]);
    assert_eq!(printed(&program, &PrivateFiles::new(1 << 20)), "x");
    // The error of a file that is there, or is not: 20 exists, 44 does not.
    for (name, how, errno) in [
        ("notes.txt", 0, "0"),
        ("/notes.txt", 0, "0"),
        ("./notes.txt", 0, "0"),
        ("notes.txt", 5, "20"),
        ("other", 0, "44"),
        ("notes.txt", 2, "54"),
        (".", 2, "0"),
    ] {
        assert_eq!(printed(&opener(name, how), &files), errno, "{name} {how}");
    }
}

/// Nothing but the directory can be named.
#[test]
fn paths_do_not_leave_the_directory() {
    let files = PrivateFiles::new(1 << 20);
    for (name, errno) in [
        ("../secret", "76"),
        ("a/../../secret", "76"),
        ("/etc/passwd", "44"),
        ("/..", "76"),
        ("a/b", "44"),
        ("..", "76"),
        ("\\ff\\fe", "28"),
    ] {
        assert_eq!(printed(&opener(name, 1), &files), errno, "{name}");
    }
    let long = "n".repeat(256);
    assert_eq!(printed(&opener(&long, 1), &files), "37");
}

#[test]
fn directory_has_an_end() {
    // Opens one file, and writes 64 KiB to it until a write fails; prints the error.
    let program = program(&format!(
        r#"{} (func (export "_start") (local $error i32)
          (drop (call $file))
          (i32.store (i32.const 0) (i32.const 0))
          (i32.store (i32.const 4) (i32.const 65536))
          (loop $again
            (local.set $error
              (call $fd_write (i32.load (i32.const 256)) (i32.const 0) (i32.const 1) (i32.const 64)))
            (br_if $again (i32.eqz (local.get $error))))
          (call $number (i64.extend_i32_u (local.get $error))))"#,
        open("big", 1)
    ));
    assert_eq!(printed(&program, &PrivateFiles::new(1 << 20)), "51");
}

#[test]
fn files_are_renamed_and_removed() {
    let files = PrivateFiles::new(1 << 20);
    assert_eq!(printed(&opener("old", 1), &files), "0");
    let rename = r#"(data (i32.const 4096) "oldnew") (func (export "_start")
        (call $number (i64.extend_i32_u (call $rename
          (i32.const 3) (i32.const 4096) (i32.const 3) (i32.const 3) (i32.const 4099) (i32.const 3)))))"#;
    assert_eq!(printed(&program(rename), &files), "0");
    assert_eq!(printed(&program(rename), &files), "44");
    assert_eq!(printed(&opener("new", 0), &files), "0");
    let remove = r#"(data (i32.const 4096) "new") (func (export "_start")
        (call $number (i64.extend_i32_u (call $unlink (i32.const 3) (i32.const 4096) (i32.const 3)))))"#;
    assert_eq!(printed(&program(remove), &files), "0");
    assert_eq!(printed(&opener("new", 0), &files), "44");
}
