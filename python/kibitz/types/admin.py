"""Types of the operations on admin. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.common import (
    AnyPlayerName,
    GameSlug,
    PlayerName,
    ProgramReport,
    ProgramResults,
    ProgramState,
    Reported,
)

__all__ = [
    "AdminPlayers",
    "AdminProgram",
    "AdminPrograms",
    "BanList",
    "BanRequest",
    "BanShown",
    "DisableRequest",
    "DisabledModule",
    "InvitationAnswer",
    "InvitationList",
    "InvitationRequest",
    "InvitationShown",
    "PlayerListed",
    "RatingCheckAnswer",
    "RenameRequest",
    "ReportList",
    "ReportShown",
    "RestrictionKind",
    "RestrictionList",
    "RestrictionRequest",
    "RestrictionShown",
    "RetentionAnswer",
    "RetentionRequest",
    "RevokeAnswer",
    "RevokeRequest",
]


class PlayerListed(TypedDict):
    """A player in the operator's list."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    name: str


class AdminPlayers(TypedDict):
    """A page of players, in the order of their names."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""

    players: list[PlayerListed]


class AdminProgram(TypedDict):
    """A program in the operator's list."""

    activate: bool
    """Whether it becomes active when its check has passed."""

    activated_ms: int | None
    """The time at which it became active for the last time, in milliseconds since 1970; `null`: it never was."""

    bot: str
    """The name of the bot."""

    created_ms: int
    """The time of the upload, in milliseconds since 1970."""

    disabled: NotRequired[str | None]
    """Why the operator has disabled it; absent if it is not."""

    game: GameSlug
    """The game's short name."""

    hash: str
    """The SHA-256 of its module, hexadecimal."""

    note: str
    """The owner's note."""

    number: int
    """Its number among the bot's programs, from 1. It is never used again."""

    owner: str
    """The name of its owner."""

    published: bool
    """Whether others may download it."""

    referee: dict[str, str]
    """The settings of the referee's side of its dialogue that its check has found."""

    report: ProgramReport | None
    """The report of its check; `null` before its end."""

    results: ProgramResults
    """What it has achieved in its matches, those of its check not counted."""

    size: int
    """The size of its module, in bytes."""

    state: ProgramState
    """How far its check and its use have come."""


class DisabledModule(TypedDict):
    """The module of a program, which no bot may run any more."""

    created_ms: int
    """Since when, in milliseconds since 1970."""

    hash: str
    """Its SHA-256, hexadecimal."""

    reason: str
    """The operator's reason."""


class AdminPrograms(TypedDict):
    """Programs of all bots."""

    disabled: list[DisabledModule]
    """The modules that are disabled."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""

    programs: list[AdminProgram]
    """The programs, those of a bot one after the other."""


class BanShown(TypedDict):
    """A network whose requests are refused."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    network: str
    """The network, in CIDR notation."""

    reason: str

    until_ms: int | None
    """The time of its end, in milliseconds since 1970; `null`: it lasts until it is lifted."""


class BanList(TypedDict):
    """All bans."""

    bans: list[BanShown]
    """The bans, including those that have expired."""


class BanRequest(TypedDict):
    """A network to ban."""

    for_ms: NotRequired[int | None]
    """The duration, in milliseconds. Default: until the ban is lifted."""

    network: str
    """An address, or a network in CIDR notation. IPv6 clients are identified by their /64 network, so a smaller
    network is widened to that."""

    reason: NotRequired[str]
    """The reason, for the operator. Default: `""`."""


class DisableRequest(TypedDict):
    """A module to disable."""

    reason: NotRequired[str]
    """The reason, which the owners of its bots see: at most 200 characters on one line. Default: `""`."""


class InvitationAnswer(TypedDict):
    """A new invitation. No other answer contains its code."""

    code: str
    """The code, to be sent as `invitation` with `POST /v1/players`."""

    id: str
    """Its id in the list."""


class InvitationShown(TypedDict):
    """An invitation in the list."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    id: str
    """Its id, from which its code cannot be computed."""

    note: str

    until_ms: int | None
    """The time of its end, in milliseconds since 1970; `null`: it lasts until it is revoked."""

    used: int
    """How many players it has created."""

    uses: int
    """How many players it is for."""


class InvitationList(TypedDict):
    """All invitations."""

    invitations: list[InvitationShown]
    """The invitations, the oldest first, including those that have expired or are used up."""


class InvitationRequest(TypedDict):
    """An invitation to create."""

    for_ms: NotRequired[int | None]
    """The duration, in milliseconds. Default: until it is revoked."""

    note: NotRequired[str]
    """A note for the operator: at most 300 characters in one line. Default: `""`."""

    uses: NotRequired[int]
    """How many players it is for. Default: one."""


class RatingCheckAnswer(TypedDict):
    """The result of recomputing all ratings."""

    differences: list[str]
    """The differences from the recomputed ratings, in words, at most 20 entries; empty: everything is exactly equal."""

    ratings: int
    """Stored ratings."""

    results: int
    """Results of rated matches that count."""


class RenameRequest(TypedDict):
    """A new name for a player."""

    name: str
    """The new name."""


class ReportShown(TypedDict):
    """A report as the operator reads it."""

    about: Reported
    """The thing that it is about."""

    created_ms: int
    """The time of the report, in milliseconds since 1970."""

    id: str
    """Names the report in requests that settle it."""

    player: AnyPlayerName | None
    """The reported player, or the player who wrote the reported message. `null`: a guest, or the report is about
    neither."""

    reason: str
    """The reason that the reporter gives."""

    reporter: AnyPlayerName | None
    """The person who reports; `null`: a guest."""

    text: str | None
    """The reported message, title or description as it is now; `null`: there is none."""


class ReportList(TypedDict):
    """A page of open reports, the oldest first."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""

    reports: list[ReportShown]


RestrictionKind: TypeAlias = Literal["mute", "ban"]
"""What the operator forbids a player. - `mute`: To write what others read. - `ban`: Everything."""


class RestrictionShown(TypedDict):
    """A mute or a ban."""

    created_ms: int
    """The time of its beginning, in milliseconds since 1970."""

    kind: RestrictionKind
    """What the player may not do."""

    name: PlayerName
    """The player."""

    reason: str

    until_ms: int | None
    """The time of its end, in milliseconds since 1970; `null`: it lasts until it is lifted."""


class RestrictionList(TypedDict):
    """All mutes and bans of players."""

    restrictions: list[RestrictionShown]
    """The mutes and bans in the order of the names, including those that have expired."""


class RestrictionRequest(TypedDict):
    """Why and for how long a player is muted or banned."""

    for_ms: NotRequired[int | None]
    """The duration, in milliseconds. Default: until it is lifted."""

    reason: NotRequired[str]
    """The reason, which the player gets to read: at most 300 characters in one line. Default: `""`."""


class RetentionAnswer(TypedDict):
    """The result of deleting old matches."""

    deleted: int
    """How many matches were deleted."""


class RetentionRequest(TypedDict):
    """The matches to delete."""

    older_than_ms: int
    """Only matches that ended at least this long ago, in milliseconds."""


class RevokeAnswer(TypedDict):
    """The result of revoking a player's tokens."""

    token: str | None
    """The new token of the account, if the request asked for one."""


class RevokeRequest(TypedDict):
    """How to revoke a player's tokens."""

    reissue: NotRequired[bool]
    """Whether the answer contains a new token of the account, to be given to the player. Default: `false`."""
