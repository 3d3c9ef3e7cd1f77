# SPDX-License-Identifier: Apache-2.0
"""Fetches Wren and builds it as it is, with learning, and with an audit of the counts."""

import os
import shutil
import subprocess
from pathlib import Path

import edit

COMMIT = "77aeb12ab8cff432dcc0e0c511d0f30366650f15"
SOURCE = "https://github.com/wren-lang/wren"
C = edit.HERE.parent.parent.parent / "c"


class Unavailable(Exception):
    """Something that the machine lacks."""


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], check=True, text=True, **options)


def fetch(folder: Path) -> None:
    """Clones Wren's commit from WREN_SOURCE, a git directory, or from its home."""
    if shutil.which("git") is None or shutil.which("cc") is None or shutil.which("make") is None:
        raise Unavailable("git, cc and make are needed")
    source = os.environ.get("WREN_SOURCE", SOURCE)
    try:
        run("git", "clone", "-q", "--no-checkout", source, folder, stderr=subprocess.PIPE, timeout=300)
        run("git", "-C", folder, "checkout", "-q", COMMIT, stderr=subprocess.PIPE)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
        raise Unavailable(f"cannot clone {source}; set WREN_SOURCE to a git directory that has it: {e.stderr}") from e


def compile_host(wren: Path, to: Path, *flags: str) -> None:
    sources = [*sorted((wren / "src" / "vm").glob("*.c")), *sorted((wren / "src" / "optional").glob("*.c"))]
    include = [f"-I{wren / 'src' / d}" for d in ("include", "vm", "optional")]
    run("cc", "-O2", "-DNDEBUG", f"-I{C / 'include'}", *include, *flags, "-o", to, edit.LEARNING / "host.c", *sources,
        to.parent / "library" / "libprofarc.a", "-lm", "-pthread")


def build(folder: Path) -> None:
    """Builds the hosts plain, learning and audited in a folder, in which Wren's sources are in wren."""
    if not (folder / "wren").exists():
        fetch(folder / "wren")
    run("make", "-s", "-C", C, f"OUT={folder / 'library'}", stdout=subprocess.DEVNULL)
    compile_host(folder / "wren", folder / "plain")
    edited = folder / "edited"
    shutil.rmtree(edited, ignore_errors=True)
    shutil.copytree(folder / "wren", edited)
    edit.edit(edited)
    compile_host(edited, folder / "learning", "-DLEARN")
    compile_host(edited, folder / "audited", "-DLEARN", "-DLEARN_AUDITED")
