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


# Weeks, days and trends

def activity(started, sport="run", metres=1000, minutes=10, ascent=0):
    return {"started": f"{started}:00.000Z", "sport": sport, "distance_m": metres, "elapsed_ms": minutes * 60_000, "ascent_m": ascent}


def test_weeks_begin_on_monday_and_are_stacked_by_sport():
    summaries = [activity("2026-01-04T23:59"), activity("2026-01-05T00:01", metres=500), activity("2026-01-06T09:00", "ride", 3000),
                 activity("2025-01-01T09:00"), {"sport": "run", "distance_m": 9, "elapsed_ms": 9}]
    for measure, total, sports in (("distance", 3500, {"run": 500, "ride": 3000}), ("time", 1_200_000, {"run": 600_000, "ride": 600_000}),
                                   ("ascent", 0, {"run": 0, "ride": 0}), ("count", 2, {"run": 1, "ride": 1})):
        [weeks] = called("periods", ["weeksOf", summaries, "2026-01-07", 2, measure])
        assert [(one["since"], one["until"], one["activities"]) for one in weeks] == [
            ("2025-12-29", "2026-01-04", 1), ("2026-01-05", "2026-01-11", 2)]
        assert (weeks[1]["total"], weeks[1]["sports"]) == (total, sports)


def test_a_month_has_its_weeks_from_monday():
    march, february = called("periods", ["monthGrid", "2026-03"], ["monthGrid", "2027-02"])
    assert [len(week) for week in march] == [7] * 6
    assert march[0] == [None] * 6 + ["2026-03-01"] and march[-1] == ["2026-03-30", "2026-03-31"] + [None] * 5
    assert len(february) == 4 and february[0][0] == "2027-02-01" and february[-1][-1] == "2027-02-28"


def test_months_are_counted_over_years():
    assert called("periods", ["plusMonths", "2026-11", 2], ["plusMonths", "2026-01", -1], ["plusMonths", "2026-03", -27]) == [
        "2027-01", "2025-12", "2023-12"]


def test_a_day_has_the_sport_that_took_longest():
    [days] = called("periods", ["daysOf", [activity("2026-03-01T07:00"), activity("2026-03-01T17:00", "ride", minutes=50)]])
    assert days == {"2026-03-01": {"activities": 2, "elapsed_ms": 3_600_000, "distance_m": 2000, "longest": 3_000_000, "sport": "ride"}}


def test_a_trend_compares_up_to_the_same_day():
    """Each Monday 1 km and each Friday 9 km: on a Tuesday only the Mondays count."""
    summaries = [activity(f"2026-{month:02}-{day:02}T09:00", metres=metres) for month, day, metres in [
        (1, 5, 1000), (1, 9, 9000), (1, 12, 1000), (1, 16, 9000), (1, 19, 1000), (1, 23, 9000), (1, 26, 1000), (1, 30, 9000), (2, 2, 1000),
        (2, 6, 9000), (2, 9, 1000), (2, 13, 9000), (2, 16, 1000), (2, 20, 9000), (2, 23, 1000), (2, 27, 9000), (3, 2, 1500)]]
    [trend] = called("periods", ["trendOf", summaries, "2026-03-03", "week", "distance"])
    assert (trend["since"], len(trend["now"]), trend["factor"]) == ("2026-03-02", 1, 1.5)
    begun_later, none = called(
        "periods", ["trendOf", summaries[3:], "2026-03-03", "week", "distance"], ["trendOf", [], "2026-03-03", "week", "distance"])
    assert begun_later["factor"] is None and none["factor"] is None


def test_a_trend_of_a_month_knows_shorter_ones_and_that_of_a_year_the_last_one():
    months = [activity(f"{month}-{day}T09:00") for month in ("2025-09", "2025-10", "2025-11", "2025-12", "2026-01", "2026-02")
              for day in ("01", "28")]
    march = [activity("2026-03-01T09:00"), activity("2026-03-31T09:00", metres=3000)]
    month, year = called("periods", ["trendOf", months + march, "2026-03-31", "month", "distance"], [
        "trendOf", [activity("2025-01-03T09:00"), activity("2025-12-03T09:00"), activity("2026-01-03T09:00", metres=1100)],
        "2026-03-31", "year", "distance"])
    assert month["factor"] == 2
    assert year["factor"] == 1.1


def test_an_axis_ends_at_a_round_number():
    values = (0, 0.3, 1, 7, 12.1, 41.8, 100, 5400)
    assert called("periods", *(["axisTop", value] for value in values)) == [1, 0.3, 1, 8, 16, 50, 100, 6000]


# Bests

def test_bests_of_the_year_stand_beside_those_of_all_time():
    def best(name, activity, sport="run"):
        return {"sport": sport, "best": name, "elapsed_ms": 1, "activity": activity}

    [found] = called("best-rows", ["besideYear", [best("1km", 1), best("5km", 2), best("1km", 3, "walk")], [best("1km", 4), best("5km", 2)]])
    assert [(one["sport"], [row["best"] for row in one["rows"]]) for one in found] == [("run", ["1km", "5km"]), ("walk", ["1km"])]
    assert [row["year"]["activity"] for row in found[0]["rows"]] == [4, 2] and "year" not in found[1]["rows"][0]
    assert called("best-rows", *(["isSame", row] for one in found for row in one["rows"])) == [False, True, False]


def test_a_power_curve_is_in_the_order_of_its_times_on_a_logarithmic_axis():
    bests = [{"best": "power-20min", "power_w": 250}, {"best": "power-5s", "power_w": 800}, {"best": "ascent", "ascent_m": 3}, None]
    curve, shortest, longest, middle = called(
        "best-rows", ["curveOf", bests], ["shareOf", 5], ["shareOf", 3600], ["shareOf", math.sqrt(5 * 3600)])
    assert curve == [{"seconds": 5, "watts": 800}, {"seconds": 1200, "watts": 250}]
    assert (shortest, longest, round(middle, 9)) == (0, 1, 0.5)


# Reading

def test_activities_are_read_once_and_older_ones_when_they_are_asked_for():
    """Readings that are asked for at once come one after the other, pages of the largest size go on, and a demo counts not."""
    found = run_modules("diary_module.mjs")
    assert found["queries"] == [
        {"limit": 1000, "since": "2026-01-01"}, {"limit": 1000, "since": "2026-01-01", "before": 1000},
        {"limit": 1000, "since": "2025-01-01", "until": "2025-12-31"}, {"limit": 1000, "since": "2026-01-01"}]
    assert found["counts"] == [1001, 1001, 1002, 1]
