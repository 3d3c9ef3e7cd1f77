# SPDX-License-Identifier: Apache-2.0
"""Checks that profarc's counts of a run of Wren are exact."""

import subprocess
from pathlib import Path

import wren

FIB = """class Fib {
  static get(n) {
    if (n < 2) return n
    return get(n - 1) + get(n - 2)
  }
}
Fib.get(20)
"""
FIB_CALLS = 21891  # calls of get for 20: 2 * the 21st Fibonacci number - 1

Counts = dict[tuple[str, ...], tuple[int, int]]


def counted(folder: Path, script: Path, archive: Path) -> tuple[Counts, str]:
    """Runs the audited host. For each function and site it returns profarc's count and the audit's."""
    r = wren.run(folder / "audited", "-count", archive, "-dump", "-audit", script, stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE)
    rows = [line.split("\t") for line in r.stderr.splitlines() if line.count("\t") == 5]
    output = "\n".join(line for line in r.stdout.splitlines() if not line.startswith("elapsed"))
    return {tuple(r[:4]): (int(r[4]), int(r[5])) for r in rows}, output


def differences(counts: Counts, times: int) -> list[str]:
    """The sites whose count is not so many times the audit of one run."""
    return [f"{key}: counted {n}, executed {times} times {audit}" for key, (n, audit) in counts.items()
            if key[0] != "calls" and n != times * audit]


def check_script(folder: Path, script: Path) -> tuple[list[str], Counts]:
    """Checks a run without an archive and three on the archive of the one before. All must print the same as Wren."""
    archive = folder / "check.parc"
    archive.unlink(missing_ok=True)
    plain = wren.run(folder / "plain", script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    expected = "\n".join(line for line in plain if not line.startswith("elapsed"))
    wrong: list[str] = []
    first: Counts = {}
    for i in range(1, 5):
        counts, output = counted(folder, script, archive)
        first = first or counts
        wrong += differences(counts, i) + ([] if output == expected else [f"run {i} printed something else"])
        wrong += [f"{k}: {counts[k][0]} calls after {i} runs of {first[k][0]}" for k in first
                  if k[0] == "calls" and counts[k][0] != i * first[k][0]]
    advised = wren.run(folder / "learning", "-advise", archive, script, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL).stdout.splitlines()
    if "\n".join(line for line in advised if not line.startswith("elapsed")) != expected:
        wrong.append("the advised run printed something else")
    return wrong, first


def all_counts(folder: Path, benchmarks: list[str]) -> int:
    """Prints what differs, and returns the exit code."""
    fib = folder / "fib20.wren"
    fib.write_text(FIB)
    wrong, counts = check_script(folder, fib)
    if counts[("calls", "main.static Fib", "get(_)", "0")][0] != FIB_CALLS:
        wrong.append(f"Fib.get has not {FIB_CALLS} calls")
    sites = len(counts)
    for b in benchmarks:
        more, counts = check_script(folder, folder / "wren" / "test" / "benchmark" / f"{b}.wren")
        wrong += more
        sites += len(counts)
    print("\n".join(wrong) or f"{sites} functions and sites of {len(benchmarks) + 1} scripts have exact counts")
    return 1 if wrong else 0
