"""All operations of the API, with the type of each answer. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Final

from kibitz.client.operation import Operation
from kibitz.types import (
    AdminPlayers,
    AdminPrograms,
    AdmissionAnswer,
    AnalysisFrame,
    AnalysisStage,
    BanList,
    BanShown,
    BlockList,
    BotFaults,
    BotList,
    BotOutput,
    BotProgram,
    BotsOnline,
    CeremonyAnswer,
    ChallengeList,
    ChallengeShown,
    Chat,
    ChatMessage,
    CheckList,
    DialogueAnswer,
    FileAnswer,
    FirstMoves,
    GameList,
    GamePage,
    InvitationAnswer,
    InvitationList,
    Leaderboard,
    LegalMoves,
    LobbyEvent,
    LobbyShown,
    MatchEvent,
    MatchLink,
    MatchList,
    MatchPage,
    MatchRatings,
    MistakeList,
    MoveAnswer,
    NextPosition,
    OfferedFileList,
    OfficialPosition,
    OpponentList,
    PasskeyEntry,
    PasskeyList,
    PlayerAnswer,
    PlayerPage,
    Policy,
    PositionAnswer,
    ProgramList,
    PublicPrograms,
    PushSubscriptionEntry,
    PushSubscriptionList,
    PuzzlePage,
    PuzzleTryAnswer,
    QrAnswer,
    RatingCheckAnswer,
    RatingHistory,
    RecordFile,
    RecoveryCodesAnswer,
    ReportAnswer,
    ReportList,
    RestrictionList,
    RestrictionShown,
    RetentionAnswer,
    RevokeAnswer,
    SeatDialogueText,
    SignInAnswer,
    StreamFrame,
    TokenAnswer,
    TokenList,
    TournamentFrame,
    TournamentList,
    TournamentPage,
    VacationAnswer,
    Verdict,
)

DOWNLOAD: Final[Operation[None]] = Operation(
    "download", "GET", "/downloads/{file}", "", True, False
)
"""Download a file that the server hands out. Its `ETag` is its SHA-256."""

CHECK_HEALTH: Final[Operation[str]] = Operation(
    "checkHealth", "GET", "/healthz", "text/plain", True, False
)
"""Check that the process is alive."""

GET_METRICS: Final[Operation[str]] = Operation(
    "getMetrics", "GET", "/metrics", "text/plain", True, False
)
"""Metrics for Prometheus. A request from the server's own machine or private network that no proxy passed on needs no token.
Others need the admin token."""

CHECK_READINESS: Final[Operation[str]] = Operation(
    "checkReadiness", "GET", "/readyz", "text/plain", True, False
)
"""Check that the server takes new work."""

ADMIN_UNBAN: Final[Operation[None]] = Operation(
    "adminUnban", "DELETE", "/v1/admin/bans", "", False, False
)
"""Lift a ban."""

ADMIN_LIST_BANS: Final[Operation[BanList]] = Operation(
    "adminListBans", "GET", "/v1/admin/bans", "application/json", True, False
)
"""List all bans."""

ADMIN_BAN: Final[Operation[BanShown]] = Operation(
    "adminBan", "POST", "/v1/admin/bans", "application/json", False, False
)
"""Ban an address or a network."""

ADMIN_LIST_INVITATIONS: Final[Operation[InvitationList]] = Operation(
    "adminListInvitations", "GET", "/v1/admin/invitations", "application/json", True, False
)
"""List all invitations, the oldest first."""

ADMIN_INVITE: Final[Operation[InvitationAnswer]] = Operation(
    "adminInvite", "POST", "/v1/admin/invitations", "application/json", False, False
)
"""Create an invitation, with which players can be created while the server wants one (`--registration invitation`)."""

ADMIN_REVOKE_INVITATION: Final[Operation[None]] = Operation(
    "adminRevokeInvitation", "DELETE", "/v1/admin/invitations/{id}", "", False, False
)
"""Revoke an invitation: it is deleted. The players that it has created stay."""

ADMIN_LIST_MATCHES: Final[Operation[MatchList]] = Operation(
    "adminListMatches", "GET", "/v1/admin/matches", "application/json", True, False
)
"""List all matches, the newest first, private ones included."""

ADMIN_DELETE_MATCH: Final[Operation[None]] = Operation(
    "adminDeleteMatch", "DELETE", "/v1/admin/matches/{id}", "", False, False
)
"""Delete a match."""

ADMIN_DELETE_ANALYSIS: Final[Operation[None]] = Operation(
    "adminDeleteAnalysis", "DELETE", "/v1/admin/matches/{id}/analysis", "", False, False
)
"""Delete the analysis of a match, or cancel it."""

ADMIN_ANNUL_MATCH: Final[Operation[None]] = Operation(
    "adminAnnulMatch", "POST", "/v1/admin/matches/{id}/annul", "", False, False
)
"""Annul the result of a rated match."""

ADMIN_DELETE_MESSAGE: Final[Operation[None]] = Operation(
    "adminDeleteMessage", "DELETE", "/v1/admin/matches/{id}/chat/{n}", "", False, False
)
"""Delete a message in the chat of a match."""

ADMIN_END_MATCH: Final[Operation[MatchEvent]] = Operation(
    "adminEndMatch", "POST", "/v1/admin/matches/{id}/end", "application/json", False, False
)
"""End a match without a result."""

ADMIN_LIST_PLAYERS: Final[Operation[AdminPlayers]] = Operation(
    "adminListPlayers", "GET", "/v1/admin/players", "application/json", True, False
)
"""List players in the order of their names."""

ADMIN_REMOVE_PLAYER: Final[Operation[None]] = Operation(
    "adminRemovePlayer", "DELETE", "/v1/admin/players/{name}", "", False, False
)
"""Delete a player's account, with the same effect as if the player deleted it."""

