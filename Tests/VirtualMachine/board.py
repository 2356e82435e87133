"""The board: the virtual machine under systemd, with its straps, receivers and users."""
import asyncio
import contextlib
import datetime
import grp
import json
import os
import pathlib
import pwd
import re
import socket
import subprocess

from daemon import OURS, HeartSubscriber
from forked import Forked
from harness.timing import Failed, expect, wait_for

# The groups of the package: readers and commanders.
WATCH, CONTROL = "paced-watch", "paced-control"
SOCKETS, KEPT = pathlib.Path("/run/paced"), pathlib.Path("/var/lib/paced")
CONFIGURATION = pathlib.Path("/etc/paced/paced.conf")
SERVICE = "paced.service"


def run(*command, user=None, check=True, seconds=120):
    """The output of a command; it must succeed, unless `check` is false."""
    identity = {}
    if user:
        entry = pwd.getpwnam(user)
        identity = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": os.getgrouplist(user, entry.pw_gid)}
    ended = subprocess.run(
        [*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, **identity)
    if check and ended.returncode:
        raise Failed(f"{' '.join(map(str, command))}: status {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended if not check else ended.stdout


def systemctl(*words):
    return run("systemctl", *words)


def property_of(unit, name):
    return run("systemctl", "show", "--value", "--property", name, unit).strip()


def is_active(unit=SERVICE):
    return property_of(unit, "ActiveState") == "active"


def wait_active(seconds=60, unit=SERVICE):
    wait_for(lambda: is_active(unit), seconds, f"{unit} active")


def expect_none_failed():
    failed = run("systemctl", "--failed", "--plain", "--no-legend")
    expect(not failed.strip(), f"units have failed: {failed}")


def main_process(unit=SERVICE):
    return int(property_of(unit, "MainPID"))


def moment(name):
    """When a systemd event of the service happened, by its property name, in ms as `boot_ms`.

    The machine never sleeps, so its clocks agree.
    """
    return int(property_of(SERVICE, f"{name}TimestampMonotonic")) // 1000


def journal(*filters):
    """The log lines of this boot."""
    run("journalctl", "--sync")
    return run("journalctl", "--boot", "--no-pager", "--output", "short-monotonic", *filters)


def configure(*sections):
    """Writes the configuration, with our strap: sections as `Name key=value …`."""
    text = f"[Bluetooth]\nStraps={OURS}\n"
    for section in sections:
        name, *pairs = section.split()
        text += f"[{name}]\n" + "".join(pair + "\n" for pair in pairs)
    CONFIGURATION.write_text(text)


def note(name, value=None):
    """State that one boot leaves for the next, outside the machine: nothing on its disk is written for it."""
    path = pathlib.Path("/run/share") / f"{name}.noted"
    if value is not None:
        path.write_text(json.dumps(value))
    return json.loads(path.read_text())


@contextlib.contextmanager
def acting_as(user):
    """Opens and connects with this user's permissions in its body."""
    entry = pwd.getpwnam(user)
    before = os.getgroups()
    os.setgroups(os.getgrouplist(user, entry.pw_gid))
    os.setegid(entry.pw_gid)
    os.seteuid(entry.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(before)


def make_user(name, *groups):
    if not any(entry.pw_name == name for entry in pwd.getpwall()):
        run("useradd", "--no-create-home", "--groups", ",".join(groups), name)


def mode(path):
    """Mode, owner and group, in the format of ls."""
    return run("stat", "--format", "%A %U:%G", path).strip()


def exposure(unit=SERVICE):
    """The exposure level of a service from systemd-analyze, from 0.0 (locked down) to 10.0."""
    said = run("systemd-analyze", "security", "--no-pager", unit)
    return float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said).group(1))


def shipped(name, package="paced"):
    """The package's path of a file with this name."""
    paths = [path for path in run("dpkg-query", "--listfiles", package).split() if path.endswith("/" + name)]
    expect(len(paths) == 1, f"{name} in the package: {paths}")
    return pathlib.Path(paths[0])


def beating(reader, seconds=60):
    return reader.until("beat", lambda state: "bpm" in state["heart"] and not state["heart"].get("stale"), seconds)


class User(HeartSubscriber):
    """A user of the board who reads from the service's sockets, and sends commands if that is allowed."""

    def __init__(self, name):
        super().__init__(SOCKETS)
        self.name = name

    def connect(self):
        with acting_as(self.name):
            return super().connect()

    def call(self, method, **params):
        with acting_as(self.name):
            return super().call(method, **params)

    def pacectl(self, *arguments, check=True):
        return run("pacectl", *arguments, user=self.name, check=check)

    def may_connect(self, name):
        with acting_as(self.name), socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(SOCKETS / name))
                return True
            except PermissionError:
                return False

    def until(self, what, condition, seconds=60):
        """The next state that meets the condition."""
        return self.wait(what, lambda line: line["class"] == "STATE" and condition(line), seconds, len(self.lines))

    def again(self, seconds=60):
        """Subscribes again, after the end of the previous daemon."""
        wait_for(self.over, seconds, "the end of what was heard")
        self.end()
        return self.open()

    def over(self):
        try:
            self.receive(0.05)
            return self.is_over
        except (Failed, ConnectionError):
            return True

    def activities(self):
        """The recorded activities, newest first."""
        return [json.loads(line) for line in self.pacectl("--json", "activities").splitlines()]


