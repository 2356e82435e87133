#!/usr/bin/env python3
"""Hands the steps per minute to paced, by an accelerometer that is worn on the body.

Needs a driver of the kernel that gives /sys/bus/iio/devices/iio:deviceN/in_accel_x_raw. For an MPU-6050 at a Raspberry
Pi that is `dtoverlay=mpu6050` in config.txt.

Usage: imu.py [--root /sys/bus/iio/devices]
"""
import argparse
import collections
import itertools
import math
import pathlib
import sys
import time

from sensor_door import Door, end_at_signals

RATE_HZ = 50
WINDOW_S = 5
STEP_S = 0.25, 1.2  # 240 and 50 steps a minute.
STILL = 0.5  # m/s²: nobody walks with less motion.
ALIKE = 0.4  # Of 1: less is no rhythm.
FIRST_PEAK = 0.7  # A stride is as alike as a step, or more. A step has at least this part of it.


def cadence(samples, rate):
    """Steps per minute, from accelerations (x, y, z) in m/s² at a rate in Hz: 0 without motion, None without a rhythm.

    After the time of a step the motion is like that before, and again after each multiple of it: the first counts.
    """
    forces = [math.hypot(*sample) for sample in samples]
    mean = sum(forces) / len(forces)
    motion = [force - mean for force in forces]
    variance = sum(value * value for value in motion) / len(motion)
    if variance < STILL ** 2:
        return 0

    def likeness(lag):
        pairs = zip(motion, motion[lag:])
        return sum(one * other for one, other in pairs) / (len(motion) - lag) / variance

    first, last = (round(seconds * rate) for seconds in STEP_S)
    alike = {lag: likeness(lag) for lag in range(first - 1, last + 2)}
    best = max(alike.values())
    for lag in range(first, last + 1):
        before, peak, after = alike[lag - 1], alike[lag], alike[lag + 1]
        if before <= peak >= after and peak >= max(ALIKE, FIRST_PEAK * best):
            # The top of the parabola through the three is between the samples.
            bend = before - 2 * peak + after
            return round(60 * rate / (lag + (before - after) / (2 * bend) if bend else lag), 1)
    return None


class Accelerometer:
    def __init__(self, folder):
        self.files = [folder / f"in_accel_{axis}_raw" for axis in "xyz"]
        shared = folder / "in_accel_scale"
        self.scale = float((shared if shared.exists() else folder / "in_accel_x_scale").read_text())

    def read(self):
        return [int(file.read_text()) * self.scale for file in self.files]


def watch(accelerometer, door):
    times, samples = (collections.deque(maxlen=WINDOW_S * RATE_HZ) for _ in range(2))
    door.announce("imu", kinds=["foot-pod"], name="Accelerometer")
    due = time.monotonic()
    for count in itertools.count(1):
        due = max(due + 1 / RATE_HZ, time.monotonic())  # After a stall it does not catch up.
        time.sleep(max(0, due - time.monotonic()))
        times.append(time.monotonic())
        samples.append(accelerometer.read())
        if count % RATE_HZ == 0 and len(times) == times.maxlen:
            steps = cadence(samples, (len(times) - 1) / (times[-1] - times[0]))
            if steps is not None:
                door.measure("imu", "foot-pod", cadence_spm=steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default="/sys/bus/iio/devices")
    root = parser.parse_args().root
    folders = sorted(file.parent for file in root.glob("*/in_accel_x_raw"))
    if not folders:
        sys.exit(f"no device in {root} has in_accel_x_raw: is the driver loaded?")
    end_at_signals()
    watch(Accelerometer(folders[0]), Door())


if __name__ == "__main__":
    main()
