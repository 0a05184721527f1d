# SPDX-License-Identifier: LGPL-2.1-or-later
"""What of JSON Schema the server uses: a checker of schemas, and of values by them."""
from rpc import is_int

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"type", "properties", "required", "items", "enum", "const", "additionalProperties",
            "anyOf", "oneOf", "description", "title", "minItems", "minimum", "maximum", "minLength",
            "pattern", "default", "$schema", "format", "examples"}


def bad_schema(schema, where):
    """Keywords that this validator (and JSON Schema) does not know."""
    wrong = [f"{where}: {word} is no keyword" for word in set(schema) - KEYWORDS]
    types = schema.get("type", [])
    for word in types if isinstance(types, list) else [types]:
        if word not in (*TYPES, "integer", "number"):
            wrong.append(f"{where}: {word} is no type")
    for name, below in schema.get("properties", {}).items():
        wrong += bad_schema(below, f"{where}.{name}")
    if "items" in schema:
        wrong += bad_schema(schema["items"], f"{where}[]")
    for below in schema.get("anyOf", []) + schema.get("oneOf", []):
        wrong += bad_schema(below, where)
    return wrong


def is_type(value, word):
    if word == "integer":
        return is_int(value)
    if word == "number":
        return is_int(value) or isinstance(value, float)
    return isinstance(value, TYPES[word])


def validate(value, schema, where="$"):
    """What of JSON Schema the server uses."""
    wrong = []
    types = schema.get("type")
    if types is not None:
        types = types if isinstance(types, list) else [types]
        if not any(is_type(value, word) for word in types):
            return [f"{where} is no {types}: {value!r}"]
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{where} is not in {schema['enum']}: {value!r}")
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{where} is not {schema['const']}")
    for word in ("anyOf", "oneOf"):
        fitting = [s for s in schema.get(word, []) if not validate(value, s, where)]
        if word in schema and (not fitting or word == "oneOf" and len(fitting) != 1):
            wrong.append(f"{where}: {word} does not hold")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        wrong += [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in properties:
                wrong += validate(member, properties[name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                wrong.append(f"{where}.{name} is too much")
    if isinstance(value, list) and "items" in schema:
        for i, member in enumerate(value):
            wrong += validate(member, schema["items"], f"{where}[{i}]")
    return wrong


def loose(schema, where="$"):
    """Where SCHEMA takes an object with a member more, or one less."""
    wrong = []
    if "properties" in schema:
        names = set(schema["properties"])
        if schema.get("additionalProperties") is not False:
            wrong.append(f"{where} takes members that are not in it")
        either = [set(s.get("required", [])) for s in schema.get("oneOf", [])]
        missing = names - set(schema.get("required", [])) - set().union(*either)
        wrong += [f"{where}.{name} may be left out" for name in sorted(missing)]
    for name, below in schema.get("properties", {}).items():
        wrong += loose(below, f"{where}.{name}")
    if "items" in schema:
        wrong += loose(schema["items"], f"{where}[]")
    return wrong


def changed(value):
    """VALUE in all ways that differ by one member of an object: (what, the other value)."""
    if isinstance(value, dict):
        yield "one more", {**value, "more": None}
        for name, member in value.items():
            yield f"without {name}", {n: m for n, m in value.items() if n != name}
            for what, other in changed(member):
                yield f"{name}: {what}", {**value, name: other}
