#!/usr/bin/env python3
"""Writes the demo's route, Sources/Simulation/SimulatedRoute+Path.swift, on standard output.

    Tools/make-demo-route.py run-fenix2-9km.records.csv

The argument is python-fitparse's tests/files/activity-small-fenix2-run.fit (MIT, LICENSES/python-fitparse-MIT.txt) decoded to
comma-separated values: a row for each of its 2809 records, with the columns lat and lon (degrees) and ele_m (metres).

The route starts where the recorded run ended, goes back over the hill to the lake, once round it, and over the hill
again to the start. A recorded point is kept about every 15 m, unchanged to the microdegree; elevations are smoothed
over 30 m in both directions, because a step of the barometer would be a cliff at this spacing.
"""

import csv
import math
import sys

LAP, HILL, END = 1141, 2100, 2808  # Records: at the lake, there again after a lap (0.5 m away), at the run's end.
SPACING, SMOOTHING = 15.0, 30.0


def main():
    with open(sys.argv[1], newline="") as file:
        records = [(float(row["lat"]), float(row["lon"]), float(row["ele_m"])) for row in csv.DictReader(file)]
    north = 111_412.0
    east = north * math.cos(math.radians(records[0][0]))

    def metres(a, b):
        return math.hypot((a[0] - b[0]) * north, (a[1] - b[1]) * east)

    along = [0.0]
    for before, after in zip(records, records[1:]):
        along.append(along[-1] + metres(before, after))

    def elevation(index):
        weights = [(max(0, 1 - abs(along[other] - along[index]) / SMOOTHING), records[other][2])
                   for other in range(LAP, END + 1)]
        return sum(w * e for w, e in weights) / sum(w for w, _ in weights)

    def kept(first, last):
        """The recorded points from first to last, thinned out, without the last."""
        points = [first]
        for index in range(first + 1, last):
            if min(metres(records[index], records[points[-1]]), metres(records[index], records[last])) >= SPACING:
                points.append(index)
        return points

    hill = kept(HILL, END)
    there = [END, *reversed(hill)]
    path = [(round(records[i][0] * 1e6), round(records[i][1] * 1e6), round(elevation(i) * 10))
            for i in [*there, *kept(LAP, HILL)[1:], *hill]]
    steps = [[b - a for a, b in zip(before, after)] for before, after in zip(path, [*path[1:], path[0]])]
    numbers = [number for step in steps for number in step]

    latitude, longitude, height = path[0]
    print(f"""\
// Written by Tools/make-demo-route.py; change that instead.
//
// The path is part of a run recorded round Stokkavatnet in Stavanger, Norway, published as
// tests/files/activity-small-fenix2-run.fit of python-fitparse (https://github.com/dtcooper/python-fitparse, commit
// d88bb6997138c38d0c578aeaaf4108df0711d1f6).
// Copyright (c) 2011-2025 David Cooper and (c) 2017-2025 Carey Metcalfe, MIT License: LICENSES/python-fitparse-MIT.txt.

extension SimulatedRoute {{
    /// Where the path begins: microdegrees north, microdegrees east, decimetres above the sea.
    static let origin = (north: {latitude:_}, east: {longitude:_}, up: {height})

    /// The path, three numbers a step, in the units of ``origin``; the last step leads back to it.
    static let steps: [Int16] = [""")
    line = "       "
    for number in numbers:
        if len(line) + len(f" {number},") > 116:
            print(line)
            line = "       "
        line += f" {number},"
    print(line)
    print("    ]\n}")


main()
