"""Prints a made ride: a line `POWER SPEED` for each second, the two notifications in hexadecimal, then a line of its figures.

    made_ride.py SEED SECONDS

The figures: average, normalised and highest watts, joules, metres.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.made_ride import MadeRide  # noqa: E402

ride = MadeRide(seed=int(sys.argv[1]), seconds=int(sys.argv[2]))
for power, speed in zip(ride.power_notifications(), ride.speed_notifications()):
    print(power.hex(), speed.hex())
print(ride.average_watts, ride.normalised_watts, ride.max_watts, ride.work_joules, ride.distance_m)
