"""What the map of the page does while somebody moves, in node: what is drawn anew."""

import json
import subprocess

import pytest

from harness.process import ROOT
from test_map_tiles import NODE

pytestmark = NODE


@pytest.fixture(scope="module")
def motion():
    result = subprocess.run(
        ["node", ROOT / "Tests/EndToEnd/map_motion.mjs", ROOT / "web"], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_trail_that_grows_leaves_the_canvas_as_it_is(motion):
    grown = motion["grown"]
    assert grown["longer"] and grown["broken"] == "ML"
    assert not any(grown[name] for name in ("unseen", "coloured", "other", "fewer", "much"))
    # The casing begins at the last point that was drawn, the colour some pixels before it.
    assert len(grown["under"]) == 3 and len(grown["over"]) > len(grown["under"])
    assert grown["over"][-3:] == ["L" + part[1:] for part in grown["under"]]
    assert grown["after"] == [[], []]


def test_position_is_an_element_of_its_own(motion):
    assert motion["grown"]["mark"] == {
        "shape": "arrow", "age": "new", "transform": "translate(410px, 240px) rotate(0rad)"}
