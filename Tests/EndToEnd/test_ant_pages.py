"""Pages of ANT+ sensors that become measurements in Examples/sensors.

Tests/Data/ant/ride.txt is a recording of others, 48 s of a ride; its LICENSE says whose.
"""

import sys

import pytest

from harness.process import ROOT

sys.path.insert(0, str(ROOT / "Examples/sensors"))

import ant_pages  # noqa: E402


def measured(profile, pages):
    """What successive pages measure; None for those that measure nothing."""
    measurement, before, found = ant_pages.PROFILES[profile][3], None, []
    for page in pages:
        found.append(measurement(page, before) or None)
        before = page if found[-1] else before
    return found


def recorded(profile):
    rows = map(str.split, (ROOT / "Tests/Data/ant/ride.txt").read_text().splitlines())
    return [bytes.fromhex(page) for _, name, page in rows if name == profile]


def test_heart_rate_and_intervals_of_a_recorded_strap():
    beats = measured("heart-rate", recorded("heart-rate"))
    assert [beat["bpm"] for beat in beats] == [60, 60, 60, 60, 59, 59, 59, 59]
    # Two beats are missing before the fifth page, which has the time of the beat before its own.
    assert [beat.get("rr_ms") for beat in beats] == [None, [1000], [1000], [1000], *[[1016.6]] * 4]
    # A page 0 has no time of the beat before. The times are those of the pages.
    old = measured("heart-rate", [bytes(4) + page[4:] for page in recorded("heart-rate")])
    assert [beat.get("rr_ms") for beat in old] == [None, [1000], [1000], [1000], None, *[[1016.6]] * 3]
    again = measured("heart-rate", [recorded("heart-rate")[0]] * 3)
    assert again == [{"bpm": 60}] * 3
    assert measured("heart-rate", [bytes.fromhex("04ffa5e2a5e6ca00")]) == [None]


def test_power_balance_and_cadence_of_a_recorded_meter():
    pages = recorded("power")
    events = list(filter(None, measured("power", pages)))
    # Each event is in two or three pages, and is measured once.
    assert len(pages) == 178 and len(events) == len({page[1] for page in pages})
    assert events[0] == {"power_w": 239, "left_percent": 59, "cadence_rpm": 70}
    average = sum(event["power_w"] for event in events) / len(events)
    for step in (20, 45):
        # Where pages are lost, the power of their events is in the sum.
        fewer = measured("power", pages[::step])
        counts = [(after[1] - before[1]) % 256 for before, after in zip(pages[::step], pages[step::step])]
        total = sum(event["power_w"] * count for event, count in zip(fewer[1:], counts))
        assert total / sum(counts) == pytest.approx(average, rel=0.03)


@pytest.mark.parametrize("page, values", [
    ("1006ff460205ef00", {"power_w": 239, "cadence_rpm": 70}), ("100629ff0205ef00", {"power_w": 239}),
    ("1006ffff02050000", {"power_w": 0}), ("1206a9460205ef00", None), ("50ffff010f008583", None)])
def test_page_of_power_has_only_what_is_known(page, values):
    assert measured("power", [bytes.fromhex(page)]) == [values]


def test_counters_of_a_recorded_sensor_of_speed_and_cadence():
    first, *_, last = measured("speed-cadence", recorded("speed-cadence"))
    assert first == {
        "crank_event_s": pytest.approx(4.62, abs=0.01), "crank_revolutions": 5,
        "wheel_event_s": pytest.approx(4.617, abs=0.01), "wheel_revolutions": 25}
    # 263 turns of the wheel and 67 of the crank in 48 s: 41 km/h and 84 rpm.
    assert (last["wheel_revolutions"], last["crank_revolutions"]) == (295, 74)
    single = bytes.fromhex("0000000078121900")
    assert measured("speed", [single]) == [{"wheel_event_s": first["wheel_event_s"], "wheel_revolutions": 25}]
    assert measured("cadence", [single]) == [{"crank_event_s": first["wheel_event_s"], "crank_revolutions": 25}]


@pytest.mark.parametrize("profile, page, values", [
    # A hemoglobin of 1234 (12 bits), a saturation before of 600 and one of 613 (10 bits each).
    ("muscle-oxygen", "01070001d2846599", {"thb": 12.34, "smo2": 61.3}), ("muscle-oxygen", "010700d2ffffffff", None),
    ("muscle-oxygen", "01070001feaf89ff", None), ("muscle-oxygen", "50070001d2846599", None),
    ("core-temperature", "0115ff9b2a00890e", {"core_temperature": 37.21, "skin_temperature": 33.35}),
    ("core-temperature", "0115ff008000890e", {"core_temperature": 37.21}), ("core-temperature", "0115ff0080000080", None),
    ("core-temperature", "0115ff9b20000000", {"skin_temperature": 33.35}), ("core-temperature", "0015ff9b2000890e", None)])
def test_page_of_a_muscle_and_of_a_body_has_what_was_measured(profile, page, values):
    assert measured(profile, [bytes.fromhex(page)]) == [values]


def test_description_is_that_of_the_pages():
    product = bytes.fromhex("51ff050ad2040000")
    assert ant_pages.description("power", product) == {"serial_number": "1234", "firmware": "1.005"}
    assert ant_pages.description("speed-cadence", product) == {}
    assert ant_pages.description("heart-rate", bytes.fromhex("874700000000003c")) == {"battery_percent": 71}
    assert ant_pages.description("heart-rate", bytes.fromhex("87ff00000000003c")) == {}
