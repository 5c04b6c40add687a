"""What belongs to the player whose token the client has: the account, tokens, bots and blocks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from kibitz.client import operations
from kibitz.client.asynchronous.core import Core
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

    async def get(self) -> PlayerPage:
        """The caller's own page."""
        return await self._core.call(operations.GET_ME)

    async def describe(self, about: About) -> None:
        """Replaces the description."""
        await self._core.call(operations.DESCRIBE_ME, body=about)

    async def matches(
        self,
        *,
        game: GameSlug | None = None,
        stage: Stage | None = None,
        private: bool | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[MatchEntry, None]:
        """The caller's matches, private ones included, newest first, page by page."""
        query = {"game": game, "stage": stage, "private": private, "limit": page_size}
        async with aclosing(self._core.pages(operations.LIST_OWN_MATCHES, "matches", "before", query)) as entries:
            async for entry in entries:
                yield entry

    async def follow(self) -> AsyncGenerator[LobbyEvent, None]:
        """What concerns the caller: open challenges and matches, then `ready`, then what changes. It has no end. After a lost
        connection the whole state comes again. While it is followed, the caller counts as online."""
        events = self._core.resumed(operations.FOLLOW_ME, StateResumption())
        async with aclosing(events):
            async for event in events:
                yield event

    async def challenges(self) -> Sequence[ChallengeShown]:
        """The caller's open challenges, made and received."""
        return (await self._core.call(operations.LIST_CHALLENGES))["challenges"]

    async def rotate_token(self, *, token: str | None = None, end_others: bool | None = None) -> PlayerAnswer:
        """Replaces the account's token. This client goes on with the old one: make another with `with_token`."""
        body = without_none({"token": token, "end_others": end_others})
        return await self._core.call(operations.ROTATE_TOKEN, body=body)

    async def delete(self) -> None:
        """Deletes the account and its bots, for good."""
        await self._core.call(operations.DELETE_ACCOUNT)

    async def tokens(self) -> Sequence[TokenEntry]:
        """The tokens with a scope."""
        return (await self._core.call(operations.LIST_TOKENS))["tokens"]

    async def create_token(self, name: str, scope: str, *, lifetime_ms: int | None = None) -> TokenAnswer:
        """Makes a token with a scope: `read`, `play`, `manage` or `bot:NAME`. The server shows it only once."""
        body = without_none({"name": name, "scope": scope, "lifetime_ms": lifetime_ms})
        return await self._core.call(operations.CREATE_TOKEN, body=body)

    async def revoke_token(self, id: str) -> None:
        """Makes a token with a scope invalid."""
        await self._core.call(operations.REVOKE_TOKEN, path={"id": id})

    async def blocks(self) -> Sequence[str]:
        """The names of the players whom the caller blocks."""
        return (await self._core.call(operations.LIST_BLOCKS))["blocked"]

    async def block(self, name: str) -> None:
        """Blocks a player and their bots."""
        await self._core.call(operations.BLOCK, path={"name": name})

    async def unblock(self, name: str) -> None:
        """Ends a block."""
        await self._core.call(operations.UNBLOCK, path={"name": name})

    async def bots(self) -> Sequence[OwnBot]:
        """The caller's bots."""
        return (await self._core.call(operations.LIST_OWN_BOTS))["bots"]

    async def create_bot(
        self, name: str, *, about: About | None = None, idempotency_key: str | None = None
    ) -> PlayerAnswer:
        """Creates a bot. The answer has its token, which the server shows only once."""
        body = without_none({"name": name, "about": about})
        return await self._core.call(operations.CREATE_BOT, body=body, headers={"idempotency-key": idempotency_key})

    async def describe_bot(self, name: str, about: About) -> None:
        """Replaces the description of a bot."""
        await self._core.call(operations.DESCRIBE_BOT, path={"name": name}, body=about)

    async def bot_checks(self, name: str) -> Sequence[CheckShown]:
        """The reports of the bot's check matches on the ladder."""
        return (await self._core.call(operations.LIST_BOT_CHECKS, path={"name": name}))["checks"]

    async def bot_policy(self, name: str) -> Policy:
        """The matches that a hosted bot accepts."""
        return await self._core.call(operations.GET_BOT_POLICY, path={"name": name})

    async def set_bot_policy(self, name: str, policy: Policy) -> None:
        """Sets the matches that a hosted bot accepts."""
        await self._core.call(operations.SET_BOT_POLICY, path={"name": name}, body=policy)

    async def rotate_bot_token(self, name: str) -> PlayerAnswer:
        """Gives a bot a new token; the old one becomes invalid."""
        return await self._core.call(operations.ROTATE_BOT_TOKEN, path={"name": name})

    async def revoke_bot_token(self, name: str) -> None:
        """Makes the token of a bot invalid."""
        await self._core.call(operations.REVOKE_BOT_TOKEN, path={"name": name})

    async def delete_bot(self, name: str) -> None:
        """Deletes a bot, for good."""
        await self._core.call(operations.DELETE_BOT, path={"name": name})

    async def programs(self, bot: str) -> ProgramList:
        """The programs of a hosted bot, and its fuel of the day."""
        return await self._core.call(operations.LIST_OWN_PROGRAMS, path={"name": bot})

    async def upload_program(
        self, bot: str, game: GameSlug, module: bytes, *, note: str | None = None, activate: bool | None = None
    ) -> BotProgram:
        """Uploads a WebAssembly module as a bot's program for a game. The server checks it; `program` tells how far it is."""
        query = {"game": game, "note": note, "activate": activate}
        return await self._core.call(operations.UPLOAD_PROGRAM, path={"name": bot}, query=query, body=module)

    async def program(self, bot: str, number: int) -> BotProgram:
        """One program and the report of its check."""
        return await self._core.call(operations.GET_OWN_PROGRAM, path={"name": bot, "number": number})

    async def program_module(self, bot: str, number: int) -> bytes:
        """The WebAssembly module of a program."""
        return await self._core.call(operations.DOWNLOAD_OWN_PROGRAM, path={"name": bot, "number": number})

    async def change_program(self, bot: str, number: int, change: ProgramRequest) -> BotProgram:
        """Activates or retires a program, publishes it, or changes its note."""
        path = {"name": bot, "number": number}
        return await self._core.call(operations.CHANGE_PROGRAM, path=path, body=change)

    async def delete_program(self, bot: str, number: int) -> None:
        """Deletes a program."""
        await self._core.call(operations.DELETE_PROGRAM, path={"name": bot, "number": number})
