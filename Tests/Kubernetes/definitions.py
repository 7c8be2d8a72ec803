"""The fields that operators add to Kubernetes, as their own definitions have them.

fields.json has them in a short form, made of the definitions that it names as its sources. For each field: its type, or the words that
it may have, with `|` between them; a list of one element for a list; an object for an object, whose key `*` stands for any name. `!`
ends the name of a field that has to be there. `...` stands for fields that exist, but that no manifest here uses: they aren't listed.

What isn't listed doesn't exist: kubectl validates strictly unless it is told not to, and a server then refuses the whole object.
"""

import json
import pathlib

FIELDS = json.loads((pathlib.Path(__file__).parent / "fields.json").read_text())["kinds"]
TYPES = {"string": str, "boolean": bool, "integer": int, "int-or-string": (int, str)}


def is_known(kind):
    """Whether an operator adds this kind: its API version, a slash and its name."""
    return kind in FIELDS


def flaws(kind, spec):
    """What is wrong with a specification."""
    return _flaws(spec, FIELDS[kind], "spec")


def unknown(kind, spec):
    """The paths of fields that don't exist, which a server finds before anything else."""
    return [flaw.removeprefix("there is no field ") for flaw in flaws(kind, spec) if flaw.startswith("there is no field ")]


def _flaws(value, allowed, path):
    if allowed == "...":
        yield f"the fields of {path} aren't listed in fields.json"
    elif isinstance(allowed, list):
        if not isinstance(value, list):
            yield f"{path} is no list"
            return
        for number, element in enumerate(value):
            yield from _flaws(element, allowed[0], f"{path}[{number}]")
    elif isinstance(allowed, dict):
        if not isinstance(value, dict):
            yield f"{path} is no object"
            return
        types = {key.rstrip("!"): kind for key, kind in allowed.items()}
        for key, element in value.items():
            if key not in types and "*" not in types:
                yield f"there is no field {path}.{key}"
            else:
                yield from _flaws(element, types.get(key, types.get("*")), f"{path}.{key}")
        for key in allowed:
            if key.endswith("!") and key[:-1] not in value:
                yield f"{path}.{key[:-1]} is missing"
    elif allowed in TYPES:
        if not isinstance(value, TYPES[allowed]) or isinstance(value, bool) and allowed != "boolean":
            yield f"{path} is {json.dumps(value)}, which is no {allowed}"
    elif value not in allowed.split("|"):
        yield f"{path} is {json.dumps(value)}, which is none of {allowed.replace('|', ', ')}"
