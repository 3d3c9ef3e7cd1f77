#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what counting and advice by libprofarc do to Wren.

    python3 measure.py [-C FOLDER] [-n ROUNDS] [-check] [-growth] [BENCHMARK...]

Without -check and -growth it times Wren's benchmarks. FOLDER has the builds, and keeps Wren for the next time.
WREN_SOURCE is a git directory of Wren, instead of its home. Without Wren or a compiler it says so and exits with 0."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import check
import wren

BENCHMARKS = ["fib", "for", "method_call", "binary_trees", "delta_blue"]

# Variants by name: the host and its arguments, in which ARCHIVE is the trained archive and NONE a missing one.
VARIANTS = {
    "untouched": ["plain"],
    "not counting": ["learning"],
    "cold": ["learning", "-count", "NONE"],
    "warm": ["learning", "-count", "ARCHIVE"],
    "advised": ["learning", "-advise", "ARCHIVE"],
}

# Pairs of variants whose ratio is a goal, and the goal.
GOALS = [("warm", "cold", 1.02), ("cold", "untouched", 1.15), ("warm", "untouched", 1.15),
         ("advised", "untouched", 1.00), ("advised", "cold", 1.00)]


def host(folder: Path, variant: list[str], script: Path, archive: Path) -> list[str]:
    names = {"ARCHIVE": str(archive), "NONE": str(archive.with_suffix(".none"))}
    return [str(folder / variant[0]), *[names.get(a, a) for a in variant[1:]], str(script)]


def seconds(command: list[str]) -> float:
    """Runs a host, and returns the processor time that it prints."""
    r = subprocess.run(command, check=True, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return float(re.search(r"seconds ([0-9.]+)", r.stderr).group(1))


def train(folder: Path, script: Path, archive: Path) -> None:
    """Runs a script three times, each time on the archive of the one before."""
    archive.unlink(missing_ok=True)
    for _ in range(3):
        wren.run(folder / "learning", "-count", archive, "-dump", script, stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)


def rounds(folder: Path, benchmark: str, n: int) -> dict[str, list[float]]:
    """Times all variants n times, in turns whose first one changes."""
    script, archive = folder / "wren" / "test" / "benchmark" / f"{benchmark}.wren", folder / f"{benchmark}.parc"
    train(folder, script, archive)
    times: dict[str, list[float]] = {v: [] for v in VARIANTS}
    order = list(VARIANTS)
    for i in range(n):
        for v in order[i % len(order) :] + order[: i % len(order)]:
            times[v].append(seconds(host(folder, VARIANTS[v], script, archive)))
    return times


def ratio(times: dict[str, list[float]], of: str, to: str) -> str:
    """The median of the rounds' ratios, with its quartiles."""
    all_ = [a / b for a, b in zip(times[of], times[to], strict=True)]
    low, middle, high = statistics.quantiles(all_, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def table(folder: Path, benchmarks: list[str], n: int) -> None:
    print("| | untouched | not counting | " + " | ".join(f"{a} of {b}" for a, b, _ in GOALS) + " |")
    print("|" + "---|" * (3 + len(GOALS)))
    for b in benchmarks:
        t = rounds(folder, b, n)
        cells = [f"{1000 * statistics.median(t['untouched']):.0f} ms", ratio(t, "not counting", "untouched")]
        print(f"| {b} | " + " | ".join(cells + [ratio(t, x, y) for x, y, _ in GOALS]) + " |", flush=True)
    print("| goal | | | " + " | ".join(f"at most {goal:.2f}" for _, _, goal in GOALS) + " |")


def growth(folder: Path) -> None:
    """Runs 1,000 evals that differ 50 times, each on the archive of the one before."""
    archive = folder / "evals.parc"
    archive.unlink(missing_ok=True)
    print("| run | archive | processor time | most memory | run and dump on the wall |\n|---|---|---|---|---|")
    for i in range(1, 51):
        began = time.monotonic()
        command = [folder / "learning", "-count", archive, "-dump", "-evals", "1000", "-seed", str(i)]
        r = wren.run(*command, stderr=subprocess.PIPE)
        wall, words = time.monotonic() - began, r.stderr.split()
        if i in (1, 2, 10, 25, 50):
            print(f"| {i} | {archive.stat().st_size / 1000:.0f} kB | {1000 * float(words[1]):.0f} ms | "
                  f"{int(words[3]) / 1000:.1f} MB | {1000 * wall:.0f} ms |", flush=True)


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-C", dest="folder", type=Path, help="folder of the builds")
    p.add_argument("-n", type=int, default=21, help="rounds (21)")
    p.add_argument("-check", action="store_true", help="check the counts against an audit")
    p.add_argument("-growth", action="store_true", help="measure 50 runs of 1,000 evals")
    p.add_argument("benchmarks", nargs="*", default=BENCHMARKS)
    o = p.parse_args()
    folder = o.folder or Path(tempfile.mkdtemp(prefix="wren"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        wren.build(folder)
    except wren.Unavailable as e:
        print(f"skipped: {e}")
        return 0
    if o.check:
        return check.all_counts(folder, o.benchmarks)
    growth(folder) if o.growth else table(folder, o.benchmarks, o.n)
    return 0


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.exit(main())
