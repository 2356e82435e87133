#!/usr/bin/env python3
"""A virtual keyboard of uinput: `keyboard.py NAME [KEY...]`.

It prints `ready` and the path of its device, and then executes each line of its input:

    press KEY_X SECONDS    holds a key for this time
    down KEY_X, up KEY_X   presses it, and releases it
    repeat KEY_X           sends an autorepeat event, as a keyboard does
    wait SECONDS

Each line is answered with `done`. It has the named keys, or else those of a remote; it ends with its input.

Source: the kernel's Documentation/input/uinput.rst, linux/uinput.h, linux/input-event-codes.h.
"""

import fcntl
import os
import struct
import sys
import time

CODES = {
    "KEY_ESC": 1, "KEY_A": 30, "KEY_B": 48, "KEY_SPACE": 57, "KEY_VOLUMEDOWN": 114, "KEY_VOLUMEUP": 115, "KEY_POWER": 116,
    "KEY_NEXTSONG": 163, "KEY_PLAYPAUSE": 164, "KEY_PREVIOUSSONG": 165, "KEY_STOPCD": 166, "BTN_TRIGGER": 288}
REMOTE = ["KEY_PLAYPAUSE", "KEY_NEXTSONG", "KEY_PREVIOUSSONG", "KEY_STOPCD", "KEY_VOLUMEUP", "KEY_VOLUMEDOWN"]

EV_SYN, EV_KEY = 0, 1
UI_DEV_CREATE, UI_DEV_DESTROY = 0x5501, 0x5502
UI_DEV_SETUP, UI_SET_EVBIT, UI_SET_KEYBIT = 0x405C5503, 0x40045564, 0x40045565
BUS_VIRTUAL = 6


def ui_get_sysname(size):
    return 2 << 30 | size << 16 | 0x552C


class Keyboard:
    def __init__(self, name, keys=REMOTE, device="/dev/uinput"):
        self.descriptor = os.open(device, os.O_RDWR)
        fcntl.ioctl(self.descriptor, UI_SET_EVBIT, EV_KEY)
        for key in keys:
            fcntl.ioctl(self.descriptor, UI_SET_KEYBIT, CODES[key])
        # struct uinput_setup: bus, vendor, product, version, name, number of force-feedback effects.
        setup = struct.pack("=4H80sI", BUS_VIRTUAL, 0x1209, 1, 1, name.encode()[:79], 0)
        fcntl.ioctl(self.descriptor, UI_DEV_SETUP, setup)
        fcntl.ioctl(self.descriptor, UI_DEV_CREATE)

    @property
    def path(self):
        """The device file in /dev/input."""
        name = bytearray(64)
        fcntl.ioctl(self.descriptor, ui_get_sysname(len(name)), name)
        directory = "/sys/devices/virtual/input/" + name.split(b"\0")[0].decode()
        return "/dev/input/" + next(entry for entry in sorted(os.listdir(directory)) if entry.startswith("event"))

    def send(self, key, value):
        # struct input_event: the kernel fills in the time.
        for kind, code, value in [(EV_KEY, CODES[key], value), (EV_SYN, 0, 0)]:
            os.write(self.descriptor, struct.pack("llHHi", 0, 0, kind, code, value))

    def press(self, key, seconds):
        self.send(key, 1)
        time.sleep(seconds)
        self.send(key, 0)

    def end(self):
        fcntl.ioctl(self.descriptor, UI_DEV_DESTROY)
        os.close(self.descriptor)


def main(name, *keys):
    keyboard = Keyboard(name, keys or REMOTE)
    print("ready", keyboard.path, flush=True)
    for line in sys.stdin:
        match line.split():
            case ["press", key, seconds]:
                keyboard.press(key, float(seconds))
            case ["down", key]:
                keyboard.send(key, 1)
            case ["up", key]:
                keyboard.send(key, 0)
            case ["repeat", key]:
                keyboard.send(key, 2)
            case ["wait", seconds]:
                time.sleep(float(seconds))
            case _:
                sys.exit(f"keyboard.py: cannot read {line!r}")
        print("done", flush=True)
    keyboard.end()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: keyboard.py NAME [KEY...]")
    main(*sys.argv[1:])
