"""The structure of the source: sizes, names with several meanings, import cycles, missing tests.

python benchmarks/structure.py [--root DIR] [--check]

Reads the source with Python's `ast`, without importing it. For each package it prints the number of
modules, the median and largest number of lines of a module, and the median, 99th percentile and
largest number of lines of a function, nested functions included. `test`, `benchmarks`, `examples`
and `integrations` have a row each. Below that it lists

* public names that are defined in more than one module, with these modules. Names that repeat by a
  convention do not count: `CONVENTIONS`, `REGISTRATIONS` and `INDEPENDENT` list these, with the
  reasons;
* import cycles, between modules and between packages. Imports under `if TYPE_CHECKING` and imports
  inside functions count as well. Of `test` and the other folders, cycles between modules;
* packages with more than 20 modules, and folders of `test` and the others with more;
* modules without a test of the same path. A module `a/b.py` is tested by `test/python/a/test_b.py`
  or any `test_b_*.py` beside it, a pass also by `test/passes/<folder>/<name>.mlir`.
  `test/untwinned.txt` gives the reason for the others, in lines `pattern: reason`; an indented line
  continues the line before. In a pattern, `*` stands for any text and `{a, b}` for either name. The
  number of modules with such a reason is printed;
* lines of `test/untwinned.txt` that are wrong: without a reason, without a module that lacks a
  test, or with a reason that names a file below `test/` that does not exist.

With `--check` the exit code is 1 if a list is not empty.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

LARGEST_PACKAGE = 20
CONVENTIONS = {
    "BOARD": "the entry of a file of `mcu/boards`",
    "CPU": "the entry of a file of `cpus`",
    "TARGET": "the entry of a file of `targets`",
    "Pool": "a target's pool is a `forebay.pools.Pool`, described by the user",
    "add_arguments": "the interface of a module of `cli.commands` that has a command",
    "import_request": "the interface of a front end, found by `frontends.importers`",
    "load": "the interface of a registry, used with its name: `boards.load`, `targets.load`",
    "main": "the entry of a program",
    "names": "the interface of a registry, used with its name: `boards.names`, `targets.names`",
    "run": "the interface of a module of `cli.commands` that has a command",
    "target": "the entry of a file of `targets` with parameters",
}
"""Names that several modules define because they are found or called by these names."""
REGISTRATIONS = {
    *("expression", "function", "onnx_operator", "operator", "rule", "scalar", "statement")
}
"""Decorators that enter a function into a table by op class; no module imports such a function."""
INDEPENDENT = ("forebay.reference", "forebay.ir.plan_check")
"""Packages that must share no code with what they judge, so both define the same terms."""
ROOT = Path(__file__).parents[1]
OTHERS = ("test", "benchmarks", "examples", "integrations")
"""Folders beside the product, which tests and scripts have on their path."""
UNTWINNED = Path("test", "untwinned.txt")
Graph = dict[str, set[str]]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields that hold statements, or the handlers of exceptions and cases of patterns around them."""


@dataclass(frozen=True)
class Module:
    """A Python module: its dotted name, its file relative to the root, and what it contains.

    `lines` is its number of lines and `functions` are the numbers of lines of its functions,
    nested ones included. `defined` are its public names, and `imports` its import statements,
    those inside functions included. It has no syntax tree: trees of all modules together take
    1 GB, which the garbage collector would visit again and again.
    """

    name: str
    path: Path
    lines: int
    functions: list[int]
    defined: list[str]
    imports: list[ast.Import | ast.ImportFrom]

    @property
    def package(self) -> str:
        """Package that contains the module; a package's `__init__` belongs to that package."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def folder(self) -> str:
        """Top folder of the repository that contains the module."""
        return self.path.parts[0]


@dataclass(frozen=True)
class Excuse:
    """A line of `test/untwinned.txt`: why modules have no test of their path."""

    pattern: str
    reason: str

    def files(self) -> list[str]:
        """Return the files that the reason names."""
        return re.findall(r"\btest/[\w/.-]*\w", self.reason)


@dataclass
class PackageSizes:
    """Numbers of lines of the modules and functions of a package."""

    modules: list[int] = field(default_factory=list[int])
    functions: list[int] = field(default_factory=list[int])


def main() -> int:
    """Print all tables; with `--check`, return 1 if an aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="a checkout; default: this one")
    parser.add_argument("--check", action="store_true", help="exit with 1 for any finding")
    arguments = parser.parse_args()
    modules = list(_modules(arguments.root))
    others = list(_other_modules(arguments.root))
    _print_sizes(modules, others)
    untested = list(_without_test(arguments.root, modules))
    unexcused = list(_unexcused(arguments.root, untested))
    findings = {
        "public names defined in several modules": list(_repeated_names(modules)),
        "import cycles between modules": _cycles(_module_graph([*modules, *others])),
        "import cycles between packages": _cycles(_package_graph(modules)),
        f"packages with more than {LARGEST_PACKAGE} modules": list(
            _large_packages([*modules, *others])
        ),
        "modules without a test of the same path": unexcused,
        f"wrong lines of {UNTWINNED.as_posix()}": list(_wrong_excuses(arguments.root, untested)),
    }
    for title, found in findings.items():
        print(f"\n{title}: {len(found)}")
        print("".join(f"  {line}\n" for line in found), end="")
    excused = len(untested) - len(unexcused)
    print(f"\nmodules with a reason in {UNTWINNED.as_posix()}: {excused} of {len(modules)}")
    return int(arguments.check and any(findings.values()))