class Receiver(Forked):
    """A USB receiver as the kernel sees it: with its ids, and a port that sends its position each second."""

    class Process:
        def __init__(self, vendor, product):
            self.north = 0.0
            self.metres = 0.0
            subprocess.run(["modprobe", "dummy_hcd"], check=True)
            numbers = [f"idVendor=0x{vendor}", f"idProduct=0x{product}", "iManufacturer=u-blox", "iSerialNumber=0042"]
            subprocess.run(["modprobe", "g_serial", *numbers], check=True)

        async def power_on(self):
            wait_for(pathlib.Path("/dev/ttyGS0").exists, 60, "the port of the receiver")
            port = os.open("/dev/ttyGS0", os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
            subprocess.run(["stty", "raw", "-echo", "-F", "/dev/ttyGS0"], check=True)
            self.sending = asyncio.get_running_loop().create_task(self.send(port))

        async def move(self, metres):
            """Moves by this many metres to the north each second."""
            self.metres = metres

        async def send(self, port):
            while True:
                self.north += self.metres
                for act in lambda: os.write(port, self.sentences().encode()), lambda: os.read(port, 65536):
                    with contextlib.suppress(OSError):  # nobody listens, or says anything
                        act()
                at = datetime.datetime.now(datetime.timezone.utc).timestamp()
                await asyncio.sleep(1 - at % 1)

        def sentences(self):
            """A second of NMEA 0183: a position in Berlin, and north of it."""
            at = datetime.datetime.now(datetime.timezone.utc)
            minutes = 31.2 + self.north / 1852
            place = f"52{minutes:08.5f},N,01324.00000,E"
            knots = self.metres / 0.514444
            return "".join(map(sentence, (
                f"GPGGA,{at:%H%M%S}.00,{place},1,09,0.9,34.0,M,44.0,M,,",
                "GPGSA,A,3,01,02,03,04,05,06,07,08,09,,,,1.6,0.9,1.3",
                f"GPRMC,{at:%H%M%S}.00,A,{place},{knots:.2f},0.0,{at:%d%m%y},,,A")))

    def kill(self):
        """Unplugs it."""
        super().kill()
        subprocess.run(["modprobe", "-r", "g_serial", "dummy_hcd"], check=False)


def sentence(text):
    parity = 0
    for byte in text.encode():
        parity ^= byte
    return f"${text}*{parity:02X}\r\n"


class Board:
    """The environment of the service in one boot; all of it ends with the boot."""

    def __init__(self, package):
        self.package = package
        self.measured = {}
        self.air = self.strap = self.receiver = None

    def surround(self):
        """Creates an adapter, a strap and a receiver before the service starts."""
        # Loading Bumble takes seconds, which a boot without a strap does not have to spend.
        from air import Air, place
        from strap import Strap
        self.receiver = Receiver(vendor="1546", product="01a8")
        self.receiver.start()
        self.air = Air(controllers=2)
        self.air.start()
        self.strap = Strap(f"unix-client:{place(1)}")
        self.strap.start()

    def rider(self):
        """A subscribed user who may read."""
        make_user("rider", WATCH)
        return User("rider").open()

    def owner(self):
        """A subscribed user who may do everything."""
        make_user("owner", WATCH, CONTROL)
        return User("owner").open()

    def members(self, group):
        return set(grp.getgrnam(group).gr_mem)
