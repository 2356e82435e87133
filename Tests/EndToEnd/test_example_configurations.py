"""paced-net.conf and paced-link.conf: the example file, the manual page and the program have the same keys."""

import re
import signal
import subprocess
import uuid

import pytest

from harness.notify import NotifyListener
from harness.process import ENVIRONMENT, PROGRAMS, ROOT

# Each program with its directories.
DAEMONS = {"paced-net": ("runtime", "cache", "paced"), "paced-link": ("runtime", "state", "paced", "journal")}


@pytest.fixture(params=DAEMONS)
def program(request):
    return request.param


def example(program):
    return (ROOT / f"systemd/{program}.conf").read_text()


def keys(text, pattern):
    """The keys of the example file or of the page, as `[Section] Key` with the default.

    A section that may be there several times, such as `[Upload NAME]`, is a comment in the file.
    """
    found, section = {}, None
    for line in text.splitlines():
        if name := re.fullmatch(r"(?:\.Ss |#)?\[([\w ]+)\]", line):
            section = name[1]
        elif section and (key := re.fullmatch(pattern, line)):
            found[f"[{section}] {key[1]}"] = key[2]
    return found


def start(program, directory, configuration):
    path = directory / f"{program}.conf"
    path.write_text(configuration)
    options = [f"--{name}-dir={directory / name}" for name in DAEMONS[program]]
    return subprocess.Popen(
        [PROGRAMS / program, "--config", path, *options], stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT | {"NOTIFY_SOCKET": str(directory / "notify")})


def test_keys_of_the_example_the_page_and_the_program_are_the_same(program, tmp_path):
    def known(section):
        refused = start(program, tmp_path, f"[{section}]\nKey=1\n")
        said = refused.communicate(timeout=60)[1]
        assert refused.returncode == 2 and f"{tmp_path}/{program}.conf:2: there is no " in said
        return re.search(r" are (.*)", said)[1]

    shown = keys(example(program), r"#(\w+)=(.*)")
    sections = re.findall(r"\[([^]]+)\]", known("Bogus"))
    assert list(shown) == [
        f"[{section}] {key}" for section in sections for key in known(section.replace("NAME", "name")).split(" ")]
    assert shown == keys((ROOT / f"man/{program}.conf.5").read_text(), r"\.It Cm (\w+) Ns =(.*)")


def test_example_with_all_keys_starts_the_program(program, tmp_path):
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal/device.json").write_text(f'{{"uuid":"{uuid.uuid4()}"}}\n')
    notified = NotifyListener(tmp_path)
    text = re.sub(r"^#(\w+=|\[)", r"\1", example(program), flags=re.MULTILINE)
    # What has no default.
    for section, service in {"Upload": "directory", "Plan": "intervals"}.items():
        text = re.sub(rf"\[{section} NAME\]((?:\n.*)*?\nService=)", rf"[{section} name]\1{service}", text)
    daemon = start(program, tmp_path, text.replace("\nPath=", f"\nPath={tmp_path}"))
    try:
        notified.wait("READY=1")
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0
    finally:
        daemon.kill()
        daemon.communicate()
        notified.end()
    assert not list((tmp_path / "runtime").glob("*.sock"))
