#!/usr/bin/env python3
"""Hands the revolutions of a wheel to paced: a magnet at a spoke, and a reed contact between a GPIO and ground.

Needs gpiod, the Python bindings of libgpiod 2: `pip install gpiod`, or python3-libgpiod from Debian 13 on.

Usage: wheel.py LINE [--chip /dev/gpiochip0]
`gpioinfo` prints the lines by number and name. How far a revolution goes is the setting `wheel_mm` of paced.
"""
import argparse
import datetime
import sys
import time

from sensor_door import Door, end_at_signals

INTERVAL_S = 0.25
OPEN_S = 0.02  # Bounces are shorter; a wheel of 2.1 m that is as fast goes 380 km/h.


class Wheel:
    """Counts the revolutions by a contact that bounces when it closes and when it opens."""

    def __init__(self):
        self.revolutions, self.event_s, self.opened_s = 0, None, float("-inf")

    def edge(self, is_closed, at_s):
        """A revolution is over when the contact closes after it was open for a while."""
        if not is_closed:
            self.opened_s = at_s
        elif at_s - self.opened_s >= OPEN_S:
            self.revolutions += 1
            self.event_s = at_s


def open_line(chip, line):
    """A request of gpiod for both edges of a line with a pull-up."""
    try:
        import gpiod
        from gpiod.line import Bias, Edge
        settings = gpiod.LineSettings(edge_detection=Edge.BOTH, bias=Bias.PULL_UP)
    except (ImportError, AttributeError):  # The bindings of libgpiod 1 have the same name.
        sys.exit("wheel.py needs the Python bindings of libgpiod 2: pip install gpiod")
    try:
        return gpiod.request_lines(chip, consumer="wheel.py", config={line: settings})
    except (OSError, ValueError) as error:
        sys.exit(f"{chip}, line {line}: {error}")


def watch(request, door):
    """Measures while the wheel stands too: paced sees by a counter that stays the same that the speed is 0."""
    wheel, next_s = Wheel(), 0
    door.announce("wheel", kinds=["speed-cadence"], name="Reed contact")
    while True:
        if request.wait_edge_events(datetime.timedelta(seconds=INTERVAL_S)):
            for event in request.read_edge_events():
                wheel.edge(event.event_type is event.Type.FALLING_EDGE, event.timestamp_ns / 1e9)
        now = time.monotonic()
        if wheel.revolutions and now >= next_s:
            next_s = now + INTERVAL_S
            door.measure("wheel", "speed-cadence", wheel_revolutions=wheel.revolutions, wheel_event_s=wheel.event_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("line", type=lambda text: int(text) if text.isdecimal() else text, metavar="LINE")
    parser.add_argument("--chip", default="/dev/gpiochip0")
    arguments = parser.parse_args()
    end_at_signals()
    with open_line(arguments.chip, arguments.line) as request:
        watch(request, Door())


if __name__ == "__main__":
    main()
