//! Modules in the text format, with the parts that most tests need.

/// A module with this body. It can read (`$read`: a number of bytes to address 1024, returns how many came), write (`$print` and
/// `$warn`: address and length), and print a number with a line break (`$number`).
pub(crate) fn with(body: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
        (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
        (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "path_open"
          (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "path_unlink_file" (func $unlink (param i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "path_rename"
          (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "sock_send" (func $send (param i32 i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 2)
        ;; Buffers of calls are at 0 to 64, their results at 64, text of numbers ends at 128.
        (func $to (param $fd i32) (param $at i32) (param $length i32)
          (i32.store (i32.const 0) (local.get $at))
          (i32.store (i32.const 4) (local.get $length))
          (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 64))))
        (func $print (param i32 i32) (call $to (i32.const 1) (local.get 0) (local.get 1)))
        (func $warn (param i32 i32) (call $to (i32.const 2) (local.get 0) (local.get 1)))
        (func $read (param $length i32) (result i32)
          (i32.store (i32.const 0) (i32.const 1024))
          (i32.store (i32.const 4) (local.get $length))
          (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64)))
          (i32.load (i32.const 64)))
        (func $number (param $value i64)
          (local $at i32)
          (local.set $at (i32.const 127))
          (i32.store8 (local.get $at) (i32.const 10))
          (loop $digits
            (local.set $at (i32.sub (local.get $at) (i32.const 1)))
            (i32.store8 (local.get $at)
              (i32.add (i32.const 48) (i32.wrap_i64 (i64.rem_u (local.get $value) (i64.const 10)))))
            (local.set $value (i64.div_u (local.get $value) (i64.const 10)))
            (br_if $digits (i64.ne (local.get $value) (i64.const 0))))
          (call $print (local.get $at) (i32.sub (i32.const 128) (local.get $at))))
        {body})"#
    );
    wat::parse_str(&text).unwrap()
}
