"""What a service of a package may do: its identity, and the rights of a program in its place."""
import grp
import json
import pathlib
import re

from board import main_process, run, shipped, systemctl
from harness.timing import expect

PROBE_UNIT, PROBE_OUTPUT = pathlib.Path("/run/systemd/system/paced-probe.service"), pathlib.Path("/run/probe.json")
# Prints a line of JSON with the name of each error.
PROBE = """
import errno, json, os, socket
def tried(act, *arguments):
    try:
        act(*arguments)
        return "allowed"
    except OSError as error:
        return errno.errorcode[error.errno]
def connect(path):
    socket.socket(socket.AF_UNIX).connect(path)
print(json.dumps({
    "state": tried(connect, "/run/paced/state.sock"), "publish": tried(connect, "/run/paced/publish.sock"),
    "control": tried(connect, "/run/paced/control.sock"), "bus": tried(connect, "/run/dbus/system_bus_socket"),
    "journal": tried(open, "/var/lib/paced/journal.sqlite"), "recordings": tried(os.listdir, "/var/lib/paced"),
    "change of the journal": tried(open, "/var/lib/paced/journal.sqlite", "r+"),
    "new recording": tried(open, "/var/lib/paced/probe", "w"), "configuration": tried(open, "/etc/paced/probe", "w"),
    "hci": tried(socket.socket, 31, socket.SOCK_RAW, 1), "l2cap": tried(socket.socket, 31, socket.SOCK_SEQPACKET, 0),
    "own": tried(open, "OWN/probe", "w"), "internet": tried(socket.socket, socket.AF_INET, socket.SOCK_STREAM)}))
"""


def expect_identity(unit, user, *groups):
    """The process runs as this user and its group, in these groups, without capabilities."""
    process = main_process(unit)
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    found = {grp.getgrgid(int(number)).gr_name for number in re.search(r"Groups:(.*)", status).group(1).split()}
    owner = run("stat", "--format", "%U:%G", f"/proc/{process}").strip()
    expect(owner == f"{user}:{user}" and found - {user} == set(groups), f"it is {owner} with {found}")
    expect(re.search(r"CapBnd:\s+0+\n", status), "it has capabilities")
    return process


def expect_rights(unit, package, own, **recordings):
    """A program in the place of the service, under its unit, commands nothing, has no Bluetooth, and writes its own
    directory only; `recordings` are the results of access to recordings."""
    left_out = r"(?m)^(Type|NotifyAccess|ExecStart|ExecStopPost|Sockets|Requires|WatchdogSec|Restart\w*)=.*\n"
    pathlib.Path("/run/probe.py").write_text(PROBE.replace("OWN", str(own)))
    PROBE_UNIT.write_text(re.sub(left_out, "", shipped(unit, package).read_text()).replace(
        "[Service]\n", f"[Service]\nType=oneshot\nExecStart=/usr/bin/python3 /run/probe.py\nStandardOutput=file:{PROBE_OUTPUT}\n"))
    systemctl("daemon-reload")
    systemctl("start", PROBE_UNIT.name)
    PROBE_UNIT.unlink()
    systemctl("daemon-reload")
    (own / "probe").unlink()
    expected = {
        "state": "allowed", "publish": "allowed", "own": "allowed", "internet": "allowed", "control": "EACCES",
        "bus": "EACCES", "configuration": "EACCES", "hci": "EAFNOSUPPORT", "l2cap": "EAFNOSUPPORT",
        **{name.replace("_", " "): result for name, result in recordings.items()}}
    found = json.loads(PROBE_OUTPUT.read_text())
    expect(found == expected, f"in the place of {package}: {found}")
