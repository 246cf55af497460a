#!/usr/bin/env python3
"""Ports, compiles and verifies the cases of generate.py, and counts how they came out.

  run.py --tool build/bin/layout-port [--sample N] [--only PATTERN] [--target gfx942,...]
         [--jobs N] [--table FILE] [--keep DIR]

Blocks of an odd number of warps are padded (--warp-blocks=pad). Ten cases share a file, so that the compiler starts less often. A file whose verdict is
neither "proved" nor "tested" is taken apart and each of its cases run alone, so a verdict
always belongs to one case. The output of the port is compiled for every target by the tool
itself (to an object file). Prints the tables as markdown; exit status 1 when a case is not
ported whole, does not compile, or is neither proved nor tested on a target.
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

import generate

RIGHT = ("proved", "tested")
TIERS = ("native", "bridged", "emulated", "manual")
WORST_FIRST = ("refuted", "unknown", "trouble", "tested", "proved")


class Outcome:
    """One case: tier and reason of its mma, and a verdict for each target."""

    def __init__(self, case):
        self.case = case
        self.tier, self.reason, self.note = "manual", "no site was reported", ""
        self.verdicts, self.compiled = {}, {}

    def verdict(self):
        found = set(self.verdicts.values()) or {"trouble"}
        return next(v for v in WORST_FIRST if v in found)

    def right(self):
        return self.tier != "manual" and self.verdict() in RIGHT and all(self.compiled.values())


class Runner:
    def __init__(self, tool, targets, folder, seconds):
        self.tool, self.targets, self.folder, self.seconds = tool, targets, folder, seconds

    def run(self, name, group):
        outcomes = self._attempt(name, group)
        if len(group) == 1 or all(o.right() for o in outcomes):
            return outcomes
        return [o for i, c in enumerate(group) for o in self._attempt(f"{name}_{i}", [c])]

    def _attempt(self, name, group):
        spans = generate.write(self.folder, name, group)
        outcomes = [Outcome(case) for case in group]
        path = os.path.join(self.folder, name)
        call = [self.tool, path + ".cu", "-o", path + ".hip", "--json", path + ".json", "--quiet"]
        call += ["--warp-blocks=pad"]  # what a person would choose for an odd number of warps
        text = self._call(call + ["--target", ",".join(self.targets)])
        try:
            with open(path + ".json") as file:
                report = json.load(file)
        except (OSError, ValueError):
            for o in outcomes:
                o.note = text
            return outcomes
        self._tiers(report, spans, outcomes)
        self._refusals(report["summary"]["notes"], outcomes)
        for o in outcomes:
            o.compiled = report["summary"]["compiled"]
        if all(o.tier != "manual" for o in outcomes):
            self._verify(path, outcomes)
        return outcomes

    def _verify(self, path, outcomes):
        for target in self.targets:
            call = [self.tool, "verify", path + ".cu", path + ".hip", "--launch", path + ".yaml"]
            text = self._call(call + ["--target", target])
            verdict = text.split(":")[0] if text.split(":")[0] in WORST_FIRST else "trouble"
            for o in outcomes:
                o.verdicts[target] = verdict
                if verdict not in RIGHT:
                    o.note = f"{target}: {text}"

    @staticmethod
    def _tiers(report, spans, outcomes):
        """The worst tier of a kernel's mma, or of a site left manual, and its reason."""
        for o in outcomes:
            begin, end = spans[o.case.name]
            sites = [s for s in report["sites"] if begin <= s["line"] < end]
            tensor = [s for s in sites if s["tier"] == "manual" or s["construct"].startswith("mma.")]
            tensor.sort(key=lambda s: -rank(s["tier"]))
            if tensor:
                o.tier, o.reason = tensor[0]["tier"], tensor[0]["reason"]

    @staticmethod
    def _refusals(notes, outcomes):
        """'NAME is not native: why (file:line)' says more than the reason of the fallback."""
        for o in outcomes:
            for note in notes:
                found = re.match(rf"{o.case.name} is not native: (.*?)( \(\S+:\d+\))?$", note)
                if found and o.tier != "native":
                    o.reason = re.sub(r"\bg\d{3}", "gNNN", re.sub(r"\b\d+\b", "N", found.group(1)))

    def _call(self, arguments):
        try:
            done = subprocess.run(
                arguments, capture_output=True, text=True, timeout=self.seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no answer within {self.seconds} s"
        return (done.stdout + done.stderr).strip()


def rank(tier):
    return TIERS.index(tier) if tier in TIERS else -1


def tally(outcomes, key):
    counts = collections.Counter(key(o) for o in outcomes)
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))


