"""A process that is forked from the scenarios' process, because loading Bumble takes seven seconds under emulation.

It answers one line of JSON with another, over a socket that stays open for its lifetime.
"""
import asyncio
import json
import os
import signal
import socket


class Forked:
    """The handle of a process whose commands are the coroutines of a `Process`; `power_on` is the first of them."""

    Process = None

    def __init__(self, **settings):
        self.settings = settings
        self.pid = None

    def start(self):
        self.channel, its = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                # A child must not hold open other descriptors: their peers wait for the end.
                os.closerange(3, its.fileno())
                os.closerange(its.fileno() + 1, 4096)
                asyncio.run(answer(its, self.Process(**self.settings)))
            except BaseException as error:  # a child must not go on as its parent
                print(f"{type(self).__name__}: {error!r}", flush=True)
            os._exit(1)
        its.close()
        self.replies = self.channel.makefile("r")
        self.channel.settimeout(30)
        return self.do("power_on")

    def do(self, command, **fields):
        """Executes a command in the process, and returns its response."""
        self.channel.sendall((json.dumps({"command": command} | fields) + "\n").encode())
        reply = self.replies.readline()
        if not reply:
            raise RuntimeError(f"{type(self).__name__} ended at {command}")
        return json.loads(reply)

    def kill(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.replies.close()
            self.channel.close()
        self.pid = None


async def answer(channel, process):
    reader, writer = await asyncio.open_connection(sock=channel)
    while line := await reader.readline():
        fields = json.loads(line)
        answer = await getattr(process, fields.pop("command"))(**fields)
        writer.write((json.dumps(answer or {}) + "\n").encode())
