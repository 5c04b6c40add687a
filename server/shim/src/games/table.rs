//! Copied from the engines' registry; `tests/shim/facts.rs` checks the copy and can write it again.

use super::{GameFacts, SettingFacts};

/// All games that this program was built with.
#[rustfmt::skip]
pub(crate) static GAMES: &[GameFacts] = &[
    GameFacts {
        slug: "azul",
        title: "Azul",
        contest: true,
        process_per_move: false,
        think_ms: 500,
        move_limit_ms: None,
        match_limit_ms: Some(30000),
        longest_ms: Some(29500),
        counts_processor_time: false,
        pass: None,
        settings: &[
            SettingFacts {
                name: "input",
                values: "state, update or both",
                default: "state",
                meaning: "What the bot asks the runner for: the position, the moves since the last turn, or both.",
            },
            SettingFacts {
                name: "opened",
                values: "no or yes",
                default: "no",
                meaning: "`yes`: the bot has printed that first word already, so it is not printed again.",
            },
        ],
    },
    GameFacts {
        slug: "buraco",
        title: "Buraco",
        contest: true,
        process_per_move: false,
        think_ms: 500,
        move_limit_ms: Some(3000),
        match_limit_ms: None,
        longest_ms: Some(2700),
        counts_processor_time: false,
        pass: None,
        settings: &[
        ],
    },
    GameFacts {
        slug: "ioiwari",
        title: "Ioiwari",
        contest: true,
        process_per_move: false,
        think_ms: 100,
        move_limit_ms: Some(1000),
        match_limit_ms: None,
        longest_ms: Some(900),
        counts_processor_time: false,
        pass: None,
        settings: &[
        ],
    },
    GameFacts {
        slug: "septica",
        title: "Septica",
        contest: true,
        process_per_move: false,
        think_ms: 2,
        move_limit_ms: None,
        match_limit_ms: None,
        longest_ms: None,
        counts_processor_time: false,
        pass: None,
        settings: &[
            SettingFacts {
                name: "matches",
                values: "a whole number from 1 on",
                default: "1000",
                meaning: "The bot stops after this many scores.",
            },
            SettingFacts {
                name: "draws",
                values: "player or split",
                default: "player",
                meaning: "How equal points count: as the player's win, as in the contest, or half for each.",
            },
            SettingFacts {
                name: "final_zero",
                values: "auto, yes or no",
                default: "auto",
                meaning: "In a trick that we led: the computer answered; both hands and the deck are empty. `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out.",
            },
            SettingFacts {
                name: "empty_hand_zero",
                values: "auto, yes or no",
                default: "auto",
                meaning: "In a trick that we led: the computer answered; our hand and the deck are empty, the computer holds cards. `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out.",
            },
            SettingFacts {
                name: "deck_left_zero",
                values: "auto, yes or no",
                default: "auto",
                meaning: "In a trick that we led: the computer answered; our hand is empty, the deck is not. `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out.",
            },
            SettingFacts {
                name: "last_card_zero",
                values: "auto, yes or no",
                default: "auto",
                meaning: "In a trick that we led: the computer answered with its last card; we hold cards. `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out.",
            },
            SettingFacts {
                name: "unanswered_zero",
                values: "auto, yes or no",
                default: "auto",
                meaning: "In a trick that we led: the computer has no card to answer ours with. `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out.",
            },
        ],
    },
    GameFacts {
        slug: "splendor",
        title: "Splendor",
        contest: true,
        process_per_move: true,
        think_ms: 1000,
        move_limit_ms: Some(10000),
        match_limit_ms: None,
        longest_ms: Some(9500),
        counts_processor_time: true,
        pass: Some("1 0"),
        settings: &[
            SettingFacts {
                name: "base",
                values: "auto, 0 or 1",
                default: "auto",
                meaning: "What the input's header counts players and rounds from. `auto` finds out from the position.",
            },
            SettingFacts {
                name: "base_before",
                values: "auto, 0, 1 or kept values",
                default: "auto",
                meaning: "What earlier processes of this match and others asked to keep. The shim passes it on from its memory.",
            },
        ],
    },
];
