#!/usr/bin/env python3
"""Hands ANT+ sensors to paced: heart rate, power, speed and cadence, muscle oxygen, core temperature.

Needs a stick, `pip install openant`, and a rule for the stick: `sudo python3 -m openant.udev_rules`.

Usage: ant.py [PROFILE[:NUMBER]]...    or    ant.py --replay FILE
The profiles are heart-rate, power, speed-cadence (one sensor for both), speed, cadence, muscle-oxygen and
core-temperature; by default the first three. The sensor is that with the device number, else the first that is heard. A
replay reads lines `SECONDS PROFILE PAGE` at their times, in the place of a stick; a page is 16 hexadecimal digits.
"""
import argparse
import sys
import time

from ant_pages import PROFILES, description
from sensor_door import Door, end_at_signals

NETWORK_KEY = [0xB9, 0xA5, 0x21, 0xFB, 0xBD, 0x72, 0xC3, 0x45]  # The public one of ANT+.
RADIO_FREQUENCY = 57
COASTING_S = 3


class Sensor:
    def __init__(self, door, profile):
        self.door, self.profile, self.name = door, profile, f"ant-{profile}"
        self.device_type, self.period, self.kind, self.measurement = PROFILES[profile]
        self.before, self.values, self.measured_at = None, {}, 0
        self.wheel_revolutions = 0

    def receive(self, page):
        page, now = bytes(page[:8]), time.monotonic()
        self.door.announce(self.name, kinds=[self.kind], name=f"ANT+ {self.profile}", **description(self.profile, page))
        values = self.measurement(page, self.before)
        if values:
            self.before, self.values, self.measured_at = page, values, now
        elif self.before and page[:2] == self.before[:2] and now - self.measured_at > COASTING_S:
            # A power meter that has no events while the crank stands repeats the last one.
            values = dict.fromkeys(self.values.keys() & {"power_w", "cadence_rpm"}, 0)
        if "wheel_revolutions" in values:  # A page has 16 bits of it, but paced expects 32.
            self.wheel_revolutions += (values["wheel_revolutions"] - self.wheel_revolutions) % 65536
            values["wheel_revolutions"] = self.wheel_revolutions
        if values:
            self.door.measure(self.name, self.kind, **values)


def replay(file, door):
    sensors = {profile: Sensor(door, profile) for profile in PROFILES}
    before = 0
    for at, profile, page in map(str.split, file):
        time.sleep(max(0, float(at) - before))  # After a stall it does not catch up.
        before = float(at)
        sensors[profile].receive(bytes.fromhex(page))


def listen(wanted, door):
    try:
        from openant.base.driver import DriverNotFound
        from openant.easy.node import Node
    except ImportError:
        sys.exit("ant.py needs openant: pip install openant")
    try:
        node = Node()
    except (DriverNotFound, OSError) as error:
        sys.exit(f"there is no ANT+ stick that can be used: {error!r}")
    try:
        node.set_network_key(0, NETWORK_KEY)
        for profile, number in wanted:
            sensor = Sensor(door, profile)
            channel = node.new_channel(0)  # It receives.
            channel.on_broadcast_data = sensor.receive
            channel.set_period(sensor.period)
            channel.set_search_timeout(255)  # Without end.
            channel.set_rf_freq(RADIO_FREQUENCY)
            channel.set_id(number, sensor.device_type, 0)
            channel.open()
        node.start()
    finally:
        node.stop()


def wanted(text):
    profile, _, number = text.partition(":")
    if profile not in PROFILES:
        raise argparse.ArgumentTypeError(f"{profile} is none of {', '.join(PROFILES)}")
    return profile, int(number or 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profiles", nargs="*", type=wanted, metavar="PROFILE[:NUMBER]", default=[
        ("heart-rate", 0), ("power", 0), ("speed-cadence", 0)])
    parser.add_argument("--replay", type=argparse.FileType(), metavar="FILE")
    arguments = parser.parse_args()
    end_at_signals()
    door = Door()
    if arguments.replay:
        replay(arguments.replay, door)
    else:
        listen(arguments.profiles, door)


if __name__ == "__main__":
    main()
