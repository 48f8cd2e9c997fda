# What the test beside this file tells schemathesis beyond the published description: objects that are there, and which
# findings are no findings here. Reads SEEDS (JSON), appends "METHOD /path status" for every call to the file CALLS.
import json
import os
import threading

import jsonschema_rs
import requests
import schemathesis

SEEDS = json.loads(os.environ["SEEDS"])
CALLS = open(os.environ["CALLS"], "a", buffering=1)
LOCK = threading.Lock()
reached = set()
deleted = set()


@schemathesis.serializer("application/x-ndjson", "application/ndjson", "application/jsonl")
def lines(context, value):
    """A body of lines is published as the schema of one."""
    return json.dumps(value).encode() + b"\n"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Until an operation has succeeded once, its valid requests name objects that are there."""
    label = case.operation.label
    meta = case.meta
    if label in reached or meta is None or not meta.generation.mode.is_positive or meta.phase.name == "stateful":
        return
    if label in SEEDS["before"]:
        send(*SEEDS["before"][label].split())
    known = {**SEEDS["parameters"], **SEEDS["paths"].get(label, {})}
    for name in case.path_parameters or {}:
        if name in known:
            case.path_parameters[name] = known[name]
    if label in SEEDS["bodies"] and isinstance(case.body, dict):
        case.body = {**case.body, **SEEDS["bodies"][label]}


def send(method, path):
    """Whatever comes of it: the call that follows shows whether it did its work."""
    headers = {"Authorization": f"Bearer {SEEDS['key']}"}
    requests.request(method, SEEDS["url"] + path, headers=headers, timeout=120)


@schemathesis.hook
def after_call(context, case, response):
    if case.method.upper() != case.operation.method.upper():
        return
    with LOCK:
        CALLS.write(f"{case.operation.label} {response.status_code}\n")
        if response.status_code < 300:
            reached.add(case.operation.label)
            if case.method.upper() == "DELETE":
                deleted.update(identities(case))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    if case.operation.label == "POST /mcp":
        # Its messages and its errors are those of the protocol, which JSON Schema does not know.
        return kind not in ("RejectedPositiveData", "UndefinedStatusCode")
    if kind == "RejectedPositiveData":
        return not is_rule_beyond_schema(case, response)
    if kind == "AcceptedNegativeData":
        return not is_valid_when_read_laxly(case)
    if kind == "EnsureResourceAvailability":
        # Two addresses may delete the same object; only deletions by the same address are known to the check.
        return not (deleted & identities(case))
    return True


def identities(case):
    return {(name, str(value)) for name, value in (case.path_parameters or {}).items()}


def is_rule_beyond_schema(case, response):
    """400 is a rule of the house, documented by its code; a `value_error` is one that JSON Schema has no word for, and
    it has none for what a file must hold."""
    if response.status_code == 400 or (response.status_code == 415 and case.media_type == "multipart/form-data"):
        return "error_code" in response.json()
    return response.status_code == 422 and all(it["type"] in RULES for it in response.json()["detail"])


RULES = ("value_error", "egress_refused")


def is_valid_when_read_laxly(case):
    """The description shows strict types, the program reads as Pydantic v2 does: "5" is an integer, 1 is true."""
    definition = case.operation.schema.raw_schema
    operation = definition["paths"][case.operation.path][case.operation.method.lower()]
    components = {"components": {"schemas": lax(definition["components"]["schemas"])}}

    def fits(schema, value):
        return jsonschema_rs.validator_for({**lax(schema), **components}).is_valid(value)

    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is not None and case.body is not schemathesis.core.NOT_SET and not fits(content["schema"], case.body):
        return False
    values = {"path": case.path_parameters or {}, "query": case.query or {}}
    return all(
        it["name"] not in values[it["in"]] or fits(it["schema"], values[it["in"]][it["name"]])
        for it in operation.get("parameters", [])
    )


DIGITS = r"^\s*[+-]?[0-9]+(_[0-9]+)*(\.[0-9]*)?\s*$"


def lax(schema):
    if isinstance(schema, list):
        return [lax(it) for it in schema]
    if not isinstance(schema, dict):
        return schema
    known = {key: lax(value) for key, value in schema.items()}
    if known.get("format") == "date-time":
        return {"anyOf": [known, {"type": "number"}, {"type": "string", "pattern": r"^[+-]?[0-9.]+$|^\d{4}-\d\d-\d\d"}]}
    if known.get("type") in ("integer", "number"):
        return {"anyOf": [known, {"type": "boolean"}, {"type": "string", "pattern": DIGITS}]}
    if known.get("type") == "boolean":
        return {"anyOf": [known, {"type": ["integer", "string"]}]}
    return known
