"""The map of the page while somebody moves, in node: what is drawn anew, what is up, and the zoom by speed."""

import pytest

from harness.browser import run_modules


@pytest.fixture(scope="module")
def motion():
    return run_modules("map_motion.mjs")


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


def test_course_has_places_and_stretches(motion):
    course = motion["course"]
    degree = 1000 / 111_195
    assert course["marks"] == [
        {"kind": "right", "name": "Mill Lane", "latitude": pytest.approx(degree), "longitude": 0}]
    start, middle, corner, end, beyond = course["at"]
    assert (start, beyond) == ([0, 0], None)
    assert middle == pytest.approx([degree / 2, 0], abs=1e-6)
    assert corner == pytest.approx([degree, 0], abs=1e-6) and end == pytest.approx([degree, degree], abs=1e-6)
    assert len(course["part"]) == 3
    for place, expected in zip(course["part"], ([0.9, 0], [1, 0], [1, 0.1])):
        assert place == pytest.approx([degree * one for one in expected], abs=1e-6)


def test_direction_is_that_of_the_course_ahead(motion):
    before, corner, east, *others = motion["course"]["bearings"]
    assert before == pytest.approx(0) and corner == pytest.approx(45, abs=0.1) and east == pytest.approx(90)
    # At the end, 31 m beside it, against it, without a course, and without a line.
    assert others == [None] * 5


def test_direction_that_is_up_is_held_at_a_stop(motion):
    assert motion["directions"] == [80, 90, 90, None]


def steps(scales):
    """The steps as (second, scale)."""
    return [(second, scale) for second, scale in enumerate(scales) if second and scale != scales[second - 1]]


def test_speed_shows_60_to_90_seconds_ahead_in_half_steps_10_seconds_apart(motion):
    for name, speed in (("slower", 10 / 3.6), ("faster", 60 / 3.6)):
        scales = motion["zooms"][name]
        assert 60 <= scales[-1] * 336 / speed <= 90
        found = steps(scales)
        assert len(found) >= 3 and {second % 10 for second, _ in found} == {0}
        for (_, before), (_, after) in zip(found, found[1:]):
            assert max(before, after) / min(before, after) == pytest.approx(2 ** 0.5)


def test_small_changes_of_speed_change_no_zoom(motion):
    zooms = motion["zooms"]
    assert steps(zooms["wavering"]) == [] and [second for second, _ in steps(zooms["changed"])] == [40]
    assert not any(steps(zooms[name]) for name in ("standing", "unknown", "closest", "farthest"))


def test_map_is_near_before_a_turn(motion):
    scales = motion["zooms"]["turn"]
    assert scales[29] > 2 and scales[69] == 2 and scales[-1] > 2
