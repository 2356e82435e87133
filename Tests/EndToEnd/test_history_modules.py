"""The pure modules of the pages of activities and badges, in node."""

import json
import math
import re

from harness.browser import run_modules


def called(module, *calls):
    """What the functions of a module return; each call is a name and its values."""
    return run_modules("history_modules.mjs", module, text=json.dumps(calls))


def numbers(path):
    return [tuple(map(float, point)) for point in re.findall(r"[ML](\S+?) ([^ML]+)", path)]


# Thumbnails

def test_a_thumbnail_is_north_up_fills_its_square_and_keeps_the_shape():
    """A way of 2 km east and 1 km north at 60° N, where a degree of longitude has half the metres."""
    [path] = called("thumbnail", ["thumbnailPath", [[60, 10], [60, 10.036], [60.009, 10.036]], 72])
    assert numbers(path) == [(4, 52), (68, 52), (68, 20)]


def test_a_thumbnail_keeps_few_points_of_a_straight_line_and_those_of_a_circle():
    line = [[50 + n / 1000, 8] for n in range(120)]
    circle = [[50 + math.sin(n / 19) / 100, 8 + math.cos(n / 19) / 100] for n in range(120)]
    paths = called("thumbnail", ["thumbnailPath", line, 72], ["thumbnailPath", circle, 72])
    assert len(numbers(paths[0])) == 2
    assert 10 < len(numbers(paths[1])) < 60


def test_a_thumbnail_breaks_where_the_position_was_lost_and_is_empty_without_a_route():
    lost = [[50, 8], [50.01, 8], [None, None], [50.02, 8.01], [50.03, 8.01]]
    still = [[50, 8], [50.0001, 8.0001], [50, 8.0001]]
    paths = called("thumbnail", *(["thumbnailPath", rows, 72] for rows in (lost, still, [[None, None]], [])))
    assert paths[0].count("M") == 2
    assert paths[1:] == ["", "", ""]


def test_a_thumbnail_crosses_the_date_line_on_the_short_way():
    [path] = called("thumbnail", ["thumbnailPath", [[0, 179.99], [0, -179.99]], 72])
    assert numbers(path) == [(4, 36), (68, 36)]
