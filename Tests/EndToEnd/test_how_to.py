"""The programs and commands of the pages in docs/how-to."""

import http.client
import os
import re
import signal
import ssl
import subprocess
import sys
import threading

import pytest

from harness import places
from harness.paced_web import PacedWeb
from harness.process import ROOT, Network, has

LANGUAGES = {"python": [sys.executable, "-u"], "c": []} | ({"javascript": ["node"]} if has("node") else {})


@pytest.mark.parametrize("language", LANGUAGES)
def test_client_of_the_page_has_a_line_a_second(stage, language):
    daemon = stage.paced("--demo")
    text = re.search(f"```{language}\n(.*?)```", (ROOT / "docs/how-to/clients.md").read_text(), re.DOTALL)[1]
    text, environment = places.at("own", text, daemon, stage.directory)
    source = stage.directory / f"client.{language[0]}"
    source.write_text(text)
    command = [*LANGUAGES[language], source]
    if language == "c":
        command = [stage.directory / "client"]
        compiler = next(compiler for compiler in ("clang", "cc") if has(compiler))
        flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "jansson"], text=True).split()
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", command[0], source, *flags], check=True)
    shown = stage.keep(Shown(command, environment))
    rows = shown.until(lambda rows: len([row for row in rows if row[0] != "-"]) >= 6 and rows[-1][1] != "-")
    # A line or two may come before its WATCH is read.
    seconds = [float(row[0]) for row in rows if row[0] != "-"][2:]
    assert seconds == [seconds[0] + index for index in range(len(seconds))] and seconds[0].is_integer()


class Shown:
    """A program whose lines are words."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment,
            start_new_session=True)

    def until(self, is_enough):
        limit = threading.Timer(60, self.process.kill)
        limit.start()
        rows = []
        try:
            for line in self.process.stdout:
                rows.append(line.split())
                if is_enough(rows):
                    return rows
        finally:
            limit.cancel()
        raise AssertionError(f"the client has printed {rows}")

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def test_certificate_of_the_page_is_one_that_browsers_accept(stage):
    page = (ROOT / "docs/how-to/phone.md").read_text()
    commands = re.search(r"((?:    [^\n]*\n)*    openssl x509(?:[^\n]*\n    )*[^\n]*\n)", page)[1]
    subprocess.run(["sh", "-ec", commands], cwd=stage.directory, check=True, capture_output=True)
    certificate, key = stage.directory / "bike.crt", stage.directory / "bike.key"
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), network=stage.start(Network()),
        configuration=f"[Web]\nNames=bike.local\nCertificate={certificate}\nCertificateKey={key}\n"))
    context = ssl.create_default_context(cafile=str(stage.directory / "ca.crt"))
    connection = http.client.HTTPConnection("bike.local")
    connection.sock = context.wrap_socket(web.connect(web.network.ADDRESS), server_hostname="bike.local")
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
