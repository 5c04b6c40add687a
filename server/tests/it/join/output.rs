//! What bots write to standard error: kept beside the match, shown to the right people, and never in the way.

use std::process::Command;

use engines::game::Process;
use engines::games::GAMES;
use serde_json::{Value, json};

use super::environment::{CreatedMatch, JoinProcess, JoinServer, OtherSeats, order, read_json};
use super::proxy::CuttingProxy;
use super::undisturbed;

/// Reads what a bot wrote; the status and the body.
fn output(place: &JoinServer, made: &CreatedMatch, seat: u64, token: Option<&str>) -> (u16, Value) {
    read(place, &format!("{}/seats/{seat}/output", made.path), token)
}

/// The status and the body of an answer.
fn read(place: &JoinServer, path: &str, token: Option<&str>) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent.get(format!("{}{path}", place.url()));
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let reply = request.call().unwrap();
    (reply.status().as_u16(), read_json(reply).unwrap())
}

fn token(made: &CreatedMatch, seat: u64) -> Option<&str> {
    made.tokens.iter().find(|(s, _)| *s == seat)?.1.as_deref()
}

/// All lines, each with its ply.
fn lines(output: &Value) -> Vec<(u64, &str)> {
    let turns = output["turns"].as_array().unwrap().iter();
    let of_turn = |turn: &'static str, output: &Value| output[turn].as_u64().unwrap();
    turns
        .flat_map(|turn| {
            let lines = turn["lines"].as_array().unwrap().iter();
            lines.map(move |line| (of_turn("ply", turn), line["text"].as_str().unwrap()))
        })
        .collect()
}

/// A bot that writes two lines to standard error before each line that it prints.
fn talker(player: &[String]) -> Vec<String> {
    let says = r#"while read -r line; do echo "kibitz plays $line" >&2; printf 'my token is %s\n' "$SEAT_TOKEN" >&2; echo "$line"; done"#;
    JoinServer::script(&format!("{} | {says}", player.join(" ")))
}

#[test]
fn output_is_kept_by_turn_for_the_owner_and_the_public_lines_for_all() {
    let place = JoinServer::open("output");
    for game in GAMES {
        let seat = u64::from(game.info().bot_seats[0]);
        let moves = undisturbed(&place, *game, game.info().bot_seats[0], 9);
        let made = place.make(&order(*game, game.info().bot_seats[0], 9));
        let (own, other) = (token(&made, seat).unwrap(), token(&made, 1 - seat).unwrap());
        let logs = place.folder.join("logs");
        let rivals = OtherSeats::play(&place, &made, seat);
        let bot = talker(&place.player(*game, 1));
        let url = format!("{}{}", place.url(), made.path);
        let env = [("KIBITZ_TOKEN", own), ("SEAT_TOKEN", own)];
        let running = JoinProcess::start(&url, &env, &["--log-dir", logs.to_str().unwrap()], &bot);
        let (status, problem) = output(&place, &made, seat, Some(other));
        assert!(status == 409 || problem["all"] == false, "during the match: {status} {problem}");
        let notes = running.plays_to_the_end();
        drop(rivals);
        assert_eq!(place.moves(&made), moves, "what a bot writes changes no move");

        let (_, all) = output(&place, &made, seat, Some(own));
        assert_eq!((all["all"].as_bool(), all["seat"].as_u64()), (Some(true), Some(seat)));
        let kept = lines(&all);
        let own_moves: Vec<(u64, String)> = place
            .events(&made)
            .iter()
            .filter(|frame| frame["type"] == "moved" && frame["seat"] == seat)
            .map(|frame| (frame["ply"].as_u64().unwrap(), frame["notation"].as_str().unwrap().to_owned()))
            .collect();
        // A line comes with its move, or with the first of several moves that the bot writes at once.
        let mut said =
            kept.iter().filter_map(|(ply, text)| Some((*ply, text.strip_prefix("kibitz plays ")?)));
        for (ply, notation) in &own_moves {
            let found = said.find(|(_, text)| text == notation);
            assert!(found.is_some_and(|(at, _)| at <= *ply), "{notation} at ply {ply}: {found:?}, {kept:?}");
        }
        assert_eq!(kept.iter().filter(|(_, text)| *text == "my token is kbs_...").count(), kept.len() / 2);
        let figures = all["turns"].as_array().unwrap();
        assert!(figures.iter().filter(|turn| turn["cpu_ms"].is_u64()).count() > own_moves.len() / 4, "{all}");
        // A process that ends at once leaves no figure for its memory.
        assert!(figures.iter().any(|turn| turn["memory_kib"].as_u64() > Some(100)), "{all}");

        for reader in [Some(other), None] {
            let (status, public) = output(&place, &made, seat, reader);
            assert_eq!((status, public["all"].as_bool()), (200, Some(false)), "{public}");
            let wanted = kept.iter().filter(|(_, text)| text.starts_with("kibitz "));
            assert_eq!(lines(&public), wanted.copied().collect::<Vec<_>>());
            assert!(public["turns"].as_array().unwrap().iter().all(|turn| turn.get("cpu_ms").is_none()));
        }
        assert_eq!(output(&place, &made, 9, Some(own)).0, 404);

        record_has_public_lines(&place, &made, seat, &kept);
        let id = made.path.rsplit('/').next().unwrap();
        let short = &id[id.len() - 8..];
        assert!(notes.contains(&format!("match {short} ply {}: kibitz plays ", own_moves[0].0)), "{notes}");
        let log = std::fs::read_to_string(logs.join(format!("{id}.log"))).unwrap();
        for mark in [" < ", " > ", " ! kibitz plays ", " # turn ", " # over: "] {
            assert!(log.contains(mark), "{mark:?} is missing:\n{log}");
        }
        dialogue_is_what_was_read_and_written(&place, &made, seat, &log);
    }
}

