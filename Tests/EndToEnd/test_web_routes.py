"""The modules of the page of routes, in node: when the guidance asks anew, the order of points, and the arrows."""

import pytest

from harness.browser import run_modules


@pytest.fixture(scope="module")
def routes():
    return run_modules("route_pages.mjs")


def test_new_route_is_asked_for_after_20_seconds_off_it_and_30_after_a_question(routes):
    follower = routes["follower"]
    assert follower["off"] == [[20, "ask"], [50, "ask"]]
    assert follower["near"] == follower["unknown"] == []
    # A moment on the route, or without a position, begins anew.
    assert follower["back"] == [[36, "ask"]] and follower["lost"] == [[36, "ask"]]
    # The new course, which is loaded 5 s later, has its own 20 s.
    assert follower["followed"] == [[20, "ask"], [50, "ask"], [80, "ask"]]


def test_guidance_ends_at_the_destination_or_with_another_course(routes):
    follower = routes["follower"]
    assert follower["arrived"] == [[12, "arrived"]]
    assert follower["replaced"] == follower["none"] == [[30, "replaced"]]
    # A daemon that restarts has its course again.
    assert follower["restarted"] == []


def test_points_are_ordered_along_a_way_that_goes_there_and_back(routes):
    via = routes["via"]
    assert via["along"] == [300, 1700, 1800, 0]
    assert via["at"] == [[0, 0], [250, 0], [1000, 0], [400, 0], [0, 0]]
    # The second point is nearest to the way back, since the first one comes before it.
    assert via["among"] == [0, 1, 2] and via["ahead"] == [2, 1, 0]
    assert via["loop"] == [[500, 0], [1000, 0], [500, 0]]


def test_turns_have_arrows_and_other_points_a_dot(routes):
    signs = routes["signs"]
    assert signs.pop("exit") == "roundabout" and signs.pop("unknown") == "dot"
    assert signs.pop("middle-fork") == "straight"
    sides = {f"{kind}{side}" for kind in ("", "slight-", "sharp-") for side in ("left", "right")}
    assert set(signs) == sides | {"straight", "left-fork", "right-fork", "u-turn"}
    assert all(kind == sign for kind, sign in signs.items())
    for drawing in routes["drawn"]:
        assert drawing["d"] and set(drawing) <= {"d", "transform"}
    lines = [(drawing["d"], "transform" in drawing) for drawing in routes["drawn"]]
    assert len(set(lines)) == len(lines) - 1
