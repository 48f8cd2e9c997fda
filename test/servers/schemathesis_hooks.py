# Tells schemathesis what the published description does not: the objects that an operation needs, and the findings to
# ignore. Calls the address SEEDS, and appends "METHOD /path status" for every call to the file CALLS.
import json
import os
import threading

import jsonschema_rs
import requests
import schemathesis

SEEDS = os.environ["SEEDS"]
# A slow response is no finding, because the machine may be slow.
SEEDS_WITHIN_S = 600
CALLS = open(os.environ["CALLS"], "a", buffering=1)
LOCK = threading.Lock()
SWITCH_OFF_LIMITS = "SWITCH OFF LIMITS"
reached = set()
deleted = set()


@schemathesis.serializer("application/x-ndjson", "application/ndjson", "application/jsonl")
def lines(context, value):
    """A body of lines is published as the schema of one."""
    return json.dumps(value).encode() + b"\n"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes valid requests succeed until the operation has succeeded once."""
    label = case.operation.label
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    if label == "POST /mcp":
        # The operation requires this header, which a description cannot contain.
        case.headers.setdefault("Accept", "application/json, text/event-stream")
    if label in reached or meta.phase.name == "stateful":
        return
    given = given_for(label)
    for name, value in given.get("path", {}).items():
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = value
    for name, value in given.get("query", {}).items():
        case.query[name] = value
    for name, value in given.get("headers", {}).items():
        case.headers[name] = value
    if "body" in given and case.body is not schemathesis.core.NOT_SET:
        case.body = given["body"]


def given_for(label):
    if not SEEDS:
        return {}
    answer = requests.post(SEEDS, data=label, timeout=SEEDS_WITHIN_S)
    assert answer.ok, f"{label} cannot be prepared: {answer.text}"
    return answer.json()


@schemathesis.hook
def after_call(context, case, response):
    if case.method.upper() != case.operation.method.upper():
        return
    with LOCK:
        CALLS.write(f"{case.operation.label} {response.status_code}\n")
        if response.status_code < 300 or is_closed(response):
            reached.add(case.operation.label)
        if response.status_code < 300 and case.method.upper() == "DELETE":
            deleted.update(identities(case))
    if response.status_code < 300 and sets_limit(case):
        given_for(SWITCH_OFF_LIMITS)


def sets_limit(case):
    """A generated limit may apply to the key of this run. Every later request would be refused."""
    path = case.operation.path
    return case.method.upper() in ("POST", "PUT", "PATCH") and ("limit" in path or path == "/admin/settings")


def is_closed(response):
    """Whatever is asked: the role may not."""
    return response.status_code == 403 and response.json()["error_code"] == "INSUFFICIENT_PERMISSIONS"


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        return not is_rule_beyond_schema(case, response)
    if kind == "AcceptedNegativeData":
        if response.status_code == 413:
            return False  # What is too long may be too long for the whole body as well.
        return not is_valid_when_read_laxly(case)
    if kind == "EnsureResourceAvailability":
        # Two paths may delete the same object, but the check knows only deletions by the same path.
        return not (deleted & identities(case))
    return True


def identities(case):
    return {(name, str(value)) for name, value in (case.path_parameters or {}).items()}


def is_rule_beyond_schema(case, response):
    """400 is a rule of the house, documented by its code, or of the protocol of messages; a `value_error` is one that
    JSON Schema has no word for, and it has none for what a file must hold. 424 says what another server did."""
    if case.operation.label == "POST /mcp":
        return response.status_code in (400, 404)
    if response.status_code in (400, 424) or (response.status_code == 415 and case.media_type == "multipart/form-data"):
        return "error_code" in response.json()
    if response.status_code != 422:
        return False
    return all(it["type"] in RULES or is_of_source(it) or is_float(case, it) for it in response.json()["detail"])


RULES = ("value_error", "egress_refused", "INVALID_DEFINITION", "file_not_found")


def is_float(case, problem):
    """JSON Schema counts 9007199254740991.0 as an integer; an address has it with its point."""
    value = (case.path_parameters or {}).get(problem["loc"][-1])
    return problem["type"] == "int_parsing" and (isinstance(value, float) or str(value).endswith(".0"))


def is_of_source(problem):
    """Each source has a configuration of its own, which the description leaves open."""
    return problem["loc"][:2] == ["body", "connector_specific_config"]


def is_valid_when_read_laxly(case):
    """The description shows strict types, the program reads as Pydantic v2 does: "5" is an integer, 1 is true."""
    definition = case.operation.schema.raw_schema
    operation = definition["paths"][case.operation.path][case.operation.method.lower()]
    components = {"components": {"schemas": lax(definition["components"]["schemas"])}}

    def fits(schema, value):
        return jsonschema_rs.validator_for({**lax(schema), **components}).is_valid(value)

    request_body = operation.get("requestBody", {})
    content = request_body.get("content", {}).get("application/json")
    if case.body is None and not request_body.get("required", False):
        content = None  # Where a body may be absent, null is none.
    if content is not None and case.body is not schemathesis.core.NOT_SET and not fits(content["schema"], case.body):
        return False
    values = {"path": case.path_parameters or {}, "query": case.query or {}}
    return all(
        it["name"] not in values[it["in"]]
        or any(fits(it["schema"], value) for value in forms_of(values[it["in"]][it["name"]]))
        for it in operation.get("parameters", [])
    )


def forms_of(value):
    """An address holds only text: a list of one item, a number and a boolean look like a string there."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return [value, "true" if value else "false"]
    return [value, str(value)] if isinstance(value, (int, float)) else [value]


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
