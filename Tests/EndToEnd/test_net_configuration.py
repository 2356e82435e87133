"""paced-net.conf: the example file, the manual page and the program have the same keys."""

import os
import re
import signal
import subprocess

from harness.notify import NotifyListener
from harness.process import ENVIRONMENT, PROGRAMS, ROOT

EXAMPLE = (ROOT / "systemd/paced-net.conf").read_text()
PROGRAM = PROGRAMS / "paced-net"


def keys(text, pattern):
    """The keys of the example file or of the page, as `[Section] Key` with the default."""
    found, section = {}, None
    for line in text.splitlines():
        if name := re.fullmatch(r"(?:\.Ss )?\[(\w+)\]", line):
            section = name[1]
        elif section and (key := re.fullmatch(pattern, line)):
            found[f"[{section}] {key[1]}"] = key[2]
    return found


def start(directory, configuration):
    path = directory / "paced-net.conf"
    path.write_text(configuration)
    options = [f"--{name}-dir={directory / name}" for name in ("runtime", "cache", "paced")]
    return subprocess.Popen(
        [PROGRAM, "--config", path, *options], stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT | {"NOTIFY_SOCKET": str(directory / "notify")})


def test_keys_of_the_example_the_page_and_the_program_are_the_same(tmp_path):
    def known(section):
        refused = start(tmp_path, f"[{section}]\nKey=1\n")
        said = refused.communicate(timeout=60)[1]
        assert refused.returncode == 2 and f"{tmp_path}/paced-net.conf:2: there is no " in said
        return re.search(r" are (.*)", said)[1].split(" ")

    example = keys(EXAMPLE, r"#(\w+)=(.*)")
    sections = [name.strip("[]") for name in known("Bogus")]
    assert list(example) == [f"[{section}] {key}" for section in sections for key in known(section)]
    assert example == keys((ROOT / "man/paced-net.conf.5").read_text(), r"\.It Cm (\w+) Ns =(.*)")


def test_example_with_all_keys_starts_the_program(tmp_path):
    notified = NotifyListener(tmp_path)
    daemon = start(tmp_path, re.sub(r"^#(\w+=)", r"\1", EXAMPLE, flags=re.MULTILINE))
    try:
        notified.wait("READY=1")
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0
    finally:
        daemon.kill()
        daemon.communicate()
        notified.end()
    assert not os.path.exists(tmp_path / "runtime/net.sock")
