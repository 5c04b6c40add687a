"""Checks requests and answers against the server's own description of them, `/openapi.json`."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

BASE = "urn:document"


class Document:
    """The description, and the operations whose answers were checked against it."""

    def __init__(self, url: str) -> None:
        self.json: dict[str, Any] = httpx.get(f"{url}/openapi.json").raise_for_status().json()
        resource = DRAFT202012.create_resource(self.json)
        self.registry: Registry[Any] = Registry().with_resource(BASE, resource)
        self.checked: set[str] = set()

    def operations(self) -> dict[str, dict[str, Any]]:
        """All operations by their ids."""
        every = (o for path in self.json["paths"].values() for o in path.values())
        return {operation["operationId"]: operation for operation in every}

    def operation(self, method: str, path: str) -> dict[str, Any]:
        """The operation of a request."""
        for template, methods in self.json["paths"].items():
            if method.lower() in methods:
                pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
                if re.fullmatch(pattern, path):
                    found: dict[str, Any] = methods[method.lower()]
                    return found
        raise AssertionError(f"/openapi.json has no operation for {method} {path}")

    def validate(self, value: object, schema: dict[str, Any], what: str) -> None:
        """Fails unless the value fits the schema, which may refer to components."""
        there = json.loads(json.dumps(schema).replace('"$ref": "#/', f'"$ref": "{BASE}#/'))
        for error in Draft202012Validator(there, registry=self.registry).iter_errors(value):
            place = "/".join(map(str, error.absolute_path))
            raise AssertionError(f"{what} does not fit /openapi.json at {place!r}: {error.message[:500]}")

    def request(self, method: str, path: str, kind: str, body: bytes) -> None:
        """Fails unless the body of a request fits."""
        operation = self.operation(method, path)
        described = operation.get("requestBody")
        what = f"the request {method} {path}"
        if not body:
            assert not (described or {}).get("required"), f"{what} has no body"
            return
        assert described, f"{what} has a body, which /openapi.json does not describe"
        content = described["content"]
        assert kind in content, f"{what} is {kind}; /openapi.json has {list(content)}"
        if kind == "application/json":
            self.validate(json.loads(body), content[kind]["schema"], what)

    def answer(self, response: httpx.Response) -> None:
        """Fails unless an answer fits: its status, its media type, its body."""
        request = response.request
        method, path = request.method, request.url.path
        operation = self.operation(method, path)
        what = f"the answer {response.status_code} to {method} {path}"
        responses = operation["responses"]
        described = responses.get(str(response.status_code))
        if described is None:
            described = responses.get("default")
            assert described, f"{what} is not in /openapi.json"
            assert response.status_code >= 400, f"{what} is described only as an error"
        else:
            self.checked.add(operation["operationId"])
        if not response.content:
            # A list of lines may have none.
            kinds = described.get("content", {})
            assert all(kind.endswith("ndjson") for kind in kinds), f"{what} has no body"
            return
        kind = response.headers["content-type"].split(";")[0]
        content = described.get("content", {})
        assert kind in content, f"{what} is {kind}; /openapi.json has {list(content)}"
        schema = content[kind]["schema"]
        if kind.endswith("json") and not kind.endswith("ndjson"):
            self.validate(response.json(), schema, what)
        elif kind.endswith("ndjson"):
            # Generators cannot read lines of JSON as one schema: the description names the schema of a line.
            if schema.get("type") == "string":
                name = re.search(r"`(\w+)`", described["description"])
                assert name, f"{what} names no schema"
                schema = {"$ref": f"#/components/schemas/{name[1]}"}
            for line in filter(None, response.text.splitlines()):
                self.validate(json.loads(line), schema, f"a line of {what}")
        elif kind == "text/event-stream":
            described_event = self.json["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            data = described_event["properties"]["data"]["contentSchema"]
            for block in response.text.split("\n\n"):
                event = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
                # The first block only says how long to wait before reconnecting.
                if event.keys() - {"retry"}:
                    self.validate(event, schema, f"an event of {what}")
                    self.validate(json.loads(event["data"]), data, f"the data of an event of {what}")

    def examples(self) -> list[tuple[str, str, Any]]:
        """The named examples of requests: path, name, body."""
        found = []
        for path, methods in self.json["paths"].items():
            content = methods.get("post", {}).get("requestBody", {}).get("content", {})
            named = content.get("application/json", {}).get("examples", {})
            found += [(path, name, example["value"]) for name, example in named.items()]
        return found

    def hooks(self) -> dict[str, list[Any]]:
        """Hooks for `httpx` that check every request and answer."""

        def check(response: httpx.Response) -> None:
            request = response.request
            kind = request.headers.get("content-type", "").split(";")[0]
            response.read()
            # A request that was refused need not fit.
            if response.is_success:
                self.request(request.method, request.url.path, kind, request.content)
            self.answer(response)

        return {"response": [check]}
