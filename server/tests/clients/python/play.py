"""Plays a whole match of each game with the generated Python client, and checks all that goes over the wire against the
document. The server's address is in KIBITZ_URL."""

from __future__ import annotations

import json
import os
import time
from typing import TypeVar

from document import Document
from kibitz_client import AuthenticatedClient, Client
from kibitz_client.api.games import get_game, get_game_records, list_games, list_legal_moves, read_position
from kibitz_client.api.matches import create_match, get_match, get_record, play_move, verify_record
from kibitz_client.api.moves import continue_dialogue, request_move
from kibitz_client.api.players import create_player, get_player_records
from kibitz_client.models import (
    AdmissionAnswer,
    DialogueAnswer,
    DialogueRequest,
    GameEntry,
    GameList,
    GameSlug,
    LegalMoves,
    LegalMovesRequest,
    Level,
    MatchPage,
    MatchRequest,
    MoveAnswer,
    MoveRequest,
    OfficialPosition,
    OfficialText,
    PlayerAnswer,
    PlayerRequest,
    PlayRequest,
    Problem,
    ProblemCode,
    Record,
    RecordEntryMoved,
    SeatRequestEngine,
    SeatRequestMe,
    Stage,
    Verdict,
)

T = TypeVar("T")

URL = os.environ["KIBITZ_URL"]
THINK_MS = 5


def wanted(answer: object, kind: type[T]) -> T:
    """The answer, which must be of this kind."""
    assert isinstance(answer, kind), answer
    return answer


def refused(answer: object, code: ProblemCode) -> Problem:
    """The answer, which must be a problem with this code."""
    problem = wanted(answer, Problem)
    assert problem.code == code, problem
    return problem


def my_turn(client: AuthenticatedClient, id: str) -> MatchPage:
    """The match when it is the caller's turn, or over."""
    while True:
        page = wanted(get_match.sync(id, client=client), MatchPage)
        if page.stage == Stage.OVER or (page.turn is not None and page.turn == page.you):
            return page
        time.sleep(0.005)


def decide(client: AuthenticatedClient, page: MatchPage) -> PlayRequest:
    """The engine's move for the position of the page, in both its forms by turns."""
    position = page.position
    assert position is not None
    request = MoveRequest(position=position, think_ms=THINK_MS, deadline_ms=60_000, candidates=2)
    answer = wanted(request_move.sync(page.game, client=client, body=request), MoveAnswer)
    if page.ply == 0:
        asked = LegalMovesRequest(position=position, notations=[answer.notation, "nonsense"])
        moves = wanted(list_legal_moves.sync(page.game, client=client, body=asked), LegalMoves)
        assert [checked.legal for checked in moves.checked] == [True, False], moves
        assert moves.moves == page.legal_moves, "the position is not what the server sent"
    if page.ply % 2:
        return PlayRequest(notation=answer.notation, ply=page.ply)
    return PlayRequest(move=answer.move, ply=page.ply)


def play(client: AuthenticatedClient, game: GameEntry) -> int:
    """Plays a match to its end; the number of moves of the caller."""
    seats: list[SeatRequestEngine | SeatRequestMe] = [
        SeatRequestEngine(kind="engine", level=Level.EASY, think_ms=THINK_MS) for _ in range(max(2, game.min_seats))
    ]
    # The first seat that the contest gives to a bot: not all games begin with the same.
    seats[game.bot_seats[0]] = SeatRequestMe(kind="me")
    order = MatchRequest(game=game.slug, seats=list(seats), seed=12)
    made = wanted(create_match.sync(client=client, body=order), AdmissionAnswer)
    refused(get_record.sync(made.id, client=client), ProblemCode.MATCH_NOT_OVER)
    moves = 0
    while (page := my_turn(client, made.id)).stage != Stage.OVER:
        move = decide(client, page)
        answer = play_move.sync(made.id, client=client, body=move)
        assert not isinstance(answer, Problem | None), answer
        if moves == 0:
            late = PlayRequest(notation="nonsense", ply=page.ply)
            stale = refused(play_move.sync(made.id, client=client, body=late), ProblemCode.STALE_PLY)
            assert isinstance(stale.match, MatchPage) and stale.match.ply > page.ply, stale
        moves += 1
    assert page.result is not None and len(page.result.ranks) == len(seats), page.result
    record = wanted(get_record.sync(made.id, client=client), Record)
    played = sum(isinstance(event, RecordEntryMoved) for event in record.events)
    assert played == page.ply > 0 and record.seed == page.seed, record
    verdict = wanted(verify_record.sync(made.id, client=client), Verdict)
    assert verdict.true_, verdict
    return moves


# What a bot of the contest reads first.
CONTEST = "4 3 2 4 2 3 2"


def dialogue(client: AuthenticatedClient) -> None:
    """What a contest's text is good for: the lines to print, and a position to think about."""
    asked = DialogueRequest(text=CONTEST, think_ms=THINK_MS, deadline_ms=60_000)
    printed = wanted(continue_dialogue.sync(GameSlug.IOIWARI, client=client, body=asked), DialogueAnswer)
    assert len(printed.lines) == 1 and not printed.remarks, printed
    text = OfficialText(text=CONTEST)
    read = wanted(read_position.sync(GameSlug.IOIWARI, client=client, body=text), OfficialPosition)
    request = MoveRequest(position=read.position, think_ms=THINK_MS, deadline_ms=60_000)
    answer = wanted(request_move.sync(GameSlug.IOIWARI, client=client, body=request), MoveAnswer)
    assert answer.notation.isdigit(), answer


def downloads(client: AuthenticatedClient, player: str, games: list[GameEntry]) -> None:
    """The records of the matches that were played: each line is one."""
    lines = wanted(get_player_records.sync(player, client=client), str).splitlines()
    assert len(lines) == len(games) and all(Record.from_dict(json.loads(line)).seed for line in lines), lines
    month = time.strftime("%Y-%m", time.gmtime())
    of_game = wanted(get_game_records.sync(games[0].slug, client=client, month=month, rated=False), str)
    assert of_game.splitlines(), of_game


def main() -> None:
    document = Document(URL)
    options = {"event_hooks": document.hooks()}
    anyone = Client(base_url=URL, httpx_args=options)
    player = wanted(create_player.sync(client=anyone, body=PlayerRequest(name="python")), PlayerAnswer)
    client = AuthenticatedClient(base_url=URL, token=player.token, httpx_args=options)
    games = wanted(list_games.sync(client=anyone), GameList).games
    assert {game.slug for game in games} == set(GameSlug), "the document names other games than the server"
    for game in games:
        wanted(get_game.sync(game.slug, client=anyone), object)
        began = time.monotonic()
        moves = play(client, game)
        print(f"python: {game.slug.value}: a match with {moves} moves of ours, {time.monotonic() - began:.1f} s")
    dialogue(client)
    downloads(client, player.name, games)

if __name__ == "__main__":
    main()