ADMIN_DELETE_ABOUT: Final[Operation[None]] = Operation(
    "adminDeleteAbout", "DELETE", "/v1/admin/players/{name}/about", "", False, False
)
"""Delete a player's description."""

ADMIN_RENAME_PLAYER: Final[Operation[None]] = Operation(
    "adminRenamePlayer", "POST", "/v1/admin/players/{name}/rename", "", False, False
)
"""Rename a player."""

ADMIN_LIFT_RESTRICTION: Final[Operation[None]] = Operation(
    "adminLiftRestriction", "DELETE", "/v1/admin/players/{name}/restrictions/{kind}", "", False, False
)
"""Lift the mute or the ban of a player."""

ADMIN_RESTRICT: Final[Operation[RestrictionShown]] = Operation(
    "adminRestrict", "PUT", "/v1/admin/players/{name}/restrictions/{kind}", "application/json", True, False
)
"""Mute or ban a player, and with a person the person's bots."""

ADMIN_REVOKE_TOKEN: Final[Operation[RevokeAnswer]] = Operation(
    "adminRevokeToken", "POST", "/v1/admin/players/{name}/revoke", "application/json", False, False
)
"""Revoke a player's tokens: the account's own, those with a scope, and those with which others act for a bot."""

ADMIN_LIST_PROGRAMS: Final[Operation[AdminPrograms]] = Operation(
    "adminListPrograms", "GET", "/v1/admin/programs", "application/json", True, False
)
"""List the programs of all bots, and the modules that are disabled."""

ADMIN_ENABLE_PROGRAM: Final[Operation[None]] = Operation(
    "adminEnableProgram", "DELETE", "/v1/admin/programs/{hash}/ban", "", False, False
)
"""Enable a module again."""

ADMIN_DISABLE_PROGRAM: Final[Operation[None]] = Operation(
    "adminDisableProgram", "PUT", "/v1/admin/programs/{hash}/ban", "", True, False
)
"""Disable a module: its programs stop playing, and it cannot be uploaded. Sent again, it changes the reason."""

ADMIN_CHECK_RATINGS: Final[Operation[RatingCheckAnswer]] = Operation(
    "adminCheckRatings", "GET", "/v1/admin/ratings/check", "application/json", True, False
)
"""Recompute all ratings from the results of all rated matches, and compare them with the stored ones."""

ADMIN_LIST_REPORTS: Final[Operation[ReportList]] = Operation(
    "adminListReports", "GET", "/v1/admin/reports", "application/json", True, False
)
"""List open reports, the oldest first."""

ADMIN_SETTLE_REPORT: Final[Operation[None]] = Operation(
    "adminSettleReport", "DELETE", "/v1/admin/reports/{id}", "", False, False
)
"""Settle a report: it is deleted."""

ADMIN_LIST_RESTRICTIONS: Final[Operation[RestrictionList]] = Operation(
    "adminListRestrictions", "GET", "/v1/admin/restrictions", "application/json", True, False
)
"""List all mutes and bans of players."""

ADMIN_DELETE_OLD_MATCHES: Final[Operation[RetentionAnswer]] = Operation(
    "adminDeleteOldMatches", "POST", "/v1/admin/retention", "application/json", False, False
)
"""Delete old matches that are over, with all their events."""

ADMIN_DELETE_TOURNAMENT: Final[Operation[None]] = Operation(
    "adminDeleteTournament", "DELETE", "/v1/admin/tournaments/{id}", "", False, False
)
"""Delete a tournament."""

ADMIN_ABORT_TOURNAMENT: Final[Operation[None]] = Operation(
    "adminAbortTournament", "POST", "/v1/admin/tournaments/{id}/abort", "", False, False
)
"""Abort a tournament."""

