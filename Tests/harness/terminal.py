"""A terminal of tmux with a private server, so that no other session is affected."""

import os
import pathlib
import shlex
import subprocess
import tempfile

from harness.process import ROOT
from harness.timing import GUARD, Failed, wait_for

# Variables of the terminal that runs the tests must not leak in.
FOREIGN = ("TMUX", "NO_COLOR", "COLORTERM")


class Terminal:
    """Runs one command, words or a line for bash, or without one a shell for typed commands."""

    def __init__(self, directory, command=None, columns=80, rows=24, environment=()):
        # A new directory: a server that is ending would still answer on the previous socket.
        self.socket = pathlib.Path(tempfile.mkdtemp(prefix="tmux-", dir=directory)) / "socket"
        shell = ["env", "TZ=UTC", "TERM=tmux-256color", *environment, "PS1=ready> ", "sh"]
        if isinstance(command, list):
            command = shlex.join(map(str, command))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "-c", ROOT,
                  *(shell if command is None else [command]))
        if command is None:
            self.wait_for("ready>")

    def tmux(self, *words, check=True):
        # Otherwise tmux gives a line to the user's own shell.
        environment = {key: value for key, value in os.environ.items() if key not in FOREIGN} | {"SHELL": "/bin/bash"}
        return subprocess.run(
            ["tmux", "-S", self.socket, *map(str, words)], env=environment, capture_output=True, text=True, timeout=GUARD,
            check=check).stdout

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def run(self, *words):
        self.type("-l", shlex.join(str(word) for word in words))
        self.type("Enter")

    def text(self, colours=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []))

    def wait_for(self, *texts, absent=(), seconds=60):
        """Waits until the screen shows all texts and none of those that must be absent; returns it."""
        shown = ""

        def is_shown():
            nonlocal shown
            shown = self.text()
            return all(text in shown for text in texts) and not any(text in shown for text in absent)

        try:
            wait_for(is_shown, seconds, f"{texts} without {absent}")
        except Failed as failed:
            raise Failed(f"{failed}; the screen shows:\n{shown}") from None
        return shown

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", columns, "-y", rows)

    def pid_of_pacectl(self):
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                pid, name, _, parent = stat.read_text().split()[:4]
            except OSError:
                continue
            if (name, parent) == ("(pacectl)", shell):
                return int(pid)
        raise Failed("pacectl does not run:\n" + self.text())

    def end(self):
        self.tmux("kill-server", check=False)
