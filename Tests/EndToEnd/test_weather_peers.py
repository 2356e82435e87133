"""Forecasts of `pacectl taf` beside those of two other decoders. A figure on which these agree must be ours."""

import collections
import datetime
import fractions
import gzip
import json
import re
import subprocess

import avwx
import pytest
from metar_taf_parser.parser.parser import TAFParser

from harness.process import PACECTL, ROOT

MPS = {"kt": 1852 / 3600, "mps": 1, "m/s": 1, "km/h": 1 / 3.6, "kmh": 1 / 3.6}
DATA = ROOT / "Tests/Data/metar"
NAMES = ["kind", "probability", "start", "end", "direction", "speed", "gust", "visibility"]
# Words of a change in which nothing can be read. Ours leaves the change out, the others keep it without conditions.
UNREADABLE = {"0500S4KT"}
# What ours may differ by: a figure is written with two decimals, or as whole metres.
TOLERANCE = {"speed": 0.006, "gust": 0.006, "visibility": 0.6}


def metres(text, is_miles):
    """Of `9999`, `P6`, `1 1/2`, `3000m` or `> 10km`; None if it is none of them."""
    if text in ("9999", "> 10km", "CAVOK"):
        return 10_000
    match = re.fullmatch(r"[PM]?((?:\d+ )?\d+(?:/\d+)?)(?:m|SM)?", text)
    if not match:
        return None
    number = float(sum(fractions.Fraction(part) for part in match[1].split()))
    return number * 1609.344 if is_miles else number


def moment(time):
    return (time.day, time.hour, time.minute) if time else None


def hour(day, hour, minute=0):
    """Hour 24 of a day is hour 0 of the next; the end of a month is left out by the caller."""
    return (day + 1, 0, minute) if hour == 24 else (day, hour, minute)


def group_of_avwx(line, units, is_first):
    kind = {"FROM": "from", "BECMG": "becoming", "TEMPO": "temporary", "INTER": "temporary", "PROB": "possible"}.get(line.type)
    if is_first:
        kind = "initial"
    elif line.probability and kind == "from":
        kind = "possible"
    start, end = line.start_time, line.end_time
    if kind == "becoming":
        start, end = line.transition_start, line.start_time
    lasts = kind in ("becoming", "temporary", "possible")
    scale = MPS[units.wind_speed]
    wind = line.wind_direction.repr if line.wind_direction else None
    speed = line.wind_speed.value if line.wind_speed else None
    return {
        "kind": kind, "probability": line.probability.value if line.probability else None,
        "start": moment(start.dt) if start else None, "end": moment(end.dt) if end and lasts else None,
        "direction": None if speed == 0 else "VRB" if wind == "VRB" else line.wind_direction and line.wind_direction.value,
        "speed": None if speed is None else speed * scale,
        "gust": line.wind_gust.value * scale if line.wind_gust and line.wind_gust.value is not None else None,
        "visibility": line.visibility and metres(
            line.visibility.repr if line.visibility.value is None else
            getattr(line.visibility, "normalized", None) or line.visibility.repr, units.visibility == "sm")}


def group_of_mivek(trend, kind):
    validity, wind, visibility = trend.validity, trend.wind, trend.visibility
    lasts = kind in ("becoming", "temporary", "possible")
    scale = MPS[wind.unit.lower()] if wind else None
    distance = visibility.distance if visibility else None
    return {
        "kind": kind, "probability": getattr(trend, "probability", None),
        "start": hour(validity.start_day, validity.start_hour, getattr(validity, "start_minutes", 0) or 0),
        "end": hour(validity.end_day, validity.end_hour) if lasts else None,
        "direction": None if not wind or not wind.speed else "VRB" if wind.degrees is None else wind.degrees,
        "speed": wind.speed * scale if wind else None,
        "gust": wind.gust * scale if wind and wind.gust is not None else None,
        "visibility": metres(distance, "SM" in str(visibility._unit)) if distance else 10_000 if trend.cavok else None}


