//! The native module of the Python package `kibitz`: the registry of games behind Python's objects. It knows no game by name, and
//! holds no rule, search or statistic of its own.

mod arguments;
mod batch;
mod engine;
mod error;
mod game;
mod json;
mod match_start;
mod matches;
mod measure;
mod moves;
mod opponent;
mod picture;
mod session;
mod slot;
mod vector;
mod view;

/// Rules, engines, dialogues and statistics of kibitz.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::batch::random_batch;
    #[pymodule_export]
    use crate::engine::decide;
    #[pymodule_export]
    use crate::game::{PyGame, game_names};
    #[pymodule_export]
    use crate::matches::PyMatch;
    #[pymodule_export]
    use crate::measure::{PyPlan, PyTrial, engine_settings, fingerprint, level_names};
    #[pymodule_export]
    use crate::moves::PyMove;
    #[pymodule_export]
    use crate::session::PySession;
    #[pymodule_export]
    use crate::vector::PyMatchVector;
    #[pymodule_export]
    use crate::view::PyView;

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