def row(name, outcomes):
    verdicts = collections.Counter(o.verdict() for o in outcomes)
    tiers = collections.Counter(o.tier for o in outcomes)
    cells = [name, len(outcomes)]
    cells += [verdicts[v] for v in ("proved", "tested", "refuted", "unknown", "trouble")]
    cells += [tiers[t] for t in TIERS]
    return "| " + " | ".join(str(c) if c else "" for c in cells) + " |"


def tables(outcomes, targets, seconds):
    right = sum(o.right() for o in outcomes)
    yield f"{right} of {len(outcomes)} cases are ported whole, compile, and are proved or tested"
    yield f"on {', '.join(targets)} ({seconds:.0f} s)."
    yield ""
    yield "| types and shape | cases | proved | tested | refuted | unknown | trouble | " + " | ".join(TIERS) + " |"
    yield "|---" * (7 + len(TIERS)) + "|"
    by_mma = collections.defaultdict(list)
    for o in outcomes:
        by_mma[o.case.mma.name()].append(o)
    for name, group in by_mma.items():
        yield row(name, group)
    yield row("all", outcomes)
    fallen = [o for o in outcomes if o.tier != "native"]
    if fallen:
        yield ""
        yield "| tier | why not better | cases | for example |"
        yield "|---|---|---|---|"
        for (tier, reason), count in tally(fallen, lambda o: (o.tier, o.reason)):
            example = next(o.case.name for o in fallen if (o.tier, o.reason) == (tier, reason))
            yield f"| {tier} | {reason} | {count} | {example} |"
    wrong = [o for o in outcomes if not o.right()]
    if wrong:
        yield ""
        yield "| not right | verdict | what was said |"
        yield "|---|---|---|"
        for o in wrong:
            said = o.note.split("\n")
            yield f"| {o.case.name} | {o.verdict()} | {' / '.join(said[:2])[:240] or o.reason} |"


def sweep(options, folder):
    targets = options.target.split(",")
    runner = Runner(os.path.abspath(options.tool), targets, folder, options.seconds)
    found = generate.chosen(options.only, options.sample)
    if not found:
        sys.exit(f"run.py: no case is named {options.only}")
    begin, outcomes = time.time(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        groups = enumerate(generate.groups(found))
        runs = [pool.submit(runner.run, f"sweep_{i:03}", group) for i, group in groups]
        for i, run in enumerate(runs):
            outcomes += run.result()
            if sys.stderr.isatty():
                print(f"\r{i + 1} of {len(runs)} files", end="", file=sys.stderr)
    lines = "\n".join(tables(outcomes, targets, time.time() - begin))
    print(lines)
    if options.table:
        with open(options.table, "w") as out:
            out.write(lines + "\n")
    return 0 if all(o.right() for o in outcomes) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default="build/bin/layout-port")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names, with * and ?")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N cases, seeded")
    parser.add_argument("--target", default="gfx90a,gfx942,gfx950")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=int, default=1200, help="for one run of the tool")
    parser.add_argument("--table", metavar="FILE", help="write the tables here as well")
    parser.add_argument("--keep", metavar="DIR", help="leave sources, ports and reports here")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        return sweep(options, options.keep)
    with tempfile.TemporaryDirectory() as folder:
        return sweep(options, folder)


if __name__ == "__main__":
    sys.exit(main())