def _modules(root: Path) -> Iterator[Module]:
    """Return the modules of the product without those that the build generates."""
    for folder, prefix in ((root / "python", ""), (root / "passes", "forebay.passes")):
        for path in sorted(folder.rglob("*.py")):
            relative = path.relative_to(folder)
            if relative.parts[:2] == ("forebay", "passes") or path.stem.endswith("_gen"):
                continue
            yield _module(root, path, folder, prefix)


def _other_modules(root: Path) -> Iterator[Module]:
    """Return the modules of tests, benchmarks and examples, named by their paths."""
    for name in OTHERS:
        for path in sorted((root / name).rglob("*.py")):
            yield _module(root, path, root / name, name)


def _module(root: Path, path: Path, folder: Path, prefix: str) -> Module:
    """Read a module of a folder; its name begins with `prefix`."""
    relative = path.relative_to(folder).with_suffix("")
    parts = [part for part in relative.parts if part != "__init__"]
    text = path.read_text(encoding="utf-8")
    name = ".".join(([prefix] if prefix else []) + parts)
    tree = ast.parse(text)
    statements = list(_statements(tree))
    return Module(
        name,
        path.relative_to(root),
        len(text.splitlines()),
        [_length(node) for node in statements if isinstance(node, _FUNCTIONS)],
        list(dict.fromkeys(_defined(tree))),
        [node for node in statements if isinstance(node, ast.Import | ast.ImportFrom)],
    )


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Return all statements of a module, nested ones included, without visiting expressions."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in _BODIES:
            pending += getattr(node, name, ())


def _print_sizes(modules: Iterable[Module], others: Iterable[Module]) -> None:
    packages: dict[str, PackageSizes] = {}
    for module in modules:
        for name in (module.package, "all"):
            _add_sizes(packages.setdefault(name, PackageSizes()), module)
    total = packages.pop("all")
    rows = [_row(name, sizes) for name, sizes in (*sorted(packages.items()), ("all", total))]
    folders: dict[str, PackageSizes] = {}
    for module in others:
        _add_sizes(folders.setdefault(f"{module.folder}/", PackageSizes()), module)
    rows += [_row(name, sizes) for name, sizes in folders.items()]
    head = ["package", "modules", "median", "max", "functions", "median", "p99", "max"]
    print(_aligned(head, rows))


def _add_sizes(sizes: PackageSizes, module: Module) -> None:
    sizes.modules.append(module.lines)
    sizes.functions += module.functions


def _aligned(head: list[str], rows: list[list[str]]) -> str:
    """Return a table without a library: this script runs where the project is not installed."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for number, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def _row(name: str, sizes: PackageSizes) -> list[str]:
    functions = sorted(sizes.functions) or [0]
    p99 = functions[min(len(functions) - 1, round(0.99 * (len(functions) - 1)))]
    numbers = [
        len(sizes.modules),
        median(sizes.modules),
        max(sizes.modules),
        len(sizes.functions),
        median(functions),
        p99,
        functions[-1],
    ]
    return [name, *(f"{number:.0f}" for number in numbers)]


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _repeated_names(modules: Iterable[Module]) -> Iterator[str]:
    homes: dict[tuple[str, str], list[str]] = {}
    for module in modules:
        for name in module.defined:
            homes.setdefault((_judge(module.name), name), []).append(module.name)
    for (_, name), defined in sorted(homes.items(), key=lambda home: home[0][::-1]):
        if len(defined) > 1 and name not in CONVENTIONS:
            yield f"{name}: {', '.join(defined)}"


def _judge(module: str) -> str:
    """Return the independent package that contains the module, or an empty text."""
    return next((name for name in INDEPENDENT if f"{module}.".startswith(f"{name}.")), "")


def _defined(tree: ast.Module) -> Iterator[str]:
    """Return public classes, functions and constants of a module, without entries of tables."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names = [] if _is_registered(node) else [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            names = []
        yield from (name for name in names if not name.startswith("_"))


