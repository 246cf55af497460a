"""The JSON of a port, as docs/report.md describes it: keys, types, and that each
site's place and text_before are what the input holds."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert set(report) == {"sites", "summary"}, set(report)
site_types = {"file": str, "line": int, "column": int, "rule": str, "construct": str, "tier": str,
              "targets": list, "reason": str, "unreached": bool, "text_before": str,
              "text_after": str}
tiers = {"native", "bridged", "emulated", "renamed", "manual"}
for site in report["sites"]:
    assert set(site) == set(site_types), set(site) ^ set(site_types)
    for key, kind in site_types.items():
        assert isinstance(site[key], kind), (key, site[key])
    assert site["tier"] in tiers
    assert not site["unreached"] or site["tier"] == "manual"
    lines = open(site["file"], newline="").read().split("\n")
    at = sum(len(line) + 1 for line in lines[: site["line"] - 1]) + site["column"] - 1
    text = "\n".join(lines)
    assert text[at:].startswith(site["text_before"]), site
    if site["tier"] == "manual":
        assert "LP_MANUAL(" in site["text_after"], site

summary = report["summary"]
summary_types = {"input": str, "sites": int, "tiers": dict, "unreached": int, "targets": list,
                 "compiled": dict, "diagnostics": dict, "compiled_with_allow_manual": bool,
                 "proofs": list, "notes": list, "port_seconds": float, "check_seconds": float}
assert set(summary) >= set(summary_types), set(summary_types) - set(summary)
for key, kind in summary_types.items():
    assert isinstance(summary[key], kind), (key, summary[key])
assert set(summary["tiers"]) == tiers
assert {t for t, yes in summary["compiled"].items() if not yes} == set(summary["diagnostics"])
assert all(summary["diagnostics"].values())
assert summary["sites"] == len(report["sites"])
assert summary["sites"] == sum(summary["tiers"].values()) + summary["unreached"]
for tier in tiers:
    assert summary["tiers"][tier] == sum(
        s["tier"] == tier and not s["unreached"] for s in report["sites"])
