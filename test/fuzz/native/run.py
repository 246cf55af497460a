#!/usr/bin/env python3
"""Ports random kernels (kernels.py) and lets the machine compare each port with its source.

  run.py --tool build/bin/layout-port --seed 1 --count 200 [--group 5] [--target gfx942]
         [--keep DIR] [--shrink] [--jobs 1]

Kernel n of seed s is always the same. Several share a file; a file that is not right is taken
apart, so that each kernel is judged by itself. What may come of one:

  native, bridged    the port is proved (integers: tested)
  source             the source itself is at fault in this launch: a race, an undefined value
  REFUTED UNKNOWN COMPILE MANUAL CRASH    a bug: of the port, of verify, or of this grammar

Exit status 1 when a kernel is one of the last line. --shrink takes back one oddity of such a
kernel after the other, as long as it fails alike, and prints what is left.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import kernels

BUGS = ("REFUTED", "UNKNOWN", "COMPILE", "MANUAL", "CRASH")
TARGETS = ("gfx90a", "gfx942", "gfx950")


class Result:
    def __init__(self, outcome, detail="", reasons=None):
        self.outcome, self.detail, self.reasons = outcome, detail, reasons or {}


class Judge:
    """Runs the tool on a file of kernels."""

    def __init__(self, tool, folder, seconds):
        self.tool, self.folder, self.seconds = os.path.abspath(tool), folder, seconds

    def file(self, stem, group, target):
        """One Result for all kernels of a file."""
        path = os.path.join(self.folder, stem)
        with open(path + ".cu", "w") as out:
            out.write(kernels.file_of(group))
        with open(path + ".yaml", "w") as out:
            out.write(kernels.launch_of(group))
        names = [stem + end for end in (".cu", ".hip", ".yaml", ".json")]
        port = self._call(names[0], "-o", names[1], "--json", names[3], "--target", target, "--warp-blocks=pad")
        if port[0] not in (0, 1):
            return Result("CRASH", f"port: exit {port[0]}: {port[1][:300]}")
        with open(path + ".json") as file:
            report = json.load(file)
        if not all(report["summary"]["compiled"].values()):
            return Result("COMPILE", self._error(path + ".hip", port[1]))
        manual = [s for s in report["sites"] if s["tier"] == "manual"]
        if manual:
            return Result("MANUAL", f"{manual[0]['construct']}: {manual[0]['reason']}")
        self._notePadded(group, path)
        verdict = self._call("verify", names[0], names[1], "--launch", names[2], "--target", target)
        return self._judged(verdict, self._reasons(report))

    @staticmethod
    def _notePadded(group, path):
        """The launches of the file, with the port's blocks where those are padded."""
        with open(path + ".hip") as file:
            text = file.read()
        for one in group:
            one.isPadded = f"{one.launched}<<<dim3(2, 2), 64 /* 32 */>>>" in text
        with open(path + ".yaml", "w") as out:
            out.write(kernels.launch_of(group))

    def _judged(self, verdict, reasons):
        status, text = verdict
        if text.startswith(("proved:", "tested:")):
            return Result("right", text, reasons)
        if "\n  source: " in text or "the source itself" in text.split("\n")[0]:
            return Result("source", text[:300], reasons)
        if text.startswith("refuted:"):
            return Result("REFUTED", text[:400], reasons)
        if text.startswith("unknown:"):
            return Result("UNKNOWN", text[:400], reasons)
        return Result("CRASH", f"verify: exit {status}: {text[:400]}", reasons)

    @staticmethod
    def _error(path, text):
        """The first error, and the kernel that it is in."""
        found = re.search(r":(\d+):\d+: (?:fatal )?error: (.*)", text)
        if not found:
            return text[:300]
        with open(path) as file:
            before = file.read().split("\n")[: int(found.group(1))]
        spaces = [line for line in before if line.startswith("namespace g")]
        return f"{found.group(2)} [{spaces[-1].split()[1] if spaces else 'head'}]"

    @staticmethod
    def _reasons(report):
        """Why kernels of the file are not native, by name."""
        found = {}
        for note in report["summary"]["notes"]:
            match = re.match(r"(\w+) is not native: (.*?)( \(\S+:\d+\))?$", note)
            if match:
                found[match.group(1)] = match.group(2)
        return found

    def _call(self, *arguments):
        try:
            done = subprocess.run(
                [self.tool, *arguments], capture_output=True, text=True, timeout=self.seconds, cwd=self.folder, check=False
            )
        except subprocess.TimeoutExpired:
            return "timeout", f"no answer within {self.seconds} s"
        return done.returncode, (done.stdout + done.stderr).strip()


