"""What the page of an activity computes from its seconds, in node: stretches, splits, losses, charts and comparisons."""

import json
import math

import pytest

from harness.browser import run_modules

COLUMNS = ["since_start_s", "elapsed_s", "lap", "distance_m", "latitude_deg", "longitude_deg", "altitude_m", "heart_rate_bpm", "cadence_rpm",
           "power_w", "ascent_m", "descent_m", "grade_percent"]


def seconds(count=600, speed=4.0, **changes):
    """A file of a run at an even speed that climbs 1 m in 10 s; `changes` are functions of the second."""
    def row(at):
        cells = {"since_start_s": at, "elapsed_s": at, "lap": 1 + at // 300, "distance_m": round(at * speed, 2), "latitude_deg": 57.0,
                 "longitude_deg": 9.9 + at / 1e4, "altitude_m": 10 + at / 10, "heart_rate_bpm": 120 + at // 10, "ascent_m": at / 10,
                 "descent_m": 0, "grade_percent": 2.5, "power_w": 200}
        cells |= {key: value(at) for key, value in changes.items()}
        return ",".join("" if cells.get(column) is None else str(cells[column]) for column in COLUMNS)
    return "\r\n".join([",".join(COLUMNS), *map(row, range(count + 1))]) + "\r\n"


def computed(csv, **sent):
    return run_modules("activity_modules.mjs", text=json.dumps({"csv": csv} | sent))


def test_figures_of_a_stretch_and_splits_are_those_of_its_seconds():
    found = computed(seconds())
    whole = found["whole"]
    assert (whole["metres"], whole["seconds"], whole["speed"], whole["power"]) == (2400, 600, 4, 200)
    assert whole["mostHeart"] == 180 and abs(whole["heart"] - 149.6) < 0.2
    assert (whole["ascent"], whole["descent"], whole["grade"]) == (60, 0, 2.5)
    assert [(one["number"], one["metres"], one["seconds"], one["ascent"]) for one in found["splits"]] == [
        (1, 1000, 250, 25), (2, 1000, 250, 25), (3, 400, 100, 10)]
    # A lap begins where the one before ended.
    assert [(number, lap["metres"]) for number, lap in found["laps"]] == [(1, 1196), (2, 1200), (3, 4)]
    miles = computed(seconds(), length=1609.344)["splits"]
    assert [round(one["seconds"], 1) for one in miles] == [402.3, 197.7]
    assert set(found["speeds"]) == {4}
    assert found["at"] == [0, 1.25, 600]


def test_file_without_distances_has_those_of_its_positions():
    found = computed(seconds(distance_m=lambda at: None), whole=3000)
    assert (round(found["whole"]["metres"]), found["whole"]["speed"]) == (3000, pytest.approx(5))
    assert [round(one["seconds"]) for one in found["splits"]] == [200, 200, 200]


def test_seconds_without_a_value_are_lost_only_where_the_activity_has_it():
    def lost(at):
        return None if 100 <= at < 160 or at in (300, 301) else 130
    losses = computed(seconds(heart_rate_bpm=lost, power_w=lambda at: None))["losses"]
    assert losses == [["heart", 60, 1], ["position", 0, 0]]
    # A device that writes a row in five seconds has lost nothing.
    rows = seconds().split("\r\n")
    thin = computed("\r\n".join([rows[0], *rows[1::5]]))
    assert thin["losses"] == [["heart", 0, 0], ["power", 0, 0], ["position", 0, 0]]
    assert all(math.isclose(speed, 4) for speed in thin["speeds"])


def test_flat_and_empty_charts_are_left_out():
    found = computed(seconds())
    # The speed and the power are the same in each second, and there is no cadence.
    assert [key for key, *_ in found["charts"]] == ["heart", "altitude"]
    ridden = computed(seconds(power_w=lambda at: at % 300, cadence_rpm=lambda at: 0 if at % 9 == 0 else 80 + at % 20))
    ranges = {key: ends for key, *ends in ridden["charts"]}
    assert ranges["power"][0] == 0 and 290 < ranges["power"][1] <= 300
    # Standing still is no cadence that sets the range.
    assert ranges["cadence"][0] >= 80
    assert computed(seconds(count=0))["charts"] == []


def test_lines_have_a_mean_a_column_and_break_where_much_is_unknown():
    means = computed(seconds(heart_rate_bpm=lambda at: None if 100 <= at < 160 else 130))["means"]
    assert len(means["xs"]) <= 102
    assert means["values"].count(None) == 1
    assert set(means["values"]) == {130, None}
    assert means["xs"] == sorted(means["xs"])


def test_ticks_are_round():
    ticks = computed(seconds())["ticks"]
    assert ticks == [[0, 2000, 4000, 6000, 8000], [0, 600, 1200, 1800, 2400], pytest.approx([3218.688, 6437.376, 9656.064, 12_874.752, 16_093.44]), []]


def test_bests_are_where_the_daemon_says():
    bests = [{"best": "1km", "elapsed_ms": 250_000, "from_elapsed_ms": 100_000, "from_distance_m": 400},
             {"best": "power-5min", "power_w": 200, "from_elapsed_ms": 50_000}, {"best": "power-30s", "power_w": 200, "from_elapsed_ms": 9000},
             {"best": "ascent", "ascent_m": 5}]
    found = computed(seconds(), bests=bests)["bests"]
    assert [best and (best["metres"], best["seconds"]) for best in found] == [(1000, 250), (1200, 300), (120, 30), None]