ADMIN_REMOVE_TITLE: Final[Operation[None]] = Operation(
    "adminRemoveTitle", "DELETE", "/v1/admin/tournaments/{id}/title", "", False, False
)
"""Remove the title of a tournament."""

LIST_BOTS_ONLINE: Final[Operation[BotsOnline]] = Operation(
    "listBotsOnline", "GET", "/v1/bots", "application/json", True, False
)
"""List the bots that are online, with their policies and ratings."""

GET_CHALLENGE: Final[Operation[ChallengeShown]] = Operation(
    "getChallenge", "GET", "/v1/challenges/{id}", "application/json", True, False
)
"""Get one of the caller's challenges. A settled one can be read for a day."""

ACCEPT_CHALLENGE: Final[Operation[ChallengeShown]] = Operation(
    "acceptChallenge", "POST", "/v1/challenges/{id}/accept", "application/json", True, False
)
"""Accept a challenge. The match exists when the answer arrives. Accepting again gets the same answer."""

DECLINE_CHALLENGE: Final[Operation[ChallengeShown]] = Operation(
    "declineChallenge", "POST", "/v1/challenges/{id}/decline", "application/json", False, False
)
"""Decline a challenge."""

DELETE_REASON: Final[Operation[None]] = Operation(
    "deleteReason", "DELETE", "/v1/challenges/{id}/reason", "", False, False
)
"""Delete the reason for which the caller has declined a challenge. The challenge stays declined."""

WITHDRAW_CHALLENGE: Final[Operation[ChallengeShown]] = Operation(
    "withdrawChallenge", "POST", "/v1/challenges/{id}/withdraw", "application/json", False, False
)
"""Withdraw the caller's own challenge."""

LIST_DOWNLOADS: Final[Operation[OfferedFileList]] = Operation(
    "listDownloads", "GET", "/v1/downloads", "application/json", True, False
)
"""List the files that the server hands out: `kibitz-shim`, the Python package."""

LIST_GAMES: Final[Operation[GameList]] = Operation(
    "listGames", "GET", "/v1/games", "application/json", True, False
)
"""List the games."""

GET_GAME: Final[Operation[GamePage]] = Operation(
    "getGame", "GET", "/v1/games/{game}", "application/json", True, False
)
"""Get a game: its facts, engines, limits and schemas."""

ANALYSE_POSITION: Final[Operation[AnalysisFrame]] = Operation(
    "analysePosition", "POST", "/v1/games/{game}/analysis", "application/x-ndjson", True, False
)
"""Analyse a position."""

CONTINUE_DIALOGUE: Final[Operation[DialogueAnswer]] = Operation(
    "continueDialogue", "POST", "/v1/games/{game}/dialogue", "application/json", True, False
)
"""Continue a contest's dialogue."""

READ_FILE: Final[Operation[FileAnswer]] = Operation(
    "readFile", "POST", "/v1/games/{game}/files", "application/json", True, False
)
"""Read a file of finished matches, and show one of them turn by turn."""

LEADERBOARD: Final[Operation[Leaderboard]] = Operation(
    "leaderboard", "GET", "/v1/games/{game}/leaderboard", "application/json", True, False
)
"""List the players of a game by rating."""

LIST_LEGAL_MOVES: Final[Operation[LegalMoves]] = Operation(
    "listLegalMoves", "POST", "/v1/games/{game}/legal-moves", "application/json", True, False
)
"""List the moves that the rules allow in a position, and check the given ones."""

REQUEST_MOVE: Final[Operation[MoveAnswer]] = Operation(
    "requestMove", "POST", "/v1/games/{game}/move", "application/json", True, False
)
"""Decide in a position, or continue a dialogue."""

PLAY_IN_POSITION: Final[Operation[NextPosition]] = Operation(
    "playInPosition", "POST", "/v1/games/{game}/next-position", "application/json", True, False
)
"""Play a move in a position."""

READ_POSITION: Final[Operation[OfficialPosition]] = Operation(
    "readPosition", "POST", "/v1/games/{game}/official-position", "application/json", True, False
)
"""Read a position from a contest's official text."""

CREATE_POSITION: Final[Operation[PositionAnswer]] = Operation(
    "createPosition", "POST", "/v1/games/{game}/positions", "application/json", True, False
)
"""Create a position from a seed: the deal, or the position after a number of random moves."""

GET_GAME_RECORDS: Final[Operation[str]] = Operation(
    "getGameRecords", "GET", "/v1/games/{game}/records", "application/x-ndjson", True, False
)
"""Download the records of a game's matches of one month, the oldest first."""

GET_LOBBY: Final[Operation[LobbyShown]] = Operation(
    "getLobby", "GET", "/v1/lobby", "application/json", True, False
)
"""List the players who are online and those who wait to be paired."""