def kernel(seed, plain=()):
    return kernels.Kernel("g" + seed.replace("/", "_"), seed, plain)


def judge_group(judge, seeds, target):
    """A Result for each seed."""
    group = [kernel(s) for s in seeds]
    together = judge.file("f" + seeds[0].replace("/", "_"), group, target)
    if together.outcome == "right" or len(group) == 1:
        return [(s, target, split(together, g)) for s, g in zip(seeds, group)]
    # Who is named is taken out, and the others are tried again; nobody: each by itself.
    named = [s for s, g in zip(seeds, group) if re.search(rf"\b(kern_)?{g.name}\b|\b{g.name}[A-Z]", together.detail)][:1] or seeds
    rest = [s for s in seeds if s not in named]
    alone = [found for s in named for found in judge_group(judge, [s], target)]
    if rest:
        alone += judge_group(judge, rest, target)
    if not any(r.outcome not in ("native", "bridged") for _, _, r in alone):
        alone.append(("+".join(seeds), target, Result(together.outcome, "only together: " + together.detail)))
    return alone


def split(result, g):
    if result.outcome != "right":
        return result
    reason = result.reasons.get("kern_" + g.name)
    return Result("bridged" if reason else "native", reason or result.detail)


def shrink(judge, seed, target, outcome):
    """The choices that have to stay odd for the kernel to fail alike."""
    plain = set()
    for key in reversed(list(kernel(seed).d.made)):
        trial = kernel(seed, plain | {key})
        if judge.file("s" + seed.replace("/", "_"), [trial], target).outcome == outcome:
            plain.add(key)
    smallest = kernel(seed, plain)
    judge.file("s" + seed.replace("/", "_"), [smallest], target)
    return smallest.d.made


def generalized(reason):
    return re.sub(r"'[^']*'", "'..'", re.sub(r"\d+", "N", reason))


def report(results, seconds):
    counts = collections.Counter(r.outcome for _, _, r in results)
    print(f"{len(results)} kernels in {seconds:.0f} s: " + ", ".join(f"{n} {o}" for o, n in counts.most_common()))
    reasons = collections.Counter(generalized(r.detail) for _, _, r in results if r.outcome == "bridged")
    for reason, count in reasons.most_common():
        print(f"  {count:4} bridged: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default="build/bin/layout-port")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--group", type=int, default=5, help="kernels in a file")
    parser.add_argument("--target", default="", help="one chip; default: in turns, file by file")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=120, help="for one run of the tool")
    parser.add_argument("--keep", metavar="DIR", help="leave sources, ports and reports here")
    parser.add_argument("--shrink", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            folder = options.keep
            os.makedirs(folder, exist_ok=True)
        return fuzz(options, Judge(options.tool, folder, options.seconds))


def fuzz(options, judge):
    begin, results = time.time(), []
    seeds = [f"{options.seed}/{options.first + n}" for n in range(options.count)]
    groups = [seeds[i : i + options.group] for i in range(0, len(seeds), options.group)]
    print(f"seed {options.seed}, kernels {options.first} to {options.first + options.count - 1}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [
            pool.submit(judge_group, judge, group, options.target or TARGETS[n % 3]) for n, group in enumerate(groups)
        ]
        for run in runs:
            for seed, target, result in run.result():
                results.append((seed, target, result))
                if result.outcome in BUGS + ("source",):
                    show(judge, options, seed, target, result)
    report(results, time.time() - begin)
    return 1 if any(r.outcome in BUGS for _, _, r in results) else 0


def show(judge, options, seed, target, result):
    print(f"{result.outcome} {seed} {target}: {result.detail}")
    if "+" in seed:
        return
    made = shrink(judge, seed, target, result.outcome) if options.shrink else kernel(seed).d.made
    for key, choice in made.items():
        print(f"    {key}: {choice}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
