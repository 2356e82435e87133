"""Colours and names of the drawn map: contrasts, and labels that neither cover each other nor stand on their heads."""

import json
import math
import re

import pytest

from harness.browser import run_modules
from harness.process import ROOT


@pytest.fixture(scope="module")
def drawing():
    return run_modules("map_drawing.mjs")


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    parts = [int(digits[index:index + 2], 16) / 255 for index in (0, 2, 4)]
    red, green, blue = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def own_colours(theme):
    """The colours of the course and the trail."""
    css = (ROOT / "web/base.css").read_text()
    block = re.search(r'\[data-theme="%s"\] \{(.*?)\}' % theme, css, re.DOTALL)[1]
    return [re.search(rf"--{name}: (#\w+)", block)[1] for name in ("course", "trail")]


@pytest.mark.parametrize("theme", ["sunlight", "dark"])
def test_own_lines_roads_and_names_are_seen(drawing, theme):
    style = drawing["styles"][theme]
    areas = {"background": style["background"]} | style["areas"]
    lines = style["lines"]
    roads = ["minor", "tertiary", "secondary", "primary", "motorway"]
    for own in own_colours(theme):
        assert [name for name, colour in areas.items() if contrast(own, colour) < 3] == []
        assert [name for name in ["service", *roads] if contrast(own, lines[name]["fill"]) < 2.9] == []
    for land in (style["areas"]["wood"], style["areas"]["built"]):
        # A road is one line of this colour where it is thin, and this or its fill must be seen where it is not.
        assert [name for name in [*roads, "cycleway"] if contrast(lines[name]["thin"], land) < 3] == []
        assert [name for name in ("track", "path") if contrast(lines[name]["fill"], land) < 3] == []
    assert [name for name, colour in areas.items() if contrast(style["text"], colour) < 7] == []


def test_paper_is_black_and_white(drawing):
    style = drawing["styles"]["e-ink"]
    colours = set(re.findall(r"#\w+", json.dumps(style)))
    assert colours == {"#000", "#fff"} and style["areas"] == {}


def corners(box):
    cos, sin = math.cos(box["turn"]), math.sin(box["turn"])
    return [(box["x"] + cos * x - sin * y, box["y"] + sin * x + cos * y)
            for x in (-box["width"] / 2, box["width"] / 2) for y in (-box["height"] / 2, box["height"] / 2)]


def overlap(one, other):
    """Whether no axis of the boxes separates them."""
    for angle in (one["turn"], one["turn"] + math.pi / 2, other["turn"], other["turn"] + math.pi / 2):
        spans = [[x * math.cos(angle) + y * math.sin(angle) for x, y in corners(box)] for box in (one, other)]
        if max(spans[0]) <= min(spans[1]) or max(spans[1]) <= min(spans[0]):
            return False
    return True


def test_labels_are_upright_and_cover_nothing(drawing):
    buttons = {"x": 750, "y": 100, "width": 100, "height": 200, "turn": 0}
    for boxes in drawing["turns"]:
        assert 10 < len(boxes) <= 45
        assert all(-math.pi / 2 - 1e-9 <= box["turn"] <= math.pi / 2 + 1e-9 for box in boxes)
        assert all(box["turn"] == 0 for box in boxes if box["text"].startswith("Village"))
        assert any(box["turn"] != 0 for box in boxes)
        assert not any(overlap(box, buttons) for box in boxes)
        assert not any(overlap(one, other) for index, one in enumerate(boxes) for other in boxes[:index])


def test_views_agree(drawing):
    moved, direct, corner = drawing["places"]["same"]
    assert moved == pytest.approx(direct, abs=1e-3) and corner == pytest.approx(direct, abs=1e-3)
    assert drawing["places"]["there"] == pytest.approx({"latitude": 42.5, "longitude": 1.5})
    assert drawing["places"]["across"] == pytest.approx({"latitude": 0, "longitude": -90})
