"""A system bus with Debian's policies, and the real bluetoothd on it: started by the scenario."""
import pathlib
import shutil
import subprocess

from harness.process import ManagedProcess
from harness.timing import wait_for

BLUETOOTHD = "/usr/libexec/bluetooth/bluetoothd"
# bluetoothd's store of devices; in the machine's memory.
KEPT = pathlib.Path("/var/lib/bluetooth")


def owned(name):
    """Whether a name on the bus has an owner."""
    asked = subprocess.run(
        ["dbus-send", "--system", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
         "org.freedesktop.DBus.NameHasOwner", f"string:{name}"], capture_output=True, text=True)
    return "true" in asked.stdout


class Server(ManagedProcess):
    """A server process that writes its log into the machine's share."""

    def __init__(self, name, command, is_ready):
        super().__init__(command, log=pathlib.Path(f"/run/share/{name}.log"))
        self.name, self.is_ready = name, is_ready

    def wait_until_ready(self):
        wait_for(self.is_ready, 60, f"{self.name} ready")


def system_bus(scenario):
    """As Debian configures it, but without activation: systemd is missing, and each attempt would take a second."""
    directory = pathlib.Path("/run/dbus")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    configuration = pathlib.Path("/usr/share/dbus-1/system.conf").read_text()
    (directory / "system.conf").write_text(configuration.replace("<standard_system_servicedirs/>", ""))
    return Server(f"{scenario}.bus", ["dbus-daemon", f"--config-file={directory}/system.conf", "--nofork", "--nopidfile"],
                  (directory / "system_bus_socket").exists)


def bluetoothd(scenario):
    """A bluetoothd that has never seen a device, as Debian configures it."""
    shutil.rmtree(KEPT, ignore_errors=True)
    return Server(f"{scenario}.bluetoothd", [BLUETOOTHD, "--nodetach", "--debug"], lambda: owned("org.bluez"))
