"""Turns the schemas of the document into Python types: one module for each game, and one for each tag of operations.

Module `base` has what games need, the modules of games build on it, `common` has what several tags need, and the modules of
tags build on all of these. No module imports a later one, so that all types exist at run time."""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

PREFIX = "#/components/schemas/"
WIDTH = 120
HEADER = '"""{title} Generated from /openapi.json by scripts/client-types."""\n'


def references(schema: Any) -> Iterator[str]:
    """The names of the schemas that a schema mentions, its own parts included."""
    if isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(PREFIX)
        for key, value in schema.items():
            if key not in ("example", "examples", "default", "const", "enum"):
                yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def reach(schemas: dict[str, Schema], start: set[str]) -> set[str]:
    """The schemas that these ones need, themselves included."""
    found: set[str] = set()
    todo = list(start)
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += references(schemas[name])
    return found


def literal(values: list[Any]) -> str:
    return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def annotation(schema: Schema) -> str:
    """The Python type of a schema that is no class of its own."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(PREFIX)
    if "const" in schema:
        return literal([schema["const"]])
    if "enum" in schema:
        return literal(schema["enum"])
    for kind in ("oneOf", "anyOf"):
        if kind in schema and "properties" not in schema:
            return union(annotation(option) for option in schema[kind])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return union(annotation({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"list[{annotation(schema.get('items', {}))}]"
    if kinds == "object":
        inner = schema.get("additionalProperties")
        return f"dict[str, {annotation(inner) if isinstance(inner, dict) else 'Any'}]"
    return SIMPLE.get(str(kinds), "Any")


def union(options: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(options))


def is_class(schema: Schema) -> bool:
    return bool(schema.get("properties"))


def note(text: str | None, indent: str) -> str:
    """A description as a docstring, without the empty lines that a field's does not need."""
    if not text:
        return ""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = [line for part in paragraphs for line in textwrap.wrap(part, WIDTH - len(indent) - 6)]
    body = f"\n{indent}".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    end = " " if body.endswith('"') else ""
    return f'{indent}"""{body}{end}"""\n'


def declaration(name: str, schema: Schema) -> str:
    """The Python code that declares a schema."""
    described = schema.get("description")
    if not is_class(schema):
        code = f"{name}: TypeAlias = {annotation(schema)}\n"
        return code + (note(described, "") or f'"""The type `{name}` of the API."""\n')
    required = set(schema.get("required", []))
    fields = {
        field: annotation(part) if field in required else f"NotRequired[{annotation(part)}]"
        for field, part in schema["properties"].items()
    }
    if any(keyword.iskeyword(field) for field in fields):
        inside = "".join(f'    "{field}": {kind},\n' for field, kind in fields.items())
        return f'{name} = TypedDict("{name}", {{\n{inside}}})\n' + note(described, "")
    code = f"class {name}(TypedDict):\n" + (note(described, "    ") or f'    """The object `{name}` of the API."""\n')
    for field, kind in fields.items():
        code += f"\n    {field}: {kind}\n" + note(schema["properties"][field].get("description"), "    ")
    return code


def sorted_by_need(schemas: dict[str, Schema], names: set[str]) -> list[str]:
    """The names, each after those that it needs.

    Raises ValueError if schemas need each other: then they cannot be types at run time."""
    done: list[str] = []
    open_names: set[str] = set()

    def visit(name: str) -> None:
        if name in done:
            return
        if name in open_names:
            raise ValueError(f"the schema {name} needs itself")
        open_names.add(name)
        for needed in sorted(set(references(schemas[name])) & names):
            visit(needed)
        done.append(name)

    for name in sorted(names):
        visit(name)
    return done


def module(title: str, schemas: dict[str, Schema], names: set[str], homes: dict[str, str], home: str) -> str:
    """The code of a module with these schemas. `homes`: the module of each schema."""
    code = "\n\n".join(declaration(name, schemas[name]) for name in sorted_by_need(schemas, names))
    needed: dict[str, list[str]] = {}
    outside = {other for name in names for other in references(schemas[name])} - names
    for name in sorted(outside):
        needed.setdefault(homes[name], []).append(name)
    imports = "".join(
        f"from kibitz.types.{other} import (\n" + "".join(f"    {name},\n" for name in found) + ")\n"
        for other, found in sorted(needed.items())
    )
    typing = [word for word in ("Any", "Literal", "TypeAlias") if word in code]
    extensions = [word for word in ("NotRequired", "TypedDict") if word in code]
    public = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]\n"
    head = HEADER.format(title=title) + "\nfrom __future__ import annotations\n\n"
    typed = "".join(
        f"from {source} import {', '.join(words)}\n{end}"
        for source, words, end in (("typing", typing, "\n"), ("typing_extensions", extensions, ""))
        if words
    )
    return f"{head}{typed}\n{imports}\n{public}\n\n{code}"


def homes_of(document: dict[str, Any], games: list[str]) -> dict[str, str]:
    """The module of each schema."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    homes: dict[str, str] = {}
    of_games = {game: {name for name in schemas if name.startswith(game.capitalize())} for game in games}
    for game, names in of_games.items():
        homes |= dict.fromkeys(names, game)
    needed = reach(schemas, {name for names in of_games.values() for name in names})
    homes |= dict.fromkeys(needed - set(homes), "base")
    tags: dict[str, set[str]] = {}
    for operations in document["paths"].values():
        for operation in operations.values():
            used = {name for name in references(operation) if name in schemas}
            for name in reach(schemas, used):
                tags.setdefault(name, set()).add(operation["tags"][0])
    for name in schemas:
        found = tags.get(name, set())
        homes.setdefault(name, next(iter(found)) if len(found) == 1 else "common")
    # What `common` needs is in it, or earlier.
    common = {name for name, home in homes.items() if home == "common"}
    for name in reach(schemas, common):
        if homes[name] not in ("base", *games):
            homes[name] = "common"
    return homes


def modules(document: dict[str, Any]) -> dict[str, str]:
    """The code of each module, by its name, `__init__` included."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    games: list[str] = schemas["GameSlug"]["enum"]
    homes = homes_of(document, games)
    titles = {"base": "Types that the games have in common.", "common": "Types that several parts of the API use."}
    titles |= {game: f"Views, moves and options of {game.capitalize()}." for game in games}
    files = {}
    for home in sorted(set(homes.values())):
        names = {name for name, other in homes.items() if other == home}
        title = titles.get(home, f"Types of the operations on {home}.")
        files[home] = module(title, schemas, names, homes, home)
    head = HEADER.format(title="The types of the API, as TypedDicts: their names and fields are those of its JSON.")
    stars = "".join(f"from kibitz.types.{home} import *\n" for home in sorted(files))
    files["__init__"] = f"{head}\n{stars}"
    return files
