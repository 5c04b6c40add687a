"""How a bot is asked for a move: what it sees, how long it should think, and in which forms it may answer. It must not know
the server."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from kibitz.errors import Error
from kibitz.types import ClockShown, GameSlug, Move, MoveText, Position, Seat

T = TypeVar("T")

# The number of further moves among which the time left is divided.
MOVES_TO_COME = 30
# The part of an increment or a limit that a decision should use; the rest is for the way to the server.
USABLE = 0.8


class OnlineBot(Protocol):
    """Anything that chooses moves, such as a `kibitz.Bot`. If it also has `think_time(seconds)`, that is called before."""

    def choose(self, view: Any, /) -> Any:
        """A legal move of the view's seat: an object with `notation`, the official notation, or the API's JSON."""


BotSource = OnlineBot | Callable[[], OnlineBot]
"""A bot, which then plays all matches, one decision at a time; or what makes a bot for each match, such as its class."""


class PlainView(dict[str, Any]):
    """A position as the API shows it, with its legal moves, where the native module is not installed."""

    def __init__(self, game: GameSlug, position: Position, legal_moves: Sequence[MoveText]) -> None:
        super().__init__(position)
        self.game = game
        self._legal_moves = list(legal_moves)

    def legal_moves(self) -> list[MoveText]:
        """The legal moves, each with `move` and `notation`."""
        return self._legal_moves


def view_of(game: GameSlug, position: Position, legal_moves: Sequence[MoveText]) -> Any:
    """What the bot sees: a `kibitz.View`, or a PlainView without the native module."""
    try:
        from kibitz.games import game as find_game
    except ImportError:
        return PlainView(game, position, legal_moves)
    return find_game(game).view(cast("dict[str, Any]", position))


def move_fields(move: Any) -> dict[str, Any]:
    """A bot's answer as the arguments of `matches.play`.

    Raises Error with `bad_move` if it is no move."""
    if isinstance(move, str):
        return {"notation": move}
    notation = move.get("notation") if isinstance(move, Mapping) else getattr(move, "notation", None)
    if isinstance(notation, str):
        return {"notation": notation}
    if isinstance(move, Mapping):
        return {"move": cast(Move, dict(move))}
    raise Error("bad_move", f"choose must return a move, a notation, or a move as JSON, not {type(move).__name__}")


def thinking_time(clock: ClockShown | None, seat: Seat) -> float | None:
    """How long a decision should take, in seconds: a part of the time left and most of the increment. `None`: no limit."""
    if clock is None:
        return None
    limits = []
    left = clock["left_ms"][seat]
    if left is not None:
        increment = clock.get("increment_ms") or 0
        limits.append(left / MOVES_TO_COME + USABLE * increment)
        limits.append(USABLE * left)
    if move_ms := clock.get("move_ms"):
        limits.append(USABLE * move_ms)
    return min(limits) / 1000 if limits else None


class MatchBot:
    """The bot of one match. `lock`: held while a bot that plays several matches decides."""

    def __init__(self, bot: OnlineBot, lock: threading.Lock) -> None:
        self._bot = bot
        self._lock = lock

    async def choose(self, view: Any, seconds: float | None) -> Any:
        """The bot's answer. The bot runs on a thread, so other matches go on meanwhile."""
        think_time = getattr(self._bot, "think_time", None)

        def decide() -> Any:
            with self._lock:
                if think_time is not None and seconds is not None:
                    think_time(seconds)
                return self._bot.choose(view)

        return await in_thread(decide)


class Bots:
    """Where the bots of matches come from."""

    def __init__(self, source: BotSource) -> None:
        self._source = source
        self._lock = threading.Lock()

    def of_match(self) -> MatchBot:
        """The bot of a new match.

        Raises Error with `bad_value` if the source makes no bot."""
        if hasattr(self._source, "choose") and not isinstance(self._source, type):
            return MatchBot(cast(OnlineBot, self._source), self._lock)
        made = cast(Callable[[], OnlineBot], self._source)()
        if not hasattr(made, "choose"):
            raise Error("bad_value", f"a bot needs a method choose(view); {type(made).__name__} has none")
        return MatchBot(made, threading.Lock())


async def in_thread(call: Callable[[], T]) -> T:
    """The result of a call on a thread of its own. The thread does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return  # The decision is not needed any more.
        if error is None:
            future.set_result(cast(T, result))
        else:
            future.set_exception(error)

    def run() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = call()
        except Exception as error:
            # A future does not take this exception, which would end an iterator.
            failure = RuntimeError("choose raised StopIteration") if isinstance(error, StopIteration) else error
        except BaseException as error:
            failure = RuntimeError(f"choose raised {error!r}")
        # The loop may be closed: then the program ends.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, name="kibitz-choose", daemon=True).start()
    return await future
