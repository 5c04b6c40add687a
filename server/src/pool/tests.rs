//! The pool with positions that do what a test wants.
