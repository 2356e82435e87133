"""A system bus with Debian's policies, and the real bluetoothd on it: each as systemd would run it, and at the scenario's word."""
import pathlib
import shutil
import signal
import subprocess
import time

from daemon import Failed
from forked import now

BLUETOOTHD = "/usr/libexec/bluetooth/bluetoothd"
# What bluetoothd keeps of devices; in the machine's memory.
KEPT = pathlib.Path("/var/lib/bluetooth")


def wait_for(what, condition, seconds=15):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"{what}: not in {seconds} s")
        time.sleep(0.02)


def owned(name):
    """Whether somebody has a name on the bus."""
    asked = subprocess.run(
        ["dbus-send", "--system", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
         "org.freedesktop.DBus.NameHasOwner", f"string:{name}"], capture_output=True, text=True)
    return "true" in asked.stdout


class Served:
    """A process that serves others, and says what it does in a file of the machine's share."""

    def __init__(self, name, command, ready):
        self.name, self.command, self.ready = name, command, ready
        self.process = None

    def start(self):
        """Gives when it was there for others."""
        with open(f"/run/share/{self.name}.log", "a") as log:
            print("==", now(), *self.command, file=log, flush=True)
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(f"{self.name} started", self.ready)
        return now()

    def kill(self, how=signal.SIGKILL):
        """Gives when it was gone."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(20)
        self.process = None
        return now()

    def stop(self):
        """Ends it as systemd does."""
        return self.kill(signal.SIGTERM)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        return now()


def system_bus(scenario):
    """As Debian configures it, but that it starts nobody: what would, systemd, is not here, and to find that out takes a second."""
    directory = pathlib.Path("/run/dbus")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    configuration = pathlib.Path("/usr/share/dbus-1/system.conf").read_text()
    (directory / "system.conf").write_text(configuration.replace("<standard_system_servicedirs/>", ""))
    return Served(f"{scenario}.bus", ["dbus-daemon", f"--config-file={directory}/system.conf", "--nofork", "--nopidfile"],
                  (directory / "system_bus_socket").exists)


def bluetoothd(scenario):
    """One that has never seen a device, as Debian configures it."""
    shutil.rmtree(KEPT, ignore_errors=True)
    return Served(f"{scenario}.bluetoothd", [BLUETOOTHD, "--nodetach", "--debug"], lambda: owned("org.bluez"))
