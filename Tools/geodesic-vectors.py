#!/usr/bin/env python3
"""Writes golden geodesic distances on the WGS-84 ellipsoid, as comma-separated values on standard output.

    Tools/geodesic-vectors.py > Tests/PipelineTests/Geodesic/vectors.csv

The distances are those of GeographicLib's GeodSolve (Debian package geographiclib-tools; Karney 2013, exact to 15 nm).
The pairs are seeded: the same GeographicLib writes the same bytes. Each second point comes from the direct problem, is
rounded to 1e-10 degrees (11 micrometres) as it is written, and the distance is then that between the points as written.

Columns: kind, latitude and longitude of the first and of the second point in degrees, distance in metres (1e-10).
"""

import math
import random
import subprocess

SEED = 20260301


def geodsolve(arguments, rows):
    """One GeodSolve run over all rows; returns its output as rows of floats."""
    text = "".join(" ".join(f"{value:.10f}" for value in row) + "\n" for row in rows)
    command = ["GeodSolve", "-p", "10", *arguments]
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    answers = [[float(field) for field in line.split()] for line in output.splitlines()]
    assert len(answers) == len(rows)
    return answers


def step(draw, shortest=0.05, longest=1000.0):
    """A distance in metres, uniform on a logarithmic scale."""
    return math.exp(draw.uniform(math.log(shortest), math.log(longest)))


def anywhere(draw):
    """A point on the sphere, uniform by area."""
    return math.degrees(math.asin(draw.uniform(-1, 1))), draw.uniform(-180, 180)


def east_or_west(draw):
    return draw.choice([90, -90]) + draw.uniform(-60, 60)


def starts(draw):
    """Yields kind, latitude, longitude, azimuth in degrees, and distance in metres of each pair."""
    for _ in range(900):
        yield "anywhere", *anywhere(draw), draw.uniform(-180, 180), step(draw)
    for _ in range(200):
        latitude = draw.choice([1, -1]) * draw.uniform(85, 90)
        yield "polar", latitude, draw.uniform(-180, 180), draw.uniform(-180, 180), step(draw)
    for _ in range(200):  # From at most 500 m on this side of a pole to the other side of it, or close by it.
        pole = draw.choice([1, -1])
        length = step(draw, 0.1)
        latitude = pole * (90 - draw.uniform(0, 0.9) * length / 111_694)
        azimuth = (0 if pole > 0 else 180) + draw.choice([0, draw.uniform(-30, 30)])
        yield "across-pole", latitude, draw.uniform(-180, 180), azimuth, length
    for _ in range(40):
        yield "from-pole", draw.choice([90, -90]), draw.uniform(-180, 180), draw.uniform(-180, 180), step(draw)
    for index in range(200):
        latitude = draw.uniform(-89, 89)
        length = step(draw)
        metres_per_degree = 111_320 * math.cos(math.radians(latitude))
        side = draw.choice([1, -1])
        longitude = side * (180 - (0 if index % 10 == 0 else draw.uniform(0, 0.4) * length / metres_per_degree))
        yield "antimeridian", latitude, longitude, side * 90 + draw.uniform(-60, 60), length
    for _ in range(100):
        yield "along-equator", 0.0, draw.uniform(-180, 180), draw.choice([90, -90]), step(draw)
    for _ in range(100):
        length = step(draw)
        side = draw.choice([1, -1])
        latitude = side * draw.uniform(0, 0.9) * length / 110_574
        azimuth = (180 if side > 0 else 0) + draw.uniform(-60, 60)
        yield "across-equator", latitude, draw.uniform(-180, 180), azimuth, length
    for _ in range(120):
        latitude, longitude = anywhere(draw)
        yield "meridional", latitude, longitude, draw.choice([0, 180]), step(draw)
    for _ in range(100):
        yield "along-parallel", draw.uniform(-89, 89), draw.uniform(-180, 180), None, step(draw)
    for latitude in [0, 90, -90, 45.5, -33.25]:
        for longitude in [0, 180, -180, 13.4, -122.75]:
            yield "identical", latitude, longitude, 0, 0.0
    for _ in range(15):
        yield "identical", *anywhere(draw), 0, 0.0
    for index in range(100):
        length = step(draw, 1000, 100_000)
        latitude, longitude = [anywhere(draw), (draw.uniform(89, 90), 0), (draw.uniform(-90, -89), 77),
                               (draw.uniform(-80, 80), 179.9), (0, draw.uniform(-180, 180))][index % 5]
        yield "far", latitude, longitude, draw.uniform(-180, 180), length


def main():
    draw = random.Random(SEED)
    wanted = list(starts(draw))
    firsts = [row[1:3] for row in wanted]
    ends = [tuple(row[:2]) for row in geodsolve([], [(*first, azimuth or 0, length)
                                              for first, (*_, azimuth, length) in zip(firsts, wanted)])]
    for index, ((latitude, longitude), (kind, _, _, _, length)) in enumerate(zip(firsts, wanted)):
        if kind == "along-parallel":  # No geodesic: its second point is made by longitude alone.
            turn = longitude + length / (111_320 * math.cos(math.radians(latitude)))
            ends[index] = latitude, turn - 360 if turn > 180 else turn
        elif kind == "identical":
            ends[index] = latitude, longitude
    pairs = [first + end for first, end in zip(firsts, ends)]
    # The same place in two notations.
    for pair in [(90, 13.4, 90, -100), (-90, 0, -90, 180), (10, 180, 10, -180), (0, -180, 0, 180)]:
        wanted.append(("identical",))
        pairs.append(pair)
    print("kind,latitude1,longitude1,latitude2,longitude2,metres")
    for (kind, *_), pair, (_, _, metres) in zip(wanted, pairs, geodsolve(["-i"], pairs)):
        print(kind, *(f"{value:.10f}" for value in pair), f"{metres:.10f}", sep=",")


main()