def test_faster_one_is_ahead_by_the_time_at_the_same_distance():
    found = computed(seconds(speed=5.0), other=seconds(speed=4.0))
    assert found["common"] == 2400
    # After 100 s and 500 m: the other one needs 125 s.
    assert math.isclose(found["ahead"][100], 25)
    assert found["ahead"][600] is None
    assert found["compared"] == [{"key": "distance_m", "kind": "distance", "values": [5, 7]}]


def test_activities_to_compare_are_offered_by_place_sport_and_time():
    activities = [{"id": 1, "sport": "ride", "started": "2026-01-05"}, {"id": 2, "sport": "run", "started": "2026-01-01"},
                  {"id": 3, "sport": "run", "started": "2026-01-03"}, {"id": 4, "sport": "run", "started": "2026-01-02"},
                  {"id": 5, "sport": "run", "open": True}, {"id": 6, "sport": "ride", "started": "2026-01-04"}]
    sent = {"activities": activities, "own": {"id": 2, "sport": "run"}}
    assert computed(seconds(), **sent)["order"] == [3, 4, 1, 6]
    assert computed(seconds(), **sent, near=[4, 6])["order"] == [4, 6, 3, 1]


def test_fields_of_other_programs_have_charts_and_means():
    rows = seconds().split("\r\n")
    values = [(60 + at / 10, 20 + at % 2 / 10, -30 + at / 20, "") for at in range(601)]
    csv = "\r\n".join([f"{rows[0]},smo2,warmth,angle,load,rr_ms",
                       *(f"{row},{','.join(map(str, own))},800 805" for row, own in zip(rows[1:], values))])
    fields = [{"name": "smo2", "title": "SmO2", "unit": "%", "decimals": 1}, {"name": "warmth", "title": "Warmth"},
              {"name": "angle", "title": "Angle", "unit": "°", "decimals": 2}, {"name": "load", "title": "Load"}]
    found = computed(csv, fields=fields)
    # A flat one and one without values have none, and values below zero have their place.
    assert [(key, pytest.approx([low, high], abs=0.4)) for key, low, high in found["charts"] if key.startswith("own:")] == [
        ("own:smo2", [60.6, 119.4]), ("own:angle", [-29.7, -0.3])]
    assert found["whole"]["own:smo2"] == pytest.approx(90, abs=0.1) and found["whole"]["own:load"] is None
    assert [round(one["own:smo2"]) for one in found["splits"]] == [73, 98, 115]


# Uploads: `asked` has what the page asks (uploads, or upload and a service), what it shows, and the lists of the times it waits.

def asked(*events):
    return run_modules("upload_modules.mjs", text=json.dumps([["open"], *events]))


@pytest.mark.parametrize("state", ["waiting", "sending", "processing"])
def test_uploads_are_asked_for_again_while_one_is_on_its_way(state):
    assert asked(["answer", {"a": "done", "b": state}], ["wait"], ["answer", {"a": "done", "b": "done"}], ["wait"]) == [
        "uploads", f"a:done b:{state}", [3000], "uploads", "a:done b:done", []]


@pytest.mark.parametrize("state", ["none", "done", "refused", "unknown"])
def test_uploads_that_change_only_by_the_user_are_asked_for_once(state):
    assert asked(["answer", {"a": state}], ["wait"], ["look", "hidden"], ["look", "visible"]) == ["uploads", f"a:{state}", []]


def test_uploads_are_not_asked_for_while_nobody_sees_the_page():
    assert asked(["answer", {"a": "sending"}], ["look", "hidden"], ["wait"], ["look", "visible"], ["answer", {"a": "done"}]) == [
        "uploads", "a:sending", [], "uploads", "a:done"]
    assert asked(["look", "hidden"], ["look", "visible"], ["answer", {"a": "none"}], ["answer", {"a": "done"}]) == [
        "uploads", "uploads", "", "a:done"]


def test_uploads_are_not_asked_for_once_another_activity_is_shown():
    assert asked(["answer", {"a": "sending"}], ["leave"], ["wait"], ["look", "hidden"], ["look", "visible"]) == ["uploads", "a:sending", [3000]]


def test_without_paced_link_nothing_is_shown_and_asked_for():
    assert asked(["fail"], ["wait"]) == ["uploads", "", []]
    assert asked(["refuse", "no such method"], ["wait"]) == ["uploads", "", []]
    # A link that is lost later hides nothing.
    assert asked(["answer", {"a": "sending"}], ["wait"], ["fail"], ["wait"], ["answer", {"a": "done"}]) == [
        "uploads", "a:sending", [3000], "uploads", "a:sending", [3000], "uploads", "a:done"]


def test_pressed_upload_is_followed_and_its_refusal_is_said():
    assert asked(["answer", {"a": "done", "b": "none"}], ["press", "b"], ["answer", {"b": "waiting"}], ["wait"]) == [
        "uploads", "a:done b:none", "upload b", "a:done b:waiting", [3000], "uploads"]
    assert asked(["answer", {"a": "none"}], ["press", "a"], ["refuse", "it is in the trash"], ["wait"]) == [
        "uploads", "a:none", "upload a", "it is in the trash", []]


def test_answer_from_before_an_upload_undoes_nothing():
    """The second service is pressed while the page asks because of the first one."""
    events = [["answer", {"a": "sending", "b": "none"}], ["wait"], ["press", "b"], ["answer", {"b": "waiting"}, 1],
              ["answer", {"a": "done", "b": "none"}], ["wait"], ["answer", {"a": "done", "b": "sending"}]]
    assert asked(*events) == ["uploads", "a:sending b:none", [3000], "uploads", "upload b", "a:sending b:waiting",
                              "a:sending b:waiting", [3000], "uploads", "a:done b:sending"]
