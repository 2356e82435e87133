"""The modules of the page of buses, in node: the title of the map, lines without a bus, buses that come near, sections."""

import pytest

from harness.browser import run_modules


@pytest.fixture(scope="module")
def buses():
    return run_modules("bus_modules.mjs")


def test_map_has_the_title_of_its_line_or_group(buses):
    assert buses["titles"] == ["V – Vairo Blvd", "Loop", "4", "Town", "All", "V, Loop", ""]


def test_lines_without_a_bus_are_those_that_are_followed_and_others(buses):
    assert buses["without"] == [["234", ""], ["2", "34"], ["", "234"]]


def test_bus_comes_near_once_until_it_was_800_metres_away(buses):
    assert buses["approaches"] == [[], [["b", 300], ["a", 549]], [], [], [], [], [["b", 540]]]


def test_lines_stand_in_sections_if_there_are_several(buses):
    # Without the texts of a language their keys are there.
    assert buses["sections"] == [[["Community", "12"], ["Campus", "3"], ["buses.no_section", "4"]], [[None, "12"]], []]


def test_closest_stop_is_the_nearest_one(buses):
    assert buses["closest"] == ["b", None]
