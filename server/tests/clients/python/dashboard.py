"""Checks the dashboard for Grafana against its schema, and that no two panels share an id or a place. The arguments are the files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
    above = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    return not (beside or above)


def check(dashboard: Any, schema: Any) -> list[str]:
    """What is wrong, empty if nothing."""
    Draft202012Validator.check_schema(schema)
    wrong = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(dashboard)]
    if wrong:
        return wrong
    panels = dashboard["panels"]
    ids = [panel["id"] for panel in panels]
    wrong += [f"two panels have the id {id}" for id in set(ids) if ids.count(id) > 1]
    for n, panel in enumerate(panels):
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            wrong.append(f"{panel['title']} is wider than the page")
        wrong += [f"{panel['title']} covers {other['title']}" for other in panels[:n] if overlap(place, other["gridPos"])]
    return wrong


def main() -> None:
    files = sys.argv[1:]
    assert files, "name the dashboards"
    schema = json.loads(Path(__file__).with_name("dashboard.schema.json").read_text())
    for file in files:
        dashboard = json.loads(Path(file).read_text())
        wrong = check(dashboard, schema)
        assert not wrong, f"{file}: " + "\n".join(wrong)
        # The check itself finds what is wrong.
        first = dashboard["panels"][0]
        for broken in [{**dashboard, "panels": []}, {**dashboard, "panels": [first, first]}, {**dashboard, "extra": 1}]:
            assert check(broken, schema), "a broken dashboard passes"
        print(f"{file}: {len(dashboard['panels'])} panels")


if __name__ == "__main__":
    main()