FOLLOW_LOBBY: Final[Operation[str]] = Operation(
    "followLobby", "GET", "/v1/lobby/events", "application/x-ndjson", True, False
)
"""Follow the lobby."""

LIST_MATCHES: Final[Operation[MatchList]] = Operation(
    "listMatches", "GET", "/v1/matches", "application/json", True, False
)
"""List matches, the newest first."""

CREATE_MATCH: Final[Operation[AdmissionAnswer]] = Operation(
    "createMatch", "POST", "/v1/matches", "application/json", True, True
)
"""Create a match."""

GET_MATCH: Final[Operation[MatchPage]] = Operation(
    "getMatch", "GET", "/v1/matches/{id}", "application/json", True, False
)
"""Read a match."""

ABORT_MATCH: Final[Operation[MatchEvent]] = Operation(
    "abortMatch", "POST", "/v1/matches/{id}/abort", "application/json", False, False
)
"""Abort the match, before the first move."""

CANCEL_ANALYSIS: Final[Operation[None]] = Operation(
    "cancelAnalysis", "DELETE", "/v1/matches/{id}/analysis", "", False, False
)
"""Cancel an analysis that the caller asked for and that is not finished. Without one, this changes nothing."""

GET_ANALYSIS: Final[Operation[AnalysisStage]] = Operation(
    "getAnalysis", "GET", "/v1/matches/{id}/analysis", "application/json", True, False
)
"""Read the analysis of a finished match."""

ASK_FOR_ANALYSIS: Final[Operation[AnalysisStage]] = Operation(
    "askForAnalysis", "POST", "/v1/matches/{id}/analysis", "application/json", False, False
)
"""Ask for the analysis of a finished match."""

CANCEL_MATCH: Final[Operation[MatchEvent]] = Operation(
    "cancelMatch", "POST", "/v1/matches/{id}/cancel", "application/json", False, False
)
"""Cancel a match, as its creator."""

LIST_CHAT: Final[Operation[Chat]] = Operation(
    "listChat", "GET", "/v1/matches/{id}/chat", "application/json", True, False
)
"""List the messages of a match's players, or of its spectators."""

SAY_IN_MATCH: Final[Operation[ChatMessage]] = Operation(
    "sayInMatch", "POST", "/v1/matches/{id}/chat", "application/json", False, False
)
"""Say something to the other players of a match, or to its other spectators."""

DELETE_MESSAGE: Final[Operation[None]] = Operation(
    "deleteMessage", "DELETE", "/v1/matches/{id}/chat/{n}", "", False, False
)
"""Delete a message of one's own."""

FOLLOW_MATCH: Final[Operation[StreamFrame]] = Operation(
    "followMatch", "GET", "/v1/matches/{id}/events", "application/x-ndjson", True, False
)
"""Follow a match."""

JOIN_MATCH: Final[Operation[AdmissionAnswer]] = Operation(
    "joinMatch", "POST", "/v1/matches/{id}/join", "application/json", True, True
)
"""Take a seat."""

LEAVE_MATCH: Final[Operation[MatchEvent]] = Operation(
    "leaveMatch", "POST", "/v1/matches/{id}/leave", "application/json", False, False
)
"""Give up a seat, before the start."""

PLAY_MOVE: Final[Operation[MatchEvent]] = Operation(
    "playMove", "POST", "/v1/matches/{id}/moves", "application/json", True, False
)
"""Make a move."""

GET_MATCH_RATINGS: Final[Operation[MatchRatings]] = Operation(
    "getMatchRatings", "GET", "/v1/matches/{id}/ratings", "application/json", True, False
)
"""Get the ratings of the players of a match, and what the match has changed in them."""

GET_RECORD: Final[Operation[RecordFile]] = Operation(
    "getRecord", "GET", "/v1/matches/{id}/record", "application/json", True, False
)
"""Download the record of a finished match."""

VERIFY_RECORD: Final[Operation[Verdict]] = Operation(
    "verifyRecord", "GET", "/v1/matches/{id}/record/verify", "application/json", True, False
)
"""Verify the record of a finished match."""

REMATCH: Final[Operation[MatchLink]] = Operation(
    "rematch", "POST", "/v1/matches/{id}/rematch", "application/json", False, False
)
"""Create or join the rematch of a match."""

RESIGN_MATCH: Final[Operation[MatchEvent]] = Operation(
    "resignMatch", "POST", "/v1/matches/{id}/resign", "application/json", False, False
)
"""Resign."""

GET_SEAT_DIALOGUE: Final[Operation[SeatDialogueText]] = Operation(
    "getSeatDialogue", "GET", "/v1/matches/{id}/seats/{seat}/dialogue", "application/json", True, False
)
"""Read the official dialogue of a seat: what its bot reads and writes."""

