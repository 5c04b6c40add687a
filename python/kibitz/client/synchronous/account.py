# Written by scripts/client-types from asynchronous/account.py: change that file.
"""What belongs to the player whose token the client has: the account, tokens, bots and blocks."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from kibitz.client import operations
from kibitz.client.synchronous.core import Core
from kibitz.client.request import without_none
from kibitz.client.resume import StateResumption
from kibitz.types import (
    About,
    BotProgram,
    ChallengeShown,
    CheckShown,
    GameSlug,
    LobbyEvent,
    MatchEntry,
    OwnBot,
    PlayerAnswer,
    PlayerPage,
    Policy,
    ProgramList,
    ProgramRequest,
    Stage,
    TokenAnswer,
    TokenEntry,
)


class Account:
    """The operations on the caller's account: `client.me`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self) -> PlayerPage:
        """The caller's own page."""
        return self._core.call(operations.GET_ME)

    def describe(self, about: About) -> None:
        """Replaces the description."""
        self._core.call(operations.DESCRIBE_ME, body=about)

    def matches(
        self,
        *,
        game: GameSlug | None = None,
        stage: Stage | None = None,
        private: bool | None = None,
        page_size: int | None = None,
    ) -> Generator[MatchEntry, None, None]:
        """The caller's matches, private ones included, newest first, page by page."""
        query = {"game": game, "stage": stage, "private": private, "limit": page_size}
        with closing(self._core.pages(operations.LIST_OWN_MATCHES, "matches", "before", query)) as entries:
            for entry in entries:
                yield entry

    def follow(self) -> Generator[LobbyEvent, None, None]:
        """What concerns the caller: open challenges and matches, then `ready`, then what changes. It has no end. After a lost
        connection the whole state comes again. While it is followed, the caller counts as online."""
        events = self._core.resumed(operations.FOLLOW_ME, StateResumption())
        with closing(events):
            for event in events:
                yield event

    def challenges(self) -> Sequence[ChallengeShown]:
        """The caller's open challenges, made and received."""
        return (self._core.call(operations.LIST_CHALLENGES))["challenges"]

    def rotate_token(self, *, token: str | None = None, end_others: bool | None = None) -> PlayerAnswer:
        """Replaces the account's token. This client goes on with the old one: make another with `with_token`."""
        body = without_none({"token": token, "end_others": end_others})
        return self._core.call(operations.ROTATE_TOKEN, body=body)

    def delete(self) -> None:
        """Deletes the account and its bots, for good."""
        self._core.call(operations.DELETE_ACCOUNT)

    def tokens(self) -> Sequence[TokenEntry]:
        """The tokens with a scope."""
        return (self._core.call(operations.LIST_TOKENS))["tokens"]

    def create_token(self, name: str, scope: str, *, lifetime_ms: int | None = None) -> TokenAnswer:
        """Makes a token with a scope: `read`, `play`, `manage` or `bot:NAME`. The server shows it only once."""
        body = without_none({"name": name, "scope": scope, "lifetime_ms": lifetime_ms})
        return self._core.call(operations.CREATE_TOKEN, body=body)

    def revoke_token(self, id: str) -> None:
        """Makes a token with a scope invalid."""
        self._core.call(operations.REVOKE_TOKEN, path={"id": id})

    def blocks(self) -> Sequence[str]:
        """The names of the players whom the caller blocks."""
        return (self._core.call(operations.LIST_BLOCKS))["blocked"]

    def block(self, name: str) -> None:
        """Blocks a player and their bots."""
        self._core.call(operations.BLOCK, path={"name": name})

    def unblock(self, name: str) -> None:
        """Ends a block."""
        self._core.call(operations.UNBLOCK, path={"name": name})

    def bots(self) -> Sequence[OwnBot]:
        """The caller's bots."""
        return (self._core.call(operations.LIST_OWN_BOTS))["bots"]

    def create_bot(
        self, name: str, *, about: About | None = None, idempotency_key: str | None = None
    ) -> PlayerAnswer:
        """Creates a bot. The answer has its token, which the server shows only once."""
        body = without_none({"name": name, "about": about})
        return self._core.call(operations.CREATE_BOT, body=body, headers={"idempotency-key": idempotency_key})

    def describe_bot(self, name: str, about: About) -> None:
        """Replaces the description of a bot."""
        self._core.call(operations.DESCRIBE_BOT, path={"name": name}, body=about)

    def bot_checks(self, name: str) -> Sequence[CheckShown]:
        """The reports of the bot's check matches on the ladder."""
        return (self._core.call(operations.LIST_BOT_CHECKS, path={"name": name}))["checks"]

    def bot_policy(self, name: str) -> Policy:
        """The matches that a hosted bot accepts."""
        return self._core.call(operations.GET_BOT_POLICY, path={"name": name})

    def set_bot_policy(self, name: str, policy: Policy) -> None:
        """Sets the matches that a hosted bot accepts."""
        self._core.call(operations.SET_BOT_POLICY, path={"name": name}, body=policy)

    def rotate_bot_token(self, name: str) -> PlayerAnswer:
        """Gives a bot a new token; the old one becomes invalid."""
        return self._core.call(operations.ROTATE_BOT_TOKEN, path={"name": name})

    def revoke_bot_token(self, name: str) -> None:
        """Makes the token of a bot invalid."""
        self._core.call(operations.REVOKE_BOT_TOKEN, path={"name": name})

    def delete_bot(self, name: str) -> None:
        """Deletes a bot, for good."""
        self._core.call(operations.DELETE_BOT, path={"name": name})

    def programs(self, bot: str) -> ProgramList:
        """The programs of a hosted bot, and its fuel of the day."""
        return self._core.call(operations.LIST_OWN_PROGRAMS, path={"name": bot})

    def upload_program(
        self, bot: str, game: GameSlug, module: bytes, *, note: str | None = None, activate: bool | None = None
    ) -> BotProgram:
        """Uploads a WebAssembly module as a bot's program for a game. The server checks it; `program` tells how far it is."""
        query = {"game": game, "note": note, "activate": activate}
        return self._core.call(operations.UPLOAD_PROGRAM, path={"name": bot}, query=query, body=module)

    def program(self, bot: str, number: int) -> BotProgram:
        """One program and the report of its check."""
        return self._core.call(operations.GET_OWN_PROGRAM, path={"name": bot, "number": number})

    def program_module(self, bot: str, number: int) -> bytes:
        """The WebAssembly module of a program."""
        return self._core.call(operations.DOWNLOAD_OWN_PROGRAM, path={"name": bot, "number": number})

    def change_program(self, bot: str, number: int, change: ProgramRequest) -> BotProgram:
        """Activates or retires a program, publishes it, or changes its note."""
        path = {"name": bot, "number": number}
        return self._core.call(operations.CHANGE_PROGRAM, path=path, body=change)

    def delete_program(self, bot: str, number: int) -> None:
        """Deletes a program."""
        self._core.call(operations.DELETE_PROGRAM, path={"name": bot, "number": number})