/// The dialogue that the server makes from the events equals, byte for byte, what the bot read and wrote by the log file.
fn dialogue_is_what_was_read_and_written(place: &JoinServer, made: &CreatedMatch, seat: u64, log: &str) {
    let path = format!("{}{}/seats/{seat}/dialogue", place.url(), made.path);
    let text = |format: &str| {
        let reply = ureq::get(format!("{path}?format={format}")).call().unwrap();
        reply.into_body().read_to_string().unwrap()
    };
    let told = log.lines().filter_map(|line| line.split_once(' ').map(|(_, entry)| entry));
    let exchanged: Vec<&str> = told.filter(|entry| entry.starts_with(['<', '>']) || *entry == ".").collect();
    let transcript = text("transcript");
    let (remarks, told): (Vec<&str>, Vec<&str>) = transcript.lines().partition(|line| line.starts_with('#'));
    assert_eq!(told, exchanged);
    assert!(remarks.iter().all(|remark| remark.starts_with("# turn ")), "{remarks:?}");
    let read = exchanged.iter().filter_map(|entry| entry.strip_prefix('<'));
    let read: Vec<&str> = read.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    assert_eq!(text("input").lines().collect::<Vec<_>>(), read);
    let lines = place.get(&format!("{}/seats/{seat}/dialogue", made.path));
    let lines = lines["lines"].as_array().unwrap();
    assert_eq!(lines.len(), exchanged.len() + remarks.len());
    for event in place.events(made).iter().filter(|event| event["type"] == "moved" && event["seat"] == seat) {
        let is_its_line = |line: &&Value| line["kind"] == "printed" && line["ply"] == event["ply"];
        let line = lines.iter().rfind(is_its_line).unwrap();
        assert_eq!(line["text"], event["notation"]);
    }
}