GET_BOT_OUTPUT: Final[Operation[BotOutput]] = Operation(
    "getBotOutput", "GET", "/v1/matches/{id}/seats/{seat}/output", "application/json", True, False
)
"""Read what a bot wrote to standard error, turn by turn."""

REMOVE_FROM_SEAT: Final[Operation[MatchEvent]] = Operation(
    "removeFromSeat", "POST", "/v1/matches/{id}/seats/{seat}/remove", "application/json", False, False
)
"""Remove a player, before the match starts."""

TAKE_BACK: Final[Operation[MatchEvent]] = Operation(
    "takeBack", "POST", "/v1/matches/{id}/take-back", "application/json", False, False
)
"""Take a move back, in a match against engines."""

DELETE_ACCOUNT: Final[Operation[None]] = Operation(
    "deleteAccount", "DELETE", "/v1/me", "", False, False
)
"""Delete the account."""

GET_ME: Final[Operation[PlayerPage]] = Operation(
    "getMe", "GET", "/v1/me", "application/json", True, False
)
"""Get the player whose token the request contains."""

DESCRIBE_ME: Final[Operation[None]] = Operation(
    "describeMe", "PUT", "/v1/me/about", "", True, False
)
"""Replace the caller's description of themselves. A bot can do this, too, for example with each new version."""

LIST_BLOCKS: Final[Operation[BlockList]] = Operation(
    "listBlocks", "GET", "/v1/me/blocks", "application/json", True, False
)
"""List the players whom the caller has blocked."""

UNBLOCK: Final[Operation[None]] = Operation(
    "unblock", "DELETE", "/v1/me/blocks/{name}", "", False, False
)
"""End the block of a player."""

BLOCK: Final[Operation[None]] = Operation(
    "block", "PUT", "/v1/me/blocks/{name}", "", True, False
)
"""Block a player."""

LIST_OWN_BOTS: Final[Operation[BotList]] = Operation(
    "listOwnBots", "GET", "/v1/me/bots", "application/json", True, False
)
"""List the caller's bots."""

CREATE_BOT: Final[Operation[PlayerAnswer]] = Operation(
    "createBot", "POST", "/v1/me/bots", "application/json", True, True
)
"""Create a bot: a player that belongs to the caller."""

DELETE_BOT: Final[Operation[None]] = Operation(
    "deleteBot", "DELETE", "/v1/me/bots/{name}", "", False, False
)
"""Delete one of the caller's bots, with the effect that deleting an account has."""

DESCRIBE_BOT: Final[Operation[None]] = Operation(
    "describeBot", "PUT", "/v1/me/bots/{name}/about", "", True, False
)
"""Replace the description of one of the caller's bots."""

LIST_BOT_CHECKS: Final[Operation[CheckList]] = Operation(
    "listBotChecks", "GET", "/v1/me/bots/{name}/checks", "application/json", True, False
)
"""List the check matches of one of the caller's bots, with their reports."""

GET_BOT_POLICY: Final[Operation[Policy]] = Operation(
    "getBotPolicy", "GET", "/v1/me/bots/{name}/policy", "application/json", True, False
)
"""Get the policy of one of the caller's bots for the matches that its programs play."""

SET_BOT_POLICY: Final[Operation[None]] = Operation(
    "setBotPolicy", "PUT", "/v1/me/bots/{name}/policy", "", True, False
)
"""Replace the policy of one of the caller's bots for the matches that its programs play."""

LIST_OWN_PROGRAMS: Final[Operation[ProgramList]] = Operation(
    "listOwnPrograms", "GET", "/v1/me/bots/{name}/programs", "application/json", True, False
)
"""List the programs of one of the caller's bots, the newest first, with the fuel that they have used today."""

UPLOAD_PROGRAM: Final[Operation[BotProgram]] = Operation(
    "uploadProgram", "PUT", "/v1/me/bots/{name}/programs", "application/json", True, False
)
"""Upload a program of one of the caller's bots, in one game."""

DELETE_PROGRAM: Final[Operation[None]] = Operation(
    "deleteProgram", "DELETE", "/v1/me/bots/{name}/programs/{number}", "", False, False
)
"""Delete a program of one of the caller's bots, in any state."""

GET_OWN_PROGRAM: Final[Operation[BotProgram]] = Operation(
    "getOwnProgram", "GET", "/v1/me/bots/{name}/programs/{number}", "application/json", True, False
)
"""Get a program of one of the caller's bots, with the report of its check."""

CHANGE_PROGRAM: Final[Operation[BotProgram]] = Operation(
    "changeProgram", "PATCH", "/v1/me/bots/{name}/programs/{number}", "application/json", False, False
)
"""Change the note of a program, activate or retire it, or publish it."""

DOWNLOAD_OWN_PROGRAM: Final[Operation[bytes]] = Operation(
    "downloadOwnProgram", "GET", "/v1/me/bots/{name}/programs/{number}/module", "application/wasm", True, False
)
"""Download the module of a program of one of the caller's bots."""

