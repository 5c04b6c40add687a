//! Hosted matches leak nothing: when information hidden from a viewer is changed, the viewer gets the same bytes; secrets
//! are found nowhere; a private match does not exist for callers who may not know of it.

mod altered_state;
mod bot_seat;
mod canaries;
mod masked_times;
mod misplaced_secrets;
mod planned_match;
mod private;
mod received;
#[cfg(unix)]
mod shim;
mod streams;
mod viewer_output;

use engines::game::{Seat, Viewer};
use futures_util::future::join_all;

use self::planned_match::{HostedMatch, PlaySpec, open};
use self::viewer_output::Exchanges;
use crate::server_process::ServerProcess;

/// Game, seats, moves before and after the server is stopped, whether there is a clock. In Azul's later rounds only seed
/// and salt can change, since the deal determines nothing else.
const PLANS: [PlaySpec; 12] = [
    ("azul", 2, 0, 3, false),
    ("azul", 2, 3, 2, true),
    ("azul", 2, 17, 2, false),
    ("buraco", 2, 0, 4, false),
    ("buraco", 2, 13, 4, false),
    ("ioiwari", 2, 4, 2, false),
    ("septica", 2, 0, 3, false),
    ("septica", 2, 5, 4, true),
    ("septica", 2, 11, 3, false),
    ("splendor", 3, 0, 4, false),
    ("splendor", 3, 9, 4, true),
    ("splendor", 4, 15, 6, false),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewers_get_the_same_bytes_whatever_their_hidden_information() {
    let mut service = ServerProcess::start(&["--threads=1"]);
    let address = service.address;
    let matches = join_all((0..).zip(PLANS).map(|(n, plan)| HostedMatch::play(address, n, plan))).await;
    service.kill();
    // This moves all that the server wrote into one file.
    drop(open(&service.database()).await);

    let viewers = (0..4).map(|n| Viewer::Seat(Seat(n))).chain([Viewer::Spectator]);
    join_all(viewers.map(|viewer| compare(&service, &matches, viewer))).await;
}

/// Compares the output to this viewer from the true matches and from those with other secrets.
async fn compare(service: &ServerProcess, matches: &[HostedMatch], viewer: Viewer) {
    let watched: Vec<&HostedMatch> =
        matches.iter().filter(|hosted| hosted.viewers().any(|who| who == viewer)).collect();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("altered.db");
    std::fs::copy(service.database(), &database).unwrap();
    let mut commitments = Vec::new();
    for hosted in &watched {
        let (altered, both) = hosted.alter(&database, viewer).await;
        let what = format!("{} up to ply {} for {viewer:?}", hosted.game.info().slug, hosted.plies.len());
        check_altered(hosted, &what, altered.differ, altered.hidden);
        commitments.push((both, hosted.last_event_ms(&database).await));
    }
    // With a grace, the clocks shown would depend on the moment of each request.
    let flags = ["--threads=1", "--reconnect-grace-ms=0"];
    let true_one = ServerProcess::on_copy_of(&service.database(), &flags);
    let other = ServerProcess::on_copy_of(&database, &flags);
    for (hosted, ([ours, theirs], last_ms)) in watched.into_iter().zip(commitments) {
        let look = |service: &ServerProcess| viewer_output::all(service.address, hosted, viewer, last_ms);
        let (truth, mut altered) = tokio::join!(look(&true_one), look(&other));
        altered.iter_mut().for_each(|(_, text)| *text = text.replace(&theirs, &ours));
        assert_same(hosted, viewer, &truth, &altered);
    }
}

/// Checks that many hidden values changed; otherwise the comparison would prove little.
fn check_altered(hosted: &HostedMatch, what: &str, differ: usize, hidden: usize) {
    let least = match (hosted.game.info().slug, hosted.plies.len()) {
        ("ioiwari", _) => 0,
        // The seed of later rounds.
        ("azul", plies) => usize::from(plies < 6),
        // The deck, and the others' hands.
        _ => 8,
    };
    assert!(hidden >= least, "{what}: only {hidden} values are hidden");
    assert!(2 * differ >= hidden, "{what}: {differ} of {hidden} hidden values are others");
}

fn assert_same(hosted: &HostedMatch, viewer: Viewer, truth: &Exchanges, altered: &Exchanges) {
    let game = hosted.game.info().slug;
    assert_eq!(truth.len(), altered.len(), "{game}");
    for ((what, one), (same, other)) in truth.iter().zip(altered) {
        assert_eq!(what, same);
        for (line, twin) in one.lines().zip(other.lines()) {
            assert_eq!(line, twin, "{viewer:?} sees what it must not in {game}: {what}");
        }
        assert_eq!(one, other, "{viewer:?} sees what it must not in {game}: {what}");
    }
}
