"""Imports go one way: a room of the package knows itself and the rooms before it, and nothing else."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import pugam

SOURCE = Path(pugam.__file__).parent

LAYERS = [
    "version",
    "messages",
    "errors",
    "extras",
    "progress",
    "layout",
    "nodes",
    "data",
    "files",
    "terms",
    "likelihood",
    "linear_algebra",
    "engines",
    "solvers",
    "inference",
    "storage",
    "estimator",
    "presentation",
    "studies",
    "command_line",
]
MAY_IMPORT = {
    **{room: set(LAYERS[: number + 1]) for number, room in enumerate(LAYERS)},
    "likelihood": {"layout", "likelihood"},
    "layout": {"layout"},
    "solvers": {"errors", "layout", "terms", "likelihood", "linear_algebra", "engines", "solvers"},
    **{room: {"messages", "errors", "data", room} for room in ("datasets", "metrics")},
    **{room: {"datasets", *LAYERS[: LAYERS.index(room) + 1]} for room in ("studies", "command_line")},
    "__main__": {"command_line"},
}
# (room, function, room imported there): a fitted model draws itself without matplotlib being needed to fit it.
PERMITTED_LAZY_IMPORTS = [("estimator", verb, "presentation") for verb in ("plot", "summary", "report")]


@dataclass(frozen=True)
class Import:
    """A room imported somewhere: by which file, inside which function (None at module level)."""

    path: Path
    room: str
    function: str | None
    imported: str

    @property
    def permitted(self):
        lazy = (self.room, self.function, self.imported)
        return self.imported in MAY_IMPORT.get(self.room, set()) or lazy in PERMITTED_LAZY_IMPORTS

    def __str__(self):
        return f"{self.path}: {self.room} imports {self.imported}"


def room_of(path, source):
    """Name of the room a file stands in; files next to the package's `__init__.py` are rooms of their own."""
    return path.relative_to(source).parts[0].removesuffix(".py")


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def all_imports(source):
    """Every import of a part of the package in the rooms of `source`, in files and in functions."""
    return [
        Import(path, room_of(path, source), function, imported)
        for path in sorted(source.rglob("*.py"))
        if path != source / "__init__.py"
        for function, imported in imports_below(parsed(path), path, source, None)
    ]


def imports_below(node, path, source, function):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and is_type_checking(child.test):
            for other in child.orelse:
                yield from imports_below(ast.Module([other], []), path, source, function)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            for imported in rooms_imported(child, path, source):
                yield function, imported
        elif not isinstance(child, ast.expr):  # which holds no statements
            inside = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
            yield from imports_below(child, path, source, inside)


def is_type_checking(test):
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def rooms_imported(node, path, source):
    """Rooms named by an import statement; the package itself counts as the room "<root>"."""
    for name in absolute_names(node, path, source):
        package, *inside = name.split(".")
        if package == source.name:
            room = inside[0] if inside else ""
            is_room = bool(room) and ((source / room).is_dir() or (source / f"{room}.py").is_file())
            yield room if is_room else "<root>"


def absolute_names(node, path, source):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    package = [source.name, *path.relative_to(source).parent.parts]
    above = package[: len(package) - node.level + 1] if node.level else []
    module = ".".join([*above, *([node.module] if node.module else [])])
    # `from package import room` names the room in its list, any other import names it in its path.
    return [f"{module}.{alias.name}" for alias in node.names] if module == source.name else [module]


def violations(source):
    return [str(found) for found in all_imports(source) if not found.permitted]


@pytest.fixture
def make_package(tmp_path):
    """Write a package of the same name with the given files, and return its folder."""

    def make(**files):
        source = tmp_path / "pugam"
        for room in ("data", "terms", "likelihood", "engines", "solvers", "estimator", "presentation"):
            (source / room).mkdir(parents=True)
            (source / room / "__init__.py").write_text('"""A room."""\n')
        (source / "__init__.py").write_text("from pugam.presentation import everything\n")
        (source / "errors.py").write_text('"""Errors."""\n')
        for room, text in files.items():
            (source / room / "module.py").write_text(text)
        return source

    return make


def test_every_room_imports_only_rooms_before_it():
    assert violations(SOURCE) == []


