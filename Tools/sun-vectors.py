#!/usr/bin/env python3
"""Writes golden times of the sun, as comma-separated values on standard output.

    Tools/sun-vectors.py > Tests/PipelineTests/Sun/vectors.csv

The altitudes of the sun are those of PyEphem (PyPI: ephem 4.2.1). The conventions are those of the almanacs: at sunrise
and sunset the upper limb is on a horizon of -0:34, with air pressure 0, because the horizon has the refraction; civil
twilight begins and ends with the centre at -6 degrees. A solar day is from 12 h before a transit to 12 h after it: the
morning is searched before the transit and the evening after it, as PyEphem does. The cases are seeded.

Columns: time in seconds since 1970 UTC; latitude and longitude in degrees; dawn, sunrise, sunset and dusk of the solar
day of the time, in seconds after it. In their place, + means that the sun stays above that altitude all day, and - that
it stays below.
"""

import math
import random

import ephem

SEED = 20260817
# PyEphem counts days since 1899-12-31T12:00Z.
EPOCH = ephem.Date("1970/1/1 00:00:00")


def excess(observer, body, date, civil):
    """The altitude over the horizon, in radians."""
    observer.date = date
    body.compute(observer)
    return body.alt + math.radians(6) if civil else body.alt + body.radius + math.radians(34 / 60)


def crossing(observer, body, night, noon, civil):
    """The moment between a lower transit and a transit at which the sun is on the horizon, in days; or + or -."""
    low, high = excess(observer, body, night, civil), excess(observer, body, noon, civil)
    if (low > 0) == (high > 0):
        return "+" if low > 0 else "-"
    for _ in range(45):
        middle = (night + noon) / 2
        if (excess(observer, body, middle, civil) > 0) == (high > 0):
            noon = middle
        else:
            night = middle
    return (night + noon) / 2


def agrees(observer, noon, value, rising):
    """Whether PyEphem's own search finds the same; it has its own rules where the sun does not rise or set."""
    observer.date = noon
    observer.horizon = "-0:34"
    search = observer.previous_rising if rising else observer.next_setting
    try:
        return abs(search(ephem.Sun()) - value) < 1 / 86400
    except ephem.CircumpolarError:
        return False


def main():
    draw = random.Random(SEED)
    first, last = (int((ephem.Date(f"{year}/1/1") - EPOCH) * 86400) for year in (1990, 2051))
    body = ephem.Sun()
    found = differing = 0
    print("time,latitude,longitude,dawn,rise,set,dusk")
    for index in range(6000):
        bounds = (0, 65) if index < 3000 else (65, 80)
        latitude = round(draw.choice([1, -1]) * draw.uniform(*bounds), 4)
        longitude = round(draw.uniform(-180, 180), 4)
        time = draw.randrange(first, last)
        observer = ephem.Observer()
        observer.lat, observer.lon = math.radians(latitude), math.radians(longitude)
        observer.pressure = observer.elevation = 0
        date = EPOCH + time / 86400
        noon = float(observer.next_transit(ephem.Sun(), start=date - 0.5))
        if 0.5 - abs(date - noon) < 60 / 86400:  # Solar days differ by up to 30 s, so their ends are ambiguous.
            time += 120
            date = EPOCH + time / 86400
            noon = float(observer.next_transit(ephem.Sun(), start=date - 0.5))
        cells = []
        for night, civil in [(noon - 0.5, True), (noon - 0.5, False), (noon + 0.5, False), (noon + 0.5, True)]:
            value = crossing(observer, body, night, noon, civil)
            if not isinstance(value, str) and not civil:
                found += 1
                differing += not agrees(observer, noon, value, night < noon)
            cells.append(value if isinstance(value, str) else f"{(value - date) * 86400:.1f}")
        print(time, latitude, longitude, *cells, sep=",")
    assert differing <= found / 200, f"{differing} of {found}"


main()
