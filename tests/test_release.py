"""The version is the same wherever it is written."""

import re
from pathlib import Path

import yaml

import polytomy

ROOT = Path(__file__).parents[1]


def test_citation_has_the_version_and_the_licence():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == polytomy.__version__
    assert citation["license"] in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_changelog_has_the_version_and_only_known_headings():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[([^\]]+)\]", text, re.MULTILINE)
    assert versions[0] == "Unreleased"
    assert polytomy.__version__ in versions
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == len(versions)
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
