"""How strong a bot is: matches on the same deals with seats exchanged, and the arena's own statistics.

>>> import kibitz
>>> result = kibitz.evaluate(kibitz.RandomBot("ioiwari", 1), "engine:level=easy,nodes=50", games=20, progress=False)
>>> result.games
20
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._measuring import PlanTable, Player, is_native, play_all
from ._native import Game, Trial
from .errors import Error, MissingPackage
from .games import game as find_game

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Evaluation", "Player", "evaluate"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What the matches of ``evaluate`` say. All intervals are of 95%, over deals."""

    game: Game
    players: tuple[str, ...]
    records: list[dict[str, Any]]
    """A record for each match, with the names of ``kibitz arena --json``."""
    summary: dict[str, Any]
    """All counts and intervals, with the names of ``kibitz arena --json``."""
    notes: list[str]
    """What readers should know, such as deals that are all the same."""

    @property
    def games(self) -> int:
        """The number of matches that count."""
        return int(self.summary["games"])

    @property
    def score(self) -> float:
        """The first player's share of the wins, 0 to 1."""
        return float(self.summary["players"][0]["score"]["mean"])

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of ``score``."""
        score = self.summary["players"][0]["score"]
        return float(score["low"]), float(score["high"])

    @property
    def elo(self) -> tuple[float, float, float] | None:
        """Elo difference to the second player, and its interval; ``None`` unless the match has two seats."""
        found = self.summary["players"][0]["elo"]
        if found is None:
            return None
        limits = (-float("inf"), float("inf"))
        low, high = (
            limit if found[key] is None else found[key] for key, limit in zip(("low", "high"), limits, strict=True)
        )
        mean = found["mean"]
        if mean is None:
            mean = limits[self.score > 0.5]
        return mean, low, high

    @property
    def accepted(self) -> str | None:
        """The claim of the sequential test that is accepted: ``H0`` (not stronger), ``H1``, or none yet."""
        test = self.summary["sprt"]
        return None if test is None else test["accepted"]

    def to_frame(self) -> pd.DataFrame:
        """A row for each match and seat: game, deal, seat, player, points, rank, score, plies, reason."""
        try:
            import pandas
        except ImportError as error:
            raise MissingPackage("pandas", "measure") from error
        frame: pd.DataFrame = pandas.DataFrame(list(self._rows()))
        return frame

    def _rows(self) -> Iterator[dict[str, Any]]:
        for record in self.records:
            outcome = record["outcome"]
            winners = max(outcome["ranks"].count(1), 1)
            for seat, held in enumerate(record["seats"]):
                rank = outcome["ranks"][seat]
                yield {
                    "game": record["game"],
                    "deal": record["deal"],
                    "seat": seat,
                    "player": held["player"],
                    "points": outcome["points"][seat],
                    "rank": rank,
                    "score": 1 / winners if rank == 1 else 0.0,
                    "plies": record["plies"],
                    "reason": outcome["reason"],
                }

    def plot(self, ax: Axes | None = None) -> Axes:
        """The score of each player, with its interval and the share that its seats alone would give."""
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingPackage("matplotlib", "measure") from error
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 1 + 0.6 * len(self.players)), layout="constrained")
        for place, player in enumerate(self.summary["players"]):
            score = player["score"]
            margins = [[score["mean"] - score["low"]], [score["high"] - score["mean"]]]
            ax.errorbar(score["mean"], place, xerr=margins, fmt="o", capsize=4, color=f"C{place}")
            ax.axvline(player["fair"], color="0.7", linestyle=":", linewidth=1)
        ax.set_yticks(range(len(self.players)), self.players)
        ax.set(xlim=(0, 1), ylim=(len(self.players) - 0.5, -0.5), xlabel="score, with 95% interval")
        ax.set_title(f"{self.game.title}: {self.games} games")
        return ax

    def __str__(self) -> str:
        lines = [f"{self.game.title}: {self.games} games on {self.summary['deals']} deals"]
        width = max(map(len, self.players))
        for player in self.summary["players"]:
            score = player["score"]
            lines.append(
                f"{player['name']:{width}}  {score['mean']:6.1%} [{score['low']:.1%}, {score['high']:.1%}]"
                f"  {player['wins']} won, {player['draws']} drawn, {player['losses']} lost"
            )
        test = self.summary["sprt"]
        if test is not None:
            lines.append(
                f"LLR {test['llr']:+.2f} [{test['lower']:+.2f}, {test['upper']:+.2f}]: {test['accepted'] or 'undecided'}"
            )
        return "\n".join([*lines, *self.notes])


def evaluate(
    player: Player,
    opponent: Player = "engine:medium",
    *,
    game: str | Game | None = None,
    games: int = 200,
    seed: int | str | bytes = 1,
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    sprt: tuple[float, float] | None = None,
    risks: tuple[float, float] = (0.05, 0.05),
    processes: int | None = None,
    progress: bool = True,
) -> Evaluation:
    """Plays ``player`` against ``opponent``: the same deals with seats exchanged, as ``kibitz arena`` does.

    ``game`` is needed unless a player has an attribute ``game``. A class stands for one object a match; it is called
    with the game if it takes an argument. ``sprt``: the Elo bounds of a sequential test, which ends the matches as soon
    as it is decided, with the ``risks`` alpha and beta. ``processes``: worker processes for players of Python, by default
    one for each core; 1 plays in this process. Players need not be picklable where the system can fork. Engines use
    threads. An illegal move is a foul, as in a contest; an exception of a player ends the call.

    Raises ``Error`` with ``bad_plan``, ``bad_value``, ``unknown_game``, ``bad_options``.
    """
    played = _game_of(game, player, opponent)
    names = _names(player, opponent)
    chosen = played.options_for(seats) if seats is not None and options is None else options
    bounds = None if sprt is None else (*_pair("sprt", sprt), *_pair("risks", risks))
    settings = {"games": games, "options": chosen, "seed": seed, "sprt": bounds}
    table = PlanTable(played, names, (player, opponent), settings)
    plan = table.plan
    records: list[dict[str, Any]] = []
    trial = plan.trial()
    with _bar(progress, plan.games) as advance:
        for part in play_all(table, processes, all(is_native(one) for one in (player, opponent))):
            records += part
            advance(len(part))
            if trial is not None and _decides(trial, part):
                break
    return Evaluation(played, names, records, plan.summary(records), plan.notes)


def _pair(name: str, values: tuple[float, float]) -> tuple[float, float]:
    try:
        first, second = values
    except (TypeError, ValueError) as error:
        raise Error("bad_value", f"{name} is a pair of numbers, not {values!r}") from error
    return first, second


def _decides(trial: Trial, records: list[dict[str, Any]]) -> bool:
    """Counts the records; whether the test has accepted a claim."""
    return any([trial.add(record) is not None for record in records])


def _game_of(game: str | Game | None, *players: Player) -> Game:
    if game is not None:
        return find_game(game)
    for player in players:
        found = getattr(player, "game", None)
        if isinstance(found, (str, Game)):
            return find_game(found)
    raise Error("bad_value", "say which game: evaluate(..., game='azul')")


def _names(*players: Player) -> tuple[str, ...]:
    """A name for each player, all different and without spaces."""
    names: list[str] = []
    for player in players:
        name = player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__)
        name = "".join("_" if letter.isspace() else letter for letter in name)[:30]
        while name in names:
            name += "'"
        names.append(name)
    return tuple(names)


class _bar:
    """A progress bar if the package tqdm is there; the value counts matches."""

    def __init__(self, wanted: bool, games: int) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=games, unit="game")

    def __enter__(self) -> Callable[[int], None]:
        return lambda count: None if self._bar is None else self._bar.update(count)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