/// The record shows the public lines, as not verified, and verifies.
fn record_has_public_lines(place: &JoinServer, made: &CreatedMatch, seat: u64, kept: &[(u64, &str)]) {
    let record = place.get(&format!("{}/record", made.path));
    let public = kept.iter().filter_map(|(ply, text)| Some((*ply, text.strip_prefix("kibitz ")?)));
    let wanted: Vec<Value> =
        public.map(|(ply, text)| json!({"seat": seat, "ply": ply, "text": text})).collect();
    assert_eq!(record["unverified"]["bot_lines"], json!(wanted));
    assert_eq!(place.get(&format!("{}/record/verify", made.path))["true"], true);
    let file = place.folder.join("record.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let verify = Command::new(env!("CARGO_BIN_EXE_kibitz")).arg("verify").arg(&file).output().unwrap();
    assert!(verify.status.success(), "{}", String::from_utf8_lossy(&verify.stderr));
}

/// During the match the dialogue is for the side of the seat only, and ends with the prompt of the open turn.
#[test]
fn dialogue_of_a_running_match_is_for_the_side_of_the_seat() {
    let place = JoinServer::open("dialogue-running");
    for game in GAMES {
        let seat = u64::from(game.info().bot_seats[0]);
        let made = place.make(&order(*game, game.info().bot_seats[0], 6));
        let page = |token: Option<&str>| read(&place, &made.path, token).1;
        // Moves until it is the turn of the seat, and it has moved once.
        let mut own = 0;
        loop {
            let turn = page(None)["turn"].as_u64().unwrap();
            if turn == seat && own > 0 {
                break;
            }
            own += u64::from(turn == seat);
            let mover = token(&made, turn).unwrap();
            let seen = page(Some(mover));
            let mv = json!({"ply": seen["ply"], "notation": seen["legal_moves"][0]["notation"]});
            ureq::post(format!("{}{}/moves", place.url(), made.path))
                .header("authorization", format!("Bearer {mover}"))
                .header("content-type", "application/json")
                .send(mv.to_string())
                .unwrap();
        }
        let path = format!("{}/seats/{seat}/dialogue", made.path);
        let (status, dialogue) = read(&place, &path, token(&made, seat));
        assert_eq!(status, 200, "{dialogue}");
        let lines = dialogue["lines"].as_array().unwrap();
        let last_read = lines.iter().rfind(|line| line["kind"] == "read").unwrap();
        let ply = page(None)["ply"].clone();
        assert!(lines.iter().all(|line| line["ply"].as_u64() <= ply.as_u64()), "{}", game.info().slug);
        assert_eq!(last_read["ply"], ply, "{}: {lines:?}", game.info().slug);
        assert_ne!(lines.last().unwrap()["kind"], "printed");
        for reader in [token(&made, 1 - seat), None] {
            let (status, problem) = read(&place, &path, reader);
            assert_eq!((status, problem["code"].as_str()), (409, Some("match_not_over")), "{problem}");
        }
    }
}

#[test]
fn lines_come_once_although_connections_break() {
    let place = JoinServer::open("output-cuts");
    for process in [Process::PerMatch, Process::PerMove] {
        let game = GAMES.iter().find(|game| game.info().process == process).unwrap();
        let seat = u64::from(game.info().bot_seats[0]);
        let proxy = CuttingProxy::start(place.server.address.port(), 1);
        let made = place.make(&order(*game, game.info().bot_seats[0], 3));
        let rivals = OtherSeats::play(&place, &made, seat);
        let player = place.player(*game, 1).join(" ");
        let says =
            "n=0; while read -r line; do n=$((n + 1)); echo \"line $n of $$\" >&2; echo \"$line\"; done";
        let bot = JoinServer::script(&format!("{player} | {{ {says}; }}"));
        place.join_by(proxy.port, &made, seat, &bot).plays_to_the_end();
        drop(rivals);
        let (_, all) = output(&place, &made, seat, token(&made, seat));
        let kept = lines(&all);
        let mut unique = kept.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), kept.len(), "{} cuts: {kept:?}", proxy.cuts());
        let own = place.events(&made).iter().filter(|f| f["type"] == "moved" && f["seat"] == seat).count();
        assert!(kept.len() >= own, "{} lines of {own} moves after {} cuts", kept.len(), proxy.cuts());
    }
}