def group_of_ours(group):
    lasts = group["kind"] in ("becoming", "temporary", "possible")
    time = {name: moment(datetime.datetime.fromisoformat(group[name].replace("Z", "+00:00"))) for name in ("from", "to")}
    return {
        "kind": group["kind"], "probability": group.get("probability_percent"), "start": time["from"],
        "end": time["to"] if lasts else None,
        "direction": "VRB" if group.get("wind_variable") else group.get("wind_from_deg"), "speed": group.get("wind_speed_mps"),
        "gust": group.get("wind_gust_mps"), "visibility": group.get("visibility_m")}


def by_avwx(text, day):
    decoded = avwx.Taf.from_report(text, issued=day)
    return [group_of_avwx(line, decoded.units, not index) for index, line in enumerate(decoded.data.forecast)]


def by_mivek(text):
    decoded = TAFParser().parse(text)
    kinds = {"FM": "from", "BECMG": "becoming", "TEMPO": "temporary", "INTER": "temporary", "PROB": "possible"}
    return [group_of_mivek(decoded, "initial")] + [
        group_of_mivek(trend, kinds[trend.type.name]) for trend in decoded.trends]


def forecasts():
    """The forecasts of the vectors, each with the day on which it was received."""
    with gzip.open(DATA / "metaf.csv.gz", "rt") as file:
        for line in file:
            kind, day, text = line.rstrip("\n").split(",", 2)
            if kind == "TAF":
                yield datetime.date.fromisoformat(day), text.rstrip("=").strip()
    for entry in json.loads((DATA / "taf_raw.json").read_text()):
        text = " ".join(entry["raw"].split())
        day = re.search(r"\b(\d\d)\d{4}Z? ", text)
        # Of no known month: one with 31 days.
        yield datetime.date(2026, 3, int(day[1])) if day else None, text


def ours(day, text):
    result = subprocess.run(
        [PACECTL, "taf", "--now", f"{day}T12:00:00Z"], input=text.encode(), capture_output=True, timeout=60)
    return json.loads(result.stdout)


def is_same(name, one, other):
    if one is None or other is None or name not in TOLERANCE:
        return one == other
    return abs(one - other) <= TOLERANCE[name]


@pytest.mark.thorough
def test_figures_on_which_two_decoders_agree_are_ours():
    compared, left_out, wrong = collections.Counter(), collections.Counter(), []
    for day, text in forecasts():
        if day is None:
            left_out["no day of issue"] += 1
            continue
        decoded = ours(day, text)
        if "error" in decoded or not decoded["groups"]:
            left_out["no forecast, or one without conditions"] += 1
            continue
        groups = [group_of_ours(group) for group in decoded["groups"]]
        try:
            first = by_avwx(text if text.startswith("TAF") else "TAF " + text, day)
        except Exception as error:  # Whatever the other decoder raises is its own matter.
            left_out[f"avwx-engine raises {type(error).__name__}"] += 1
            continue
        try:
            second = by_mivek(text if text.startswith("TAF") else "TAF " + text)
        except Exception as error:
            left_out[f"metar-taf-parser raises {type(error).__name__}"] += 1
            continue
        if len(first) != len(second):
            left_out["the other decoders find different numbers of groups"] += 1
            continue
        if UNREADABLE & set(decoded.get("unread", [])):
            left_out["a change in which nothing can be read"] += 1
            continue
        if len(groups) != len(first):
            wrong.append(("groups", len(groups), len(first), text))
            continue
        for mine, one, other in zip(groups, first, second):
            for name in NAMES:
                if not is_same(name, one[name], other[name]):
                    left_out[f"the other decoders differ in: {name}"] += 1
                elif not is_same(name, mine[name], one[name]):
                    wrong.append((name, mine[name], one[name], mine["kind"], text))
                elif one[name] is not None:
                    compared[name] += 1
    print("compared:", dict(compared), sum(compared.values()))
    for reason, count in sorted(left_out.items()):
        print(f"not compared: {reason}: {count}")
    assert not wrong, "\n".join(map(str, wrong))
    assert sum(compared.values()) >= 7000
