#!/usr/bin/env python3
"""In the virtual machine: records a run onto a real ext4, with a log of every write to its disk.

    record.py SECONDS PACED [OPTION…]

The first drive is the disk, with an ext4; the second is the log of dm-log-writes. During the run each published state
puts a mark into that log, `elapsed-ACTIVITY-MILLISECONDS`: what a client had received before the next write.
"""

import fcntl
import json
import os
import pathlib
import struct
import subprocess
import sys
import time

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from harness.client import StateClient
from harness.process import Paced

DISK, LOG = "/dev/vda", "/dev/vdb"
STATE = pathlib.Path("/run/disk")

# _IOWR(0xfd, 14, struct dm_ioctl) of linux/dm-ioctl.h: DM_TARGET_MSG.
TARGET_MESSAGE = 0xC138FD0E
HEAD = struct.Struct("<3I I I I i I I I Q 128s 129s 7x")


class Marks:
    """Writes marks into the log, without a process for each."""

    def __init__(self):
        self.control = os.open("/dev/mapper/control", os.O_RDWR)

    def put(self, word):
        message = struct.pack("<Q", 0) + b"mark " + word.encode() + b"\0"
        size = HEAD.size + len(message)
        head = HEAD.pack(4, 0, 0, size, HEAD.size, 0, 0, 0, 0, 0, 0, b"recorded", b"")
        fcntl.ioctl(self.control, TARGET_MESSAGE, bytearray(head + message))


def sectors(device):
    return int(subprocess.check_output(["blockdev", "--getsz", device]))


def main(seconds, program, *options):
    pathlib.Path("/dev/mapper").mkdir(exist_ok=True)
    table = f"0 {sectors(DISK)} log-writes {DISK} {LOG}"
    subprocess.run(["dmsetup", "create", "recorded", "--noudevsync", "--table", table], check=True)
    subprocess.run(["dmsetup", "mknodes"], check=False)
    STATE.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "ext4", "/dev/mapper/recorded", STATE], check=True)
    (STATE / "state").mkdir(exist_ok=True)
    marks = Marks()
    marks.put("mounted")
    runtime = pathlib.Path("/run/paced-cut")
    runtime.mkdir()
    paced = Paced(runtime, "--demo", *options, program=program, state=STATE / "state", log="/run/share/paced.log")
    paced.start()
    client = StateClient(paced.state_socket, {"classes": ["STATE"], "interval_ms": 200}).open()
    end, seen = time.monotonic() + float(seconds), 0
    while time.monotonic() < end:
        client.receive(1)
        for line in client.lines[seen:]:
            if line["class"] == "STATE" and "activity" in line:
                marks.put(f"elapsed-{line['activity']}-{line['elapsed_ms']}")
        seen = len(client.lines)
    with open("/sys/block/vda/stat") as figures:
        words = figures.read().split()
    # The kernel's own count of written sectors.
    written = {"seconds": float(seconds), "bytes": int(words[6]) * 512}
    pathlib.Path("/run/share/written").write_text(json.dumps(written) + "\n")
    paced.kill()
    subprocess.run(["umount", STATE], check=True)
    subprocess.run(["dmsetup", "remove", "--noudevsync", "recorded"], check=True)


main(*sys.argv[1:])
