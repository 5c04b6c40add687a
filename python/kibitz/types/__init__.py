"""The types of the API, as TypedDicts: their names and fields are those of its JSON. Generated from /openapi.json by scripts/client-types."""

from kibitz.types.admin import *
from kibitz.types.azul import *
from kibitz.types.base import *
from kibitz.types.buraco import *
from kibitz.types.common import *
from kibitz.types.games import *
from kibitz.types.ioiwari import *
from kibitz.types.matches import *
from kibitz.types.moves import *
from kibitz.types.operations import *
from kibitz.types.players import *
from kibitz.types.puzzles import *
from kibitz.types.septica import *
from kibitz.types.splendor import *
from kibitz.types.tournaments import *