REVOKE_BOT_TOKEN: Final[Operation[None]] = Operation(
    "revokeBotToken", "DELETE", "/v1/me/bots/{name}/token", "", False, False
)
"""Make the token of one of the caller's bots invalid."""

ROTATE_BOT_TOKEN: Final[Operation[PlayerAnswer]] = Operation(
    "rotateBotToken", "POST", "/v1/me/bots/{name}/token", "application/json", False, False
)
"""Get a new token for one of the caller's bots. The old one becomes invalid."""

LIST_CHALLENGES: Final[Operation[ChallengeList]] = Operation(
    "listChallenges", "GET", "/v1/me/challenges", "application/json", True, False
)
"""List the caller's challenges that are open, made and received."""

FOLLOW_ME: Final[Operation[LobbyEvent]] = Operation(
    "followMe", "GET", "/v1/me/events", "application/x-ndjson", True, False
)
"""Follow the caller's challenges and matches as a stream of events."""

LIST_OWN_MATCHES: Final[Operation[MatchList]] = Operation(
    "listOwnMatches", "GET", "/v1/me/matches", "application/json", True, False
)
"""List the caller's own matches, the newest first, private ones included, without those that ended before they began."""

LIST_PASSKEYS: Final[Operation[PasskeyList]] = Operation(
    "listPasskeys", "GET", "/v1/me/passkeys", "application/json", True, False
)
"""List the caller's passkeys, and how many recovery codes are left."""

ADD_PASSKEY: Final[Operation[PasskeyEntry]] = Operation(
    "addPasskey", "POST", "/v1/me/passkeys", "application/json", False, False
)
"""Add the passkey that a device has made."""

BEGIN_PASSKEY: Final[Operation[CeremonyAnswer]] = Operation(
    "beginPasskey", "POST", "/v1/me/passkeys/options", "application/json", False, False
)
"""Begin to make a passkey."""

REMOVE_PASSKEY: Final[Operation[None]] = Operation(
    "removePasskey", "DELETE", "/v1/me/passkeys/{id}", "", False, False
)
"""Remove a passkey."""

RENAME_PASSKEY: Final[Operation[None]] = Operation(
    "renamePasskey", "PUT", "/v1/me/passkeys/{id}", "", True, False
)
"""Give a passkey another name."""

LIST_PUSH_SUBSCRIPTIONS: Final[Operation[PushSubscriptionList]] = Operation(
    "listPushSubscriptions", "GET", "/v1/me/push-subscriptions", "application/json", True, False
)
"""List the browsers in which the caller is notified, with the key with which a browser subscribes."""

ADD_PUSH_SUBSCRIPTION: Final[Operation[PushSubscriptionEntry]] = Operation(
    "addPushSubscription", "POST", "/v1/me/push-subscriptions", "application/json", False, False
)
"""Have the caller notified in a browser while no page is open."""

REMOVE_PUSH_SUBSCRIPTION: Final[Operation[None]] = Operation(
    "removePushSubscription", "DELETE", "/v1/me/push-subscriptions/{id}", "", False, False
)
"""Notify the caller in a browser no longer."""

CHANGE_PUSH_SUBSCRIPTION: Final[Operation[None]] = Operation(
    "changePushSubscription", "PUT", "/v1/me/push-subscriptions/{id}", "", True, False
)
"""Choose what a browser notifies the caller of."""

TEST_PUSH_SUBSCRIPTION: Final[Operation[None]] = Operation(
    "testPushSubscription", "POST", "/v1/me/push-subscriptions/{id}/test", "", False, False
)
"""Send a notification to a browser, to see that it works."""

MAKE_RECOVERY_CODES: Final[Operation[RecoveryCodesAnswer]] = Operation(
    "makeRecoveryCodes", "POST", "/v1/me/recovery-codes", "application/json", False, False
)
"""Make ten new recovery codes."""

ROTATE_TOKEN: Final[Operation[PlayerAnswer]] = Operation(
    "rotateToken", "POST", "/v1/me/token", "application/json", False, False
)
"""Get a new token for the account."""

LIST_TOKENS: Final[Operation[TokenList]] = Operation(
    "listTokens", "GET", "/v1/me/tokens", "application/json", True, False
)
"""List the caller's tokens besides the account's own, sign-ins among them."""

CREATE_TOKEN: Final[Operation[TokenAnswer]] = Operation(
    "createToken", "POST", "/v1/me/tokens", "application/json", False, False
)
"""Make a token with a scope: for a program that needs fewer rights than the account's own token has."""

REVOKE_TOKEN: Final[Operation[None]] = Operation(
    "revokeToken", "DELETE", "/v1/me/tokens/{id}", "", False, False
)
"""Revoke a token."""

