"""Lists what the installed SDK calls: a line for each of its methods, with the HTTP method, the path and the query
parameters. Read from its source, so that nothing has to be called."""

import ast
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

VERBS = {"_get": "GET", "_get_api_list": "GET", "_post": "POST", "_put": "PUT", "_patch": "PATCH", "_delete": "DELETE"}
RESOURCES = Path(find_spec("gcore").origin).parent / "resources"


def path_of(node):
    """The path that a call names: a text, or the template that is filled in."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def verb_of(call):
    given = [word.value.value for word in call.keywords if word.arg == "method"]
    return given[0].upper() if given else VERBS[call.func.attr]


def calls_of(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VERBS:
            yield node


def imported(file, tree, name):
    """The file of a module that a file imports by this name."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            return folder / f"{name}.py"
    raise LookupError(f"{file} imports no {name}")


@cache
def names_on_the_wire(file):
    """Of fields that are written otherwise than they are called."""
    fields = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.AnnAssign)]
    return {
        field.target.id: word.value.value
        for field in fields
        for word in ast.walk(field.annotation)
        if isinstance(word, ast.keyword) and word.arg == "alias"
    }


def query_of(call, file, tree):
    """The query parameters that a call may send: of a dictionary, with the type that says how they are written."""
    for word in ast.walk(call):
        if isinstance(word, ast.keyword) and word.arg == "query" and isinstance(word.value, ast.Call):
            fields, kind, *_ = word.value.args
            written = names_on_the_wire(imported(file, tree, kind.value.id))
            names = [key.value for key in fields.keys if isinstance(key, ast.Constant)]
            return [written.get(name, name) for name in names]
    return []


def main():
    found = []
    for file in sorted(RESOURCES.rglob("*.py")):
        noun = ".".join(file.relative_to(RESOURCES).with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for kind in tree.body:
            if not isinstance(kind, ast.ClassDef) or kind.name.startswith("Async"):
                continue
            for function in kind.body:
                if not isinstance(function, ast.FunctionDef):
                    continue
                for call in calls_of(function):
                    path = path_of(call.args[0])
                    if path is None:
                        continue
                    named = {"name": f"{noun}.{function.name}", "method": verb_of(call), "path": path}
                    found.append({**named, "query": query_of(call, file, tree)})
    print(json.dumps(found))


main()
