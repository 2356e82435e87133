"""Time in the tests: the boot clock, waiting for an event, and limits of real time.

Tools/fast-clock makes all clocks of the tests faster, but for one: a test that hangs, or a slow machine, is
measured in real time.
"""

import os
import pathlib
import time

# How many times as fast the clocks are.
FACTOR = int(os.environ.get("CLOCK_FACTOR", 1))
# A minute of real time, in seconds of the tests' clocks: for calls that measure their time limit themselves.
GUARD = 60 * FACTOR


class Failed(AssertionError):
    """A failed expectation; the message names it."""


class Late(Failed):
    """An expectation of a time that failed: of the program, or of a machine that stood still."""


def expect(condition, message):
    if not condition:
        raise Failed(message)


def boot_ms():
    """CLOCK_BOOTTIME in ms, the clock of `boot_ms` in the lines of paced."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) / 1e6


def real_seconds():
    """The one clock that is real everywhere."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)


def wait_for(condition, seconds, what):
    """The first true value of `condition`; raises Failed, which names the missing event, after real `seconds`."""
    end = real_seconds() + seconds
    while True:
        value = condition()
        if value:
            return value
        if real_seconds() >= end:
            raise Failed(f"within {seconds} s there was not: {what}")
        time.sleep(0.02)


def withheld():
    """For how many seconds since its start the kernel let processes wait for a processor that were ready to run."""
    try:
        some = pathlib.Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0]
    except OSError:
        some = 0
    stolen = int(pathlib.Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")
    return int(some) / 1e6 + stolen


def expect_within(seconds, measure, what):
    """Expects that what `measure` does took less than so many seconds of real time; it returns a value, and the seconds.

    Processor time that the kernel withheld meanwhile is added to the limit, which becomes at most four times as long. The
    machine may also stop a process without such a report: the best of up to three measurements counts. Returns its value.
    """
    for _ in range(3):
        before = withheld()
        value, took = measure()
        limit = min(seconds + withheld() - before, 4 * seconds)
        if took < limit:
            return value
    raise Failed(f"{what} took {took:.3f} s; the limit is {limit:.3f} s")