END_VACATION: Final[Operation[None]] = Operation(
    "endVacation", "DELETE", "/v1/me/vacation", "", False, False
)
"""End the caller's vacation now, if there is one."""

GET_VACATION: Final[Operation[VacationAnswer]] = Operation(
    "getVacation", "GET", "/v1/me/vacation", "application/json", True, False
)
"""Get the caller's vacation, and what is left of the allowance."""

TAKE_VACATION: Final[Operation[VacationAnswer]] = Operation(
    "takeVacation", "PUT", "/v1/me/vacation", "application/json", True, False
)
"""Begin a vacation, or move the end of the one that goes on."""

CREATE_PLAYER: Final[Operation[PlayerAnswer]] = Operation(
    "createPlayer", "POST", "/v1/players", "application/json", True, True
)
"""Create a player: a name, and the token that proves the player's identity."""

GET_PLAYER: Final[Operation[PlayerPage]] = Operation(
    "getPlayer", "GET", "/v1/players/{name}", "application/json", True, False
)
"""Get a player, their results and their ratings."""

CHALLENGE: Final[Operation[ChallengeShown]] = Operation(
    "challenge", "POST", "/v1/players/{name}/challenges", "application/json", False, False
)
"""Challenge a player to a match."""

LIST_BOT_FAULTS: Final[Operation[BotFaults]] = Operation(
    "listBotFaults", "GET", "/v1/players/{name}/faults", "application/json", True, False
)
"""List the last faults of a bot: crashes, lines and moves that its referee refused, and late moves."""

LIST_FIRST_MOVES: Final[Operation[FirstMoves]] = Operation(
    "listFirstMoves", "GET", "/v1/players/{name}/first-moves/{game}", "application/json", True, False
)
"""Get the moves with which a player begins most often, of the last 100 public matches of a game that have a result."""

LIST_PLAYER_MATCHES: Final[Operation[MatchList]] = Operation(
    "listPlayerMatches", "GET", "/v1/players/{name}/matches", "application/json", True, False
)
"""List a player's matches, the newest first. Private ones, and those that ended before they began, are not listed."""

LIST_MISTAKES: Final[Operation[MistakeList]] = Operation(
    "listMistakes", "GET", "/v1/players/{name}/mistakes/{game}", "application/json", True, False
)
"""List the costly decisions of a player over all analysed matches of a game."""

GET_MISTAKE_SUITE: Final[Operation[str]] = Operation(
    "getMistakeSuite", "GET", "/v1/players/{name}/mistakes/{game}/suite", "application/x-ndjson", True, False
)
"""Download the costly decisions of a player as a suite for `kibitz suite`."""

LIST_OPPONENTS: Final[Operation[OpponentList]] = Operation(
    "listOpponents", "GET", "/v1/players/{name}/opponents/{game}", "application/json", True, False
)
"""List a player's results against each opponent in rated matches of a game, the most frequent opponents first."""

LIST_PROGRAMS: Final[Operation[PublicPrograms]] = Operation(
    "listPrograms", "GET", "/v1/players/{name}/programs", "application/json", True, False
)
"""List the programs of a bot that play now, and those that its owner has published."""

DOWNLOAD_PROGRAM: Final[Operation[bytes]] = Operation(
    "downloadProgram", "GET", "/v1/players/{name}/programs/{number}/module", "application/wasm", True, False
)
"""Download the module of a program that its owner has published."""

RATING_HISTORY: Final[Operation[RatingHistory]] = Operation(
    "ratingHistory", "GET", "/v1/players/{name}/ratings/{game}", "application/json", True, False
)
"""Get the history of a player's rating in a game, for a graph."""

GET_PLAYER_RECORDS: Final[Operation[str]] = Operation(
    "getPlayerRecords", "GET", "/v1/players/{name}/records", "application/x-ndjson", True, False
)
"""Download the records of a player's matches, the oldest first."""

GET_PAIRED: Final[Operation[MatchLink | None]] = Operation(
    "getPaired", "POST", "/v1/pool", "application/json", False, False
)
"""Get paired with an opponent."""

RENEW_PUSH_SUBSCRIPTION: Final[Operation[None]] = Operation(
    "renewPushSubscription", "POST", "/v1/push-subscriptions/renew", "", False, False
)
"""Replace the address and the keys of a subscription."""

DAILY_PUZZLE: Final[Operation[PuzzlePage]] = Operation(
    "dailyPuzzle", "GET", "/v1/puzzles/daily", "application/json", True, False
)
"""Get the puzzle of a game for today."""

NEXT_PUZZLE: Final[Operation[PuzzlePage]] = Operation(
    "nextPuzzle", "GET", "/v1/puzzles/next", "application/json", True, False
)
"""Get another puzzle of a game."""

