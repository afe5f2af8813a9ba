"""What Windows and macOS do otherwise, as far as it can be put on here: modules, signals, encodings, open files."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pugam
from pugam.datasets import simulate

# Windows has none of these modules and functions, and neither moves nor removes a file that is open.
WINDOWS = """
import os, signal, sys

class Missing:
    def find_spec(self, name, *arguments):
        if name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
            raise ModuleNotFoundError(name, name=name)

for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
for name in ("SIGHUP", "SIGALRM", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)

def is_open(path):
    shown = os.path.realpath(path)
    fds = (f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd"))
    return any(os.readlink(fd) == shown for fd in fds if os.path.islink(fd))

def forbidding(action):
    def act(*paths, **options):
        if any(is_open(path) for path in paths if isinstance(path, (str, os.PathLike))):
            raise PermissionError(13, "The process cannot access the file because it is being used", str(paths[0]))
        return action(*paths, **options)
    return act

for name in ("replace", "rename", "remove", "unlink"):
    setattr(os, name, forbidding(getattr(os, name)))
"""
RUN = """
from pugam.command_line import main

for words in {commands}:
    sys.argv = ["pugam", *words.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (words, end.code)
"""
SHORT = [
    "fit größe.csv --label z --smoothing 0.1 --out model.json --report report.html --quiet",
    "predict model.json größe.csv --out scored.csv --quiet",
    "predict model.json größe.csv --out scored.csv --quiet",
]
LONG = [
    *SHORT,
    "predict model.json größe.csv --out scored.parquet --quiet",
    "fit größe.csv --label z --engine stream --out other.json --smoothing 0.1 --quiet",
    "fit größe.csv --label z --smoothing 0.1 --ci bootstrap --resamples 12 --store draws.json --quiet",
    "explain model.json größe.csv --out why.csv --quiet",
    "drift model.json größe.csv",
    "export model.json scorer.py --quiet",
    "report model.json größe.csv --label z --out again.html --quiet",
]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no list of open files")
@pytest.mark.parametrize("commands", [SHORT, pytest.param(LONG, marks=pytest.mark.long)], ids=["short", "long"])
def test_commands_run_where_a_system_has_less(tmp_path, commands):
    data = simulate(1, n0=600, n=1000, random_state=3)
    data.X.rename(columns={"x1": "größe"}).assign(z=data.z).to_csv(
        tmp_path / "größe.csv", index=False, encoding="utf-8"
    )

    code = WINDOWS + RUN.format(commands=commands)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        check=False,
    )

    assert done.returncode == 0, done.stderr.decode("cp1252")
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert "größe" in (tmp_path / "model.json").read_text(encoding="utf-8")


def opened_as_text(call):
    """Whether a call opens a file as text, or may do so."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    modes = [
        one.value for one in [*call.args, *(word.value for word in call.keywords)] if isinstance(one, ast.Constant)
    ]
    is_binary = any(isinstance(mode, str) and set(mode) <= set("rwxab+") and "b" in mode for mode in modes)
    return name in ("read_text", "write_text") or (name == "open" and not is_binary)


def test_the_encoding_of_every_text_file_is_said():
    # Windows has another one than UTF-8 where nothing is said. os.open and others that know no text are left out.
    texts = [(file.name, file.read_text(encoding="utf-8")) for file in Path(pugam.__file__).parent.rglob("*.py")]
    parsed = [(name, ast.parse(text)) for name, text in texts if "open(" in text or "_text(" in text]
    calls = [(name, node) for name, tree in parsed for node in ast.walk(tree)]
    found = [(name, node) for name, node in calls if isinstance(node, ast.Call) and opened_as_text(node)]
    silent = [
        f"{name}, line {node.lineno}: {ast.unparse(node)}"
        for name, node in found
        if "encoding" not in {word.arg for word in node.keywords} and not ast.unparse(node).startswith("os.open(")
    ]

    assert len(found) > 5
    assert silent == []
