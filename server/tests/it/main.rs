//! The server from outside: real servers on free ports, real sockets, the real program.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod admin;
mod analyse;
mod analysis;
mod api_docs;
mod arena;
#[cfg(unix)]
mod check_bot;
mod ci;
mod client;
mod club;
#[cfg(unix)]
mod contest_limit;
mod deadlines;
mod dialogues;
mod docs;
mod durable;
mod end_to_end;
mod errors;
mod exports;
mod first_moves;
mod harness_docs;
mod hidden_information;
mod hosted_matches;
mod hosted_programs;
mod hosted_results;
mod hosted_share;
#[cfg(unix)]
mod join;
mod layers;
#[cfg(target_os = "linux")]
mod limits;
mod manual;
mod match_files;
mod matches;
mod matches_service;
mod middleware;
mod mistakes;
mod monitoring;
mod notifications;
mod official;
mod programs;
mod puzzles;
mod qr;
mod readme;
#[cfg(unix)]
mod replay;
mod request_ids;
mod requests;
mod seeds;
mod server_process;
#[cfg(target_os = "linux")]
mod service_manager;
mod stopping;
mod suite;
mod templates;
mod test_game;
mod tournaments;
mod vacations;
mod verify;
mod web;
#[cfg(target_os = "linux")]
mod workers;
