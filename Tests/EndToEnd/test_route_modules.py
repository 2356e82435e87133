"""The modules of the page of routes, in node: the place on a route, when a new one is asked for, points, and arrows."""

import pytest

from harness.browser import run_modules


@pytest.fixture(scope="module")
def routes():
    return run_modules("route_modules.mjs")


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


def test_route_is_followed_before_a_run(routes):
    start, on, further = routes["progress"]["there"]
    assert start == {"status": "on", "progress_m": 0, "remaining_m": 2000, "remaining_ascent_m": 40, "cross_track_m": 0,
                     "cue": ["left", 500], "second_cue": ["u-turn", 1000]}
    assert on["cue"] == ["left", 200] and on["cross_track_m"] == 8
    # The way back is as near, but farther along.
    assert (further["progress_m"], further["cue"]) == (850, ["u-turn", 150]) and "second_cue" not in further
    back = routes["progress"]["back"]
    assert [one["progress_m"] for one in back] == [800, 1000, 1100, 1300]
    assert [one["remaining_ascent_m"] for one in back] == [40, 0, 0, 0]


def test_route_that_was_left_is_found_again(routes):
    on, off, back = routes["progress"]["beside"]
    assert (on["status"], off["status"], back["status"]) == ("on", "off", "on")
    assert (off["progress_m"], off["return_m"], off["return_bearing_deg"]) == (400, 200, 270)
    assert back["progress_m"] == 600 and "return_m" not in back
    assert routes["progress"]["ahead"][1]["progress_m"] == 900
    # Its start is not its end; who has arrived stays there.
    assert [one["status"] for one in routes["progress"]["end"]] == 7 * ["on"] + 2 * ["done"]


def test_way_has_metres_or_tens_of_feet_nearby(routes):
    assert routes["ways"] == [["4 m", "999 m", "1.0 km", "1.2 km"], ["0 ft", "90 ft", "1000 ft", "0.2 mi", "1.0 mi"]]


def test_turns_have_arrows_and_other_points_a_dot(routes):
    signs = routes["signs"]
    assert set(routes["turns"]) == set(signs) - {"exit", "unknown"}
    assert signs.pop("exit") == "roundabout" and signs.pop("unknown") == "dot"
    assert signs.pop("middle-fork") == "straight"
    sides = {f"{kind}{side}" for kind in ("", "slight-", "sharp-") for side in ("left", "right")}
    assert set(signs) == sides | {"straight", "left-fork", "right-fork", "u-turn"}
    assert all(kind == sign for kind, sign in signs.items())
    for drawing in routes["drawn"]:
        assert drawing["d"] and set(drawing) <= {"d", "transform"}
    lines = [(drawing["d"], "transform" in drawing) for drawing in routes["drawn"]]
    assert len(set(lines)) == len(lines) - 1
