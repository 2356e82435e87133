"""What some machines lack. A test that needs it is skipped there, and the reason names it."""

import os
import pathlib

import pytest

ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to act as another user and to make devices")
KEYBOARDS = pytest.mark.skipif(
    os.getuid() != 0 or not os.path.exists("/dev/uinput"),
    reason="needs root and /dev/uinput, to press keys; the scenario systemd/panel of the virtual machine presses them too")
IPV6 = pytest.mark.skipif(
    not pathlib.Path("/proc/net/if_inet6").exists(), reason="needs IPv6, to serve on ::1")
MACHINE_ID = pytest.mark.skipif(
    not pathlib.Path("/etc/machine-id").exists(), reason="needs /etc/machine-id, to tell machines apart")
ROUTE = pytest.mark.skipif(
    "\t00000000\t" not in pathlib.Path("/proc/net/route").read_text(), reason="needs a default route, to be metered")