GET_PUZZLE: Final[Operation[PuzzlePage]] = Operation(
    "getPuzzle", "GET", "/v1/puzzles/{id}", "application/json", True, False
)
"""Get a puzzle, without its solution."""

TRY_PUZZLE: Final[Operation[PuzzleTryAnswer]] = Operation(
    "tryPuzzle", "POST", "/v1/puzzles/{id}/tries", "application/json", False, False
)
"""Try a move in a puzzle."""

DRAW_QR: Final[Operation[QrAnswer]] = Operation(
    "drawQr", "POST", "/v1/qr", "application/json", False, False
)
"""Draw a text as a QR code, such as a link that opens a page on another device. The server does not store the text."""

REPORT: Final[Operation[ReportAnswer]] = Operation(
    "report", "POST", "/v1/reports", "application/json", False, False
)
"""Report a match, a player's name or description, a message, or the title of a tournament to the operator."""

WITHDRAW_REPORT: Final[Operation[None]] = Operation(
    "withdrawReport", "DELETE", "/v1/reports/{id}", "", False, False
)
"""Withdraw a report of one's own, with its text. A guest does this from the same address."""

SIGN_IN_WITH_PASSKEY: Final[Operation[SignInAnswer]] = Operation(
    "signInWithPasskey", "POST", "/v1/sign-in/passkey", "application/json", False, False
)
"""Sign in with a passkey."""

BEGIN_SIGN_IN: Final[Operation[CeremonyAnswer]] = Operation(
    "beginSignIn", "POST", "/v1/sign-in/passkey/options", "application/json", False, False
)
"""Begin a sign-in with a passkey."""

SIGN_IN_WITH_CODE: Final[Operation[SignInAnswer]] = Operation(
    "signInWithCode", "POST", "/v1/sign-in/recovery-code", "application/json", False, False
)
"""Sign in with a recovery code, which is then used up."""

SIGN_IN_WITH_TOKEN: Final[Operation[SignInAnswer]] = Operation(
    "signInWithToken", "POST", "/v1/sign-in/token", "application/json", False, False
)
"""Sign in with the account's own token."""

LIST_TOURNAMENTS: Final[Operation[TournamentList]] = Operation(
    "listTournaments", "GET", "/v1/tournaments", "application/json", True, False
)
"""List tournaments, the newest first."""

CREATE_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "createTournament", "POST", "/v1/tournaments", "application/json", True, True
)
"""Create a tournament."""

DELETE_TOURNAMENT: Final[Operation[None]] = Operation(
    "deleteTournament", "DELETE", "/v1/tournaments/{id}", "", False, False
)
"""Delete a tournament."""

GET_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "getTournament", "GET", "/v1/tournaments/{id}", "application/json", True, False
)
"""Read a tournament: its setup, entrants, standings, crosstable and games."""

ABORT_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "abortTournament", "POST", "/v1/tournaments/{id}/abort", "application/json", False, False
)
"""Abort a tournament."""

ENTER_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "enterTournament", "POST", "/v1/tournaments/{id}/entries", "application/json", False, False
)
"""Enter a tournament."""

LEAVE_TOURNAMENT: Final[Operation[None]] = Operation(
    "leaveTournament", "DELETE", "/v1/tournaments/{id}/entries/{name}", "", False, False
)
"""Leave a tournament, or remove an entrant."""

FOLLOW_TOURNAMENT: Final[Operation[TournamentFrame]] = Operation(
    "followTournament", "GET", "/v1/tournaments/{id}/events", "application/x-ndjson", True, False
)
"""Follow a tournament."""

PAUSE_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "pauseTournament", "POST", "/v1/tournaments/{id}/pause", "application/json", False, False
)
"""Pause a tournament."""

GET_TOURNAMENT_RECORDS: Final[Operation[str]] = Operation(
    "getTournamentRecords", "GET", "/v1/tournaments/{id}/records", "application/x-ndjson", True, False
)
"""Download the records of all matches of a tournament that is over."""

RESUME_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "resumeTournament", "POST", "/v1/tournaments/{id}/resume", "application/json", False, False
)
"""Resume a tournament that is paused."""

GET_STANDINGS_CSV: Final[Operation[str]] = Operation(
    "getStandingsCsv", "GET", "/v1/tournaments/{id}/standings.csv", "text/csv", True, False
)
"""Download the standings of a tournament as CSV."""

START_TOURNAMENT: Final[Operation[TournamentPage]] = Operation(
    "startTournament", "POST", "/v1/tournaments/{id}/start", "application/json", False, False
)
"""Start a tournament."""

REMOVE_TITLE: Final[Operation[None]] = Operation(
    "removeTitle", "DELETE", "/v1/tournaments/{id}/title", "", False, False
)
"""Remove the title of a tournament, in any stage."""
