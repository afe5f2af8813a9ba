"""What is installed is what is written down, and nothing goes over the network unasked."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pugam.datasets import simulate

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
GROUPS = PROJECT["dependency-groups"]
REQUIRED, EXTRAS = PROJECT["project"]["dependencies"], PROJECT["project"]["optional-dependencies"]
ASKED = [Requirement(text) for text in [*REQUIRED, *EXTRAS["plot"], *EXTRAS["fast"], *GROUPS["test"], *GROUPS["lint"]]]

# Everything that opens a connection goes through this in CPython; events of hooks cannot be caught and passed over.
CUT_OFF = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        sys.stderr.write(f"NETWORK {event} {arguments}\\n")
        raise OSError("no network here")

sys.addaudithook(refuse)
"""
# Only what `pip install pugam` brings: libraries of extras cannot be imported.
BARE = """
class Missing:
    def find_spec(self, name, *arguments):
        if name in {names}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
"""


def locked_versions():
    found = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, flags=re.MULTILINE):
        found.setdefault(canonicalize_name(name), []).append(version)
    return found


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_lock_holds_what_the_project_asks_for(asked):
    versions = locked_versions().get(canonicalize_name(asked.name), [])

    assert versions, f"{asked.name} is not in requirements-dev.txt; run `make lock`"
    assert all(asked.specifier.contains(version) for version in versions)


def test_every_locked_library_has_hashes():
    entries = re.split(r"\n(?=[A-Za-z])", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).strip())

    assert len(entries) == sum(len(versions) for versions in locked_versions().values())
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("text", [*REQUIRED, *(text for name in EXTRAS if name != "all" for text in EXTRAS[name])])
def test_every_dependency_has_a_lower_bound_and_no_upper_one(text):
    operators = [specifier.operator for specifier in Requirement(text).specifier]

    assert operators == [">="]  # an upper bound would shut out users of newer libraries


def run_cut_off(code, folder):
    bare = BARE.format(names=sorted(modules_of_extras()))
    return subprocess.run(
        [sys.executable, "-c", CUT_OFF + bare + code], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (
            ["fit", "rows.csv", "--label", "z", "--smoothing", "0.1", "--out", "model.json", "--report", "report.html"],
            "report.html",
        ),
        pytest.param(["demo", "--out", "demo"], "demo/report.html", marks=pytest.mark.long),
    ],
    ids=["fit", "demo"],
)
def test_the_main_job_needs_no_network_and_no_extra(tmp_path, arguments, written):
    data = simulate(1, n0=400, n=700, random_state=3)
    data.X.assign(z=data.z).to_csv(tmp_path / "rows.csv", index=False)
    code = f"import sys; sys.argv = ['pugam', *{arguments}]; from pugam.command_line import main; main()"

    done = run_cut_off(code, tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / written).is_file()


def test_a_connection_would_be_noticed(tmp_path):
    done = run_cut_off("import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')", tmp_path)

    assert done.returncode == 1
    assert "NETWORK" in done.stderr


def imported_modules():
    """Names of all packages that the sources import, wherever they do."""
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield node.module.split(".")[0]


def test_what_is_imported_is_declared():
    extras = {text for texts in EXTRAS.values() for text in texts}
    distributions = {"sklearn": "scikit-learn"}
    found = {distributions.get(name, name) for name in imported_modules()} - sys.stdlib_module_names - {"pugam"}

    assert {canonicalize_name(name) for name in found} <= names_of([*REQUIRED, *extras])


def test_all_is_every_extra_of_a_user_but_the_gpu():
    (everything,) = map(Requirement, EXTRAS["all"])

    assert (everything.name, everything.extras) == ("pugam", set(EXTRAS) - {"all", "gpu", "peers"})


def names_of(texts):
    return {canonicalize_name(Requirement(text).name) for text in texts}


def modules_of_extras():
    """Modules that only extras bring, and polars, which nothing brings."""
    return names_of(text for texts in EXTRAS.values() for text in texts) - {"pugam"} | {"polars"}
