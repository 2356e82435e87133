"""CONTRIBUTING.md lists the files that an addition changes; a made addition to a copy shows which ones the compiler asks for."""

import re
import runpy

import pytest

from harness.process import ROOT


def listed():
    """The files that "What an addition changes" names for each addition."""
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## What an addition changes")[1]
    return {kind: re.findall(r"`(\S+\.swift)`", files) for kind, files in re.findall(r"^\| (\w+) \| (`[^|]*) \|", section, re.M)}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["sport", "format", "field", "sensor"])
def test_compiler_asks_for_the_files_that_the_list_names(kind):
    tool = runpy.run_path(str(ROOT / "Tools/additions.py"))
    assert tool["asked"](kind, tool["commands"](), tool["modules"]()) == sorted(listed()[kind])