def test_every_room_has_its_place_in_the_order():
    rooms = {room_of(path, SOURCE) for path in SOURCE.rglob("*.py")} - {"__init__"}

    assert rooms == set(MAY_IMPORT)


def test_imports_between_rooms_are_found_at_all():
    found = {(found.room, found.imported) for found in all_imports(SOURCE)}

    assert {("engines", "likelihood"), ("solvers", "engines"), ("estimator", "data"), ("data", "errors")} <= found
    assert ("estimator", "presentation") in found


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("terms", "from pugam.engines import x"),
        ("terms", "import pugam.solvers.fisher"),
        ("terms", "from pugam import presentation"),
        ("terms", "from pugam import PUGAM"),
        ("terms", "from ..engines import x"),
        ("terms", "from .. import engines"),
        ("terms", "def plot():\n    from pugam.presentation import x"),
        ("terms", "class A:\n    def b(self):\n        if self:\n            import pugam.engines"),
        ("terms", "try:\n    import pugam.engines\nexcept ImportError:\n    pass"),
        ("terms", "if TYPE_CHECKING:\n    pass\nelse:\n    import pugam.engines"),
        ("likelihood", "from pugam.errors import x"),
        ("likelihood", "from pugam.terms import x"),
        ("solvers", "from pugam.data import x"),
        ("estimator", "from pugam.presentation import x"),
        ("estimator", "def fit(self):\n    from pugam.presentation import x"),
    ],
)
def test_an_import_of_a_later_room_is_found(make_package, room, text):
    source = make_package(**{room: text})

    found = violations(source)

    assert len(found) == 1
    assert found[0].startswith(f"{source / room / 'module.py'}: {room} imports ")


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("engines", "from pugam.terms import x\nfrom pugam.likelihood.rows import y\nimport pugam.errors"),
        ("engines", "from . import module\nfrom .module import x\nfrom ..terms import y"),
        ("terms", "import numpy\nfrom pugamlike import x"),
        ("terms", "if TYPE_CHECKING:\n    from pugam.estimator import PUGAM"),
        ("estimator", "class A:\n    def plot(self):\n        from pugam.presentation.plots import x"),
    ],
)
def test_permitted_imports_pass(make_package, room, text):
    assert violations(make_package(**{room: text})) == []


def unlisted(source):
    """Names that a module imports from another whose `__all__` lacks them."""
    lists = {name_of(path, source): listed(parsed(path)) for path in source.rglob("*.py")}
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(parsed(path)):
            known = lists.get(node.module) if isinstance(node, ast.ImportFrom) else None
            if known is not None:
                names = [alias.name for alias in node.names if f"{node.module}.{alias.name}" not in lists]
                yield from (f"{node.module} lists no {name}: {path}" for name in names if name not in known)


def name_of(path, source):
    return ".".join([source.name, *path.relative_to(source).with_suffix("").parts]).removesuffix(".__init__")


def listed(module):
    """What stands in `__all__`; None where there is none."""
    found = (node for node in module.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    return next((ast.literal_eval(node.value) for node in found), None)


def test_what_other_modules_import_is_listed():
    assert list(unlisted(SOURCE)) == []


def test_a_name_that_is_not_listed_is_found(make_package):
    source = make_package(terms='__all__ = ["x"]\n', engines="from pugam.terms.module import x, y\n")

    assert [found.split(":")[0] for found in unlisted(source)] == ["pugam.terms.module lists no y"]


def test_every_module_says_what_it_is_for():
    modules = list(SOURCE.rglob("*.py"))
    silent = [str(path) for path in modules if not ast.get_docstring(parsed(path))]

    assert len(modules) > 20
    assert silent == []


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_importing_pugam_imports_no_heavy_library():
    heavy = "('matplotlib', 'numba', 'polars', 'dask', 'torch')"

    assert run_python(f"import sys, pugam; print(*[name for name in {heavy} if name in sys.modules], 'end')") == ["end"]


def test_importing_pugam_needs_no_arrow():
    # scikit-learn imports pandas, which imports Arrow where it is installed; pugam itself must do without.
    code = "import sys; sys.modules['pyarrow'] = None; import pugam; print(pugam.PUGAM.__name__)"

    assert run_python(code) == ["PUGAM"]