def _is_registered(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Return whether a call of a registering decorator, such as `@rule(Op)`, is at the node."""
    calls = [known.func for known in node.decorator_list if isinstance(known, ast.Call)]
    names = [getattr(func, "attr", getattr(func, "id", None)) for func in calls]
    return not REGISTRATIONS.isdisjoint(names)


def _module_graph(modules: list[Module]) -> Graph:
    known = {module.name for module in modules}
    return {module.name: set(_imported(module, known)) for module in modules}


def _package_graph(modules: list[Module]) -> Graph:
    """Return the imports between packages; a package may import its own subpackages."""
    home = {module.name: module.package for module in modules}
    graph: Graph = {package: set() for package in home.values()}
    for name, imported in _module_graph(modules).items():
        for other in imported:
            gathers = home[name] == name and other.startswith(f"{name}.")
            if home[name] != home[other] and not gathers:
                graph[home[name]].add(home[other])
    return graph


def _imported(module: Module, known: set[str]) -> Iterator[str]:
    for node in module.imports:
        if isinstance(node, ast.Import):
            names = [name for alias in node.names for name in _readings(alias.name, module)]
        else:
            package = _imported_package(module, node)
            names = [
                _member(around, alias.name, known)
                for alias in node.names
                for around in _readings(package, module)
            ]
        yield from (name for name in names if name in known and name != module.name)


def _readings(name: str, module: Module) -> tuple[str, ...]:
    """Return a name as it is, and below the top folder that a test or script has on its path."""
    return (name, f"{module.folder}.{name}") if module.folder in OTHERS else (name,)


def _imported_package(module: Module, node: ast.ImportFrom) -> str:
    """Return the absolute name of the package or module after `from`."""
    if not node.level:
        return node.module or ""
    outer = module.package.split(".")[: 1 - node.level or None]
    return ".".join([*outer, *([node.module] if node.module else [])])


def _member(package: str, name: str, known: set[str]) -> str:
    """Return the module from which `from package import name` loads `name`."""
    return f"{package}.{name}" if f"{package}.{name}" in known else package


def _cycles(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the strongly connected components of more than one node (Tarjan 1972)."""
    return [" <-> ".join(sorted(part)) for part in _components(graph) if len(part) > 1]


def _components(graph: Mapping[str, set[str]]) -> Iterator[list[str]]:
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(node: str) -> Iterator[list[str]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                yield from visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            yield stack[at:]
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            yield from visit(node)


def _large_packages(modules: Iterable[Module]) -> Iterator[str]:
    counts: dict[str, int] = {}
    for module in modules:
        if module.path.name != "__init__.py":
            counts[module.package] = counts.get(module.package, 0) + 1
    for package, count in sorted(counts.items()):
        if count > LARGEST_PACKAGE:
            yield f"{package}: {count}"


def _unexcused(root: Path, untested: Iterable[str]) -> Iterator[str]:
    patterns = [excuse.pattern for excuse in _excuses(root)]
    for name in untested:
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            yield name


def _wrong_excuses(root: Path, untested: list[str]) -> Iterator[str]:
    for excuse in _excuses(root):
        missing = [name for name in excuse.files() if not (root / name).exists()]
        if not excuse.reason:
            yield f"{excuse.pattern}: has no reason"
        elif missing:
            yield f"{excuse.pattern}: {', '.join(missing)} does not exist"
        elif not fnmatch.filter(untested, excuse.pattern):
            yield f"{excuse.pattern}: matches no module without a test"


def _excuses(root: Path) -> list[Excuse]:
    path = root / UNTWINNED
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\n\s+", " ", "\n".join(lines)).splitlines()
    split = [line.partition(":") for line in joined]
    return [
        Excuse(name, reason.strip())
        for pattern, _, reason in split
        for name in _alternatives(pattern.strip())
    ]


def _alternatives(pattern: str) -> list[str]:
    """Return a pattern per name in braces."""
    before, brace, rest = pattern.partition("{")
    names, _, after = rest.partition("}")
    return [f"{before}{name.strip()}{after}" for name in names.split(",")] if brace else [pattern]


def _without_test(root: Path, modules: Iterable[Module]) -> Iterator[str]:
    for module in modules:
        if module.path.name != "__init__.py" and not _has_test(root, module):
            yield module.name


def _has_test(root: Path, module: Module) -> bool:
    *package, name = module.name.split(".")[1:]
    if package[:1] == ["passes"]:
        twin = root.joinpath("test", *package, f"{name.replace('_', '-')}.mlir")
        if twin.exists():
            return True
    folder = root.joinpath("test", "python", *package)
    stem = name.strip("_")
    return any(folder.glob(f"test_{stem}.py")) or any(folder.glob(f"test_{stem}_*.py"))


if __name__ == "__main__":
    sys.exit(main())
