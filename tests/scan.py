"""What a source file imports and names, read from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def packages() -> tuple[str, ...]:
    """The top-level packages of the project, tests and benchmarks apart."""
    names = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    return tuple(sorted(names - {"tests", "benchmarks"}))


def sources(package: str) -> list[Path]:
    """All Python files of a package, in a fixed order."""
    return sorted((ROOT / package).rglob("*.py"))


def module_name(path: Path) -> str:
    """`services/runtime/__init__.py` -> `services.runtime`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, full name) of everything imported anywhere in the tree, literal `import_module` calls included."""
    for node in ast.walk(tree):
        yield from _imported_by(node)


def imported_on_load(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Like `imported`, but only what runs when the module loads: no function bodies, no `if TYPE_CHECKING`."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_type_checking(node):
            continue
        yield from _imported_by(node)
        pending.extend(ast.iter_child_nodes(node))


def named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, full name) of every name used or imported, aliases resolved: `dt.now` -> `datetime.datetime.now`."""
    aliases = dict(_aliases(tree))
    yield from imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            head, _, rest = _dotted(node).partition(".")
            yield node.lineno, f"{aliases.get(head, head)}.{rest}".rstrip(".")


def _imported_by(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Import(names=names):
            yield from ((node.lineno, alias.name) for alias in names)
        case ast.ImportFrom(module=module, level=level, names=names):
            # a relative import is reported under a name no layer allows
            base = "." * level + (module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _dotted(func).split(".")[-1] in {
            "import_module",
            "__import__",
        }:
            yield node.lineno, name
        case _:
            return


def _aliases(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.asname, a.name) for a in node.names if a.asname)
        elif isinstance(node, ast.ImportFrom):
            yield from ((a.asname or a.name, f"{node.module}.{a.name}") for a in node.names)


def _dotted(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{_dotted(value)}.{attr}"
        case _:
            return "?"


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _dotted(node.test).split(".")[-1] == "TYPE_CHECKING"
