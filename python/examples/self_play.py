"""Learns a game by playing against itself, with numpy alone: python self_play.py ioiwari

A network with one hidden layer chooses the moves of both seats. After each batch of matches the moves of the winners
become likelier, and those of the losers less likely (REINFORCE). Every few rounds it plays against random moves.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import kibitz

Floats = npt.NDArray[np.float32]


class Network:
    """Chances of the actions from an observation."""

    def __init__(self, game: kibitz.Game, hidden: int, rng: np.random.Generator) -> None:
        layout = game.encoding
        assert layout is not None, "every game of kibitz has observations and actions"
        highs = [np.repeat(f["high"], int(np.prod(f["shape"]))) for f in layout["observation"]]
        self.scale = (1 / np.concatenate(highs)).astype(np.float32)
        # Small counts mean other things, not more of the same: each value has its own input.
        self.small = np.flatnonzero((self.scale < 1) & (self.scale >= 1 / 6))
        inputs = layout["observation_len"] + 7 * len(self.small)
        actions = layout["action_count"]
        self.weights: list[Floats] = [
            (rng.standard_normal((inputs, hidden)) / np.sqrt(inputs)).astype(np.float32),
            np.zeros(hidden, np.float32),
            np.zeros((hidden, actions), np.float32),
            np.zeros(actions, np.float32),
        ]
        self.moments: list[list[Floats]] = [[np.zeros_like(w) for w in self.weights] for _ in range(2)]
        self.steps = 0

    def forward(
        self, observations: npt.NDArray[np.int16], masks: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats, Floats]:
        """The inputs, the hidden layer, and the chances, which are 0 for illegal actions."""
        values = observations[:, self.small, None] == np.arange(7)
        inputs = np.hstack([observations * self.scale, values.reshape(len(observations), -1)]).astype(np.float32)
        hidden = np.maximum(inputs @ self.weights[0] + self.weights[1], 0)
        scores = np.where(masks, hidden @ self.weights[2] + self.weights[3], -np.inf)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return inputs, hidden, chances / chances.sum(axis=1, keepdims=True)

    def learn(self, inputs: Floats, hidden: Floats, slope: Floats, rate: float) -> None:
        """One step of Adam against the slope of the loss by the scores of the actions."""
        back = (slope @ self.weights[2].T) * (hidden > 0)
        slopes = [inputs.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]
        self.steps += 1
        for place, gradient in enumerate(slopes):
            mean, square = self.moments[0][place], self.moments[1][place]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            bias = np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
            self.weights[place] -= rate * bias * mean / (np.sqrt(square) + 1e-8)


@dataclass
class Round:
    """The decisions of a batch of matches, one array a step."""

    observations: list[Any] = field(default_factory=list)
    masks: list[Any] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    places: list[Any] = field(default_factory=list)
    turns: list[Any] = field(default_factory=list)


def draw(chances: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """An action for each row, by its chances."""
    # The greatest of chance ** (1 / u) has these chances (Efraimidis and Spirakis).
    with np.errstate(divide="ignore"):
        chosen: npt.NDArray[np.int64] = (np.log(chances) - np.log(-np.log(rng.random(chances.shape)))).argmax(axis=1)
    return chosen


def play(network: Network, batch: kibitz.MatchBatch, rng: np.random.Generator) -> Round:
    """Plays all matches of the batch to their ends."""
    played = Round()
    actions = np.zeros(len(batch), np.int64)
    while not batch.over.all():
        places = np.flatnonzero(~batch.over)
        observations, masks = batch.observations[places], batch.action_masks[places]
        chosen = draw(network.forward(observations, masks)[2], rng)
        for kept, new in zip(
            (played.observations, played.masks, played.actions, played.places, played.turns),
            (observations, masks, chosen, places, batch.turns[places]),
            strict=True,
        ):
            kept.append(new)
        actions[places] = chosen
        batch.step(actions)
    return played


def improve(network: Network, batch: kibitz.MatchBatch, played: Round, rate: float, entropy: float = 0.003) -> None:
    """Makes the actions of winners likelier."""
    observations, masks, actions = (
        np.concatenate(part) for part in (played.observations, played.masks, played.actions)
    )
    places, turns = np.concatenate(played.places), np.concatenate(played.turns)
    advantages = batch.rewards[places, turns]
    order = np.random.default_rng(network.steps).permutation(len(actions))
    for part in np.array_split(order, max(len(order) // 2048, 1)):
        inputs, hidden, chances = network.forward(observations[part], masks[part])
        target = np.zeros_like(chances)
        target[np.arange(len(part)), actions[part]] = 1
        slope = (chances - target) * advantages[part, None]
        # A little disorder keeps the network trying.
        logs = np.log(np.maximum(chances, 1e-9))
        slope += entropy * chances * (logs - (chances * logs).sum(axis=1, keepdims=True))
        network.learn(inputs, hidden, slope / len(part), rate)


def strength(network: Network, game: str, matches: int, seed: int) -> float:
    """The score of the network, which plays its likeliest moves, against random moves."""
    batch = kibitz.MatchBatch(game, matches, seed=seed, opponent="random")
    while not batch.over.all():
        masks = batch.action_masks | ~batch.action_masks.any(axis=1, keepdims=True)
        batch.step(network.forward(batch.observations, masks)[2].argmax(axis=1))
    won = batch.rewards[np.arange(matches), batch.turns]
    return float((won + 1).mean() / 2)


def train(
    game: str, *, rounds: int, matches: int = 256, hidden: int = 128, rate: float = 1e-2, seed: int = 1
) -> list[float]:
    """The learning curve: the score against random moves after each tenth of the rounds, the first before them."""
    rng = np.random.default_rng(seed)
    network = Network(kibitz.game(game), hidden, rng)
    curve = [strength(network, game, 200, seed=10**6)]
    began = time.perf_counter()
    for number in range(rounds):
        batch = kibitz.MatchBatch(game, matches, seed=seed, first_deal=number * matches)
        improve(network, batch, play(network, batch, rng), rate)
        if (number + 1) * 10 // rounds > number * 10 // rounds:
            curve.append(strength(network, game, 200, seed=10**6))
            print(
                f"{number + 1:5} rounds {time.perf_counter() - began:6.1f} s  score against random moves {curve[-1]:.3f}",
                flush=True,
            )
    return curve


def plot(curve: list[float], game: str, file: str) -> None:
    """Draws the learning curve into a file."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(layout="constrained")
    axes.plot(np.linspace(0, 100, len(curve)), curve, marker="o")
    axes.axhline(0.5, color="0.7", linestyle=":")
    axes.set(xlabel="% of the rounds", ylabel="score against random moves", title=f"{game}, self-play", ylim=(0, 1))
    figure.savefig(file)


def main() -> None:
    """Trains by the command line."""
    parser = argparse.ArgumentParser(description="Learns a game by playing against itself.")
    parser.add_argument("game", choices=[game.name for game in kibitz.games.games()])
    parser.add_argument("--rounds", type=int, default=100, help="batches of matches to learn from")
    parser.add_argument("--matches", type=int, default=256, help="matches of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", metavar="FILE", help="draw the learning curve into this file (needs matplotlib)")
    options = parser.parse_args()
    curve = train(options.game, rounds=options.rounds, matches=options.matches, seed=options.seed)
    if options.plot:
        plot(curve, options.game, options.plot)


if __name__ == "__main__":
    main()
