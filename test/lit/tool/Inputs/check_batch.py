"""The JSON of a batch: its keys, and that its sums are those of its files."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert set(report) == {"files", "summary"}, set(report)
files, summary = report["files"], report["summary"]
assert [f["input"] for f in files] == sorted(f["input"] for f in files)
for file in files:
    assert set(file) == {"input", "output", "status", "problem", "seconds", "peak_mebibytes", "report"}
    assert file["status"] in ("ported", "person", "failed")
    assert (file["report"] is None) == (file["status"] == "failed")
    assert bool(file["problem"]) == (file["status"] == "failed")
    assert bool(file["output"]) == (file["status"] != "failed")
for status in ("ported", "person", "failed"):
    assert summary[status] == sum(f["status"] == status for f in files)
assert summary["files"] == len(files)
assert summary["tiers"]["manual"] == sum(
    f["report"]["summary"]["tiers"]["manual"] for f in files if f["report"])