#[test]
fn flood_is_bounded_and_changes_no_move() {
    let place = JoinServer::open("output-flood");
    for process in [Process::PerMatch, Process::PerMove] {
        let game = GAMES.iter().find(|game| game.info().process == process).unwrap();
        let seat = u64::from(game.info().bot_seats[0]);
        let moves = undisturbed(&place, *game, game.info().bot_seats[0], 5);
        let player = place.player(*game, 1).join(" ");
        // A million lines; lines of a megabyte; bytes that are no text and no line.
        for flood in [
            "yes '' | head -n 1000000",
            "head -c 3000000 /dev/zero | tr '\\0' x; echo",
            "head -c 300000 /dev/urandom",
            "yes 'a line' | head -n 20000",
        ] {
            let made = place.make(&order(*game, game.info().bot_seats[0], 5));
            let rivals = OtherSeats::play(&place, &made, seat);
            let once = format!("[ -e \"$F\" ] || {{ touch \"$F\"; {{ {flood}; }} >&2; }}; exec {player}");
            let mark = place.folder.join(format!("flooded-{}", made.path.rsplit('/').next().unwrap()));
            let bot = JoinServer::script(&format!("F={}; {once}", mark.display()));
            place.join(&made, seat, &bot).plays_to_the_end();
            drop(rivals);
            assert_eq!(place.moves(&made), moves, "{flood}");
            let (_, all) = output(&place, &made, seat, token(&made, seat));
            let first = &all["turns"][0];
            let last = first["lines"].as_array().and_then(|lines| lines.last());
            let has_cut_line =
                last.and_then(|line| line["text"].as_str()).is_some_and(|text| text.ends_with("..."));
            assert!(first["cut"] == true || has_cut_line, "{flood}: {}", first.to_string().len());
            let bytes: usize = lines(&all).iter().map(|(_, text)| text.len()).sum();
            assert!((4..=4096).contains(&(bytes + lines(&all).len())), "{flood}: {bytes}");
        }
    }
}

#[test]
fn owner_of_a_bot_sees_its_output() {
    let place = JoinServer::open("output-owner");
    let game = GAMES.iter().find(|game| game.info().process == Process::PerMatch).unwrap();
    let account =
        |name: &str| place.post("/v1/players", &json!({"name": name}))["token"].as_str().unwrap().to_owned();
    let (owner, stranger) = (account("owner"), account("stranger"));
    let reply = ureq::post(format!("{}/v1/me/bots", place.url()))
        .header("authorization", format!("Bearer {owner}"))
        .header("content-type", "application/json")
        .send(json!({"name": "talker"}).to_string())
        .unwrap();
    let made: Value = read_json(reply).unwrap();
    let bot_token = made["token"].as_str().unwrap();
    let seat = game.info().bot_seats[0];
    let mut wanted = order(*game, seat, 2);
    wanted["seats"][usize::from(seat)] = json!({"kind": "open"});
    let made = place.make(&wanted);
    let rivals = OtherSeats::play(&place, &made, u64::from(seat));
    let url = format!("{}{}", place.url(), made.path);
    let bot = talker(&place.player(*game, 1));
    let env = [("SEAT_TOKEN", "none")];
    // The bot takes the open seat.
    let joined = ureq::post(format!("{url}/join"))
        .header("authorization", format!("Bearer {bot_token}"))
        .header("content-type", "application/json")
        .send(json!({"bot": true}).to_string());
    assert!(joined.is_ok(), "{joined:?}");
    let env = [&env[..], &[("KIBITZ_TOKEN", bot_token)]].concat();
    JoinProcess::start(&url, &env, &[], &bot).plays_to_the_end();
    drop(rivals);
    let seat = u64::from(seat);
    for (reader, all) in [(&owner, true), (&stranger, false)] {
        let (status, seen) = output(&place, &made, seat, Some(reader));
        assert_eq!((status, seen["all"].as_bool()), (200, Some(all)), "{seen}");
        assert!(!lines(&seen).is_empty());
    }
}
