"""A broker and a database as other machines have them, for paced-link and the example collector."""

import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import psycopg

from harness.faults import without_faults
from harness.process import ENVIRONMENT, ManagedProcess, free_port
from harness.timing import wait_for
from harness.users import NOBODY, acting_as


class Mosquitto(ManagedProcess):
    """The real broker, at a port of 127.0.0.1 that stays after a restart. It keeps nothing on the disk.

    `prefix` is a command that executes the arguments after its own.
    `users` are names with their passwords, and without them everybody may connect. `rules` is the text of an ACL file,
    `identity` the certificate of a broker with TLS, `lines` are more lines of the configuration.
    """

    inherited = without_faults(ENVIRONMENT)

    def __init__(self, directory, users=None, rules=None, identity=None, lines=(), prefix=()):
        self.port = free_port()
        place = directory / f"broker-{self.port}"
        place.mkdir()
        self.identity = identity
        configuration = [
            "persistence false", "log_dest stderr", "log_type all", f"listener {self.port} 127.0.0.1", *lines]
        if os.getuid() == 0:
            configuration.append("user root")
        if identity:
            configuration += [f"certfile {identity.path}", f"keyfile {identity.path}"]
        if users is None:
            configuration.append("allow_anonymous true")
        else:
            for name, password in users.items():
                create = [] if (place / "passwords").exists() else ["-c"]
                subprocess.run(["mosquitto_passwd", "-b", *create, place / "passwords", name, password], check=True)
            configuration.append(f"password_file {place / 'passwords'}")
        if rules is not None:
            (place / "rules").write_text(rules)
            configuration.append(f"acl_file {place / 'rules'}")
        (place / "conf").write_text("\n".join(configuration) + "\n")
        super().__init__([*prefix, "mosquitto", "-c", place / "conf"], log=place / "log")

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a broker that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"mosquitto ended with {self.process.poll()}: {self.log_text()}"
        # Of the network that the broker is in.
        return f":{self.port:04X} 00000000:0000 0A" in pathlib.Path(f"/proc/{self.pid}/net/tcp").read_text()

    def connections(self, client):
        """How often a client was accepted since the broker's first start."""
        return self.log_text().count(f" as {client} (")


class PostgreSQL(ManagedProcess):
    """A real server on a Unix socket, with as many databases as the tests need. root runs it as nobody."""

    inherited = without_faults(ENVIRONMENT)
    numbers = itertools.count(1)

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-database-", dir="/tmp"))
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        user = {}
        if os.getuid() == 0:
            os.chown(self.directory, NOBODY, NOBODY)
            user = acting_as(NOBODY)
        data = self.directory / "data"
        subprocess.run(
            [programs / "initdb", "--pgdata", data, "--username", "paced", "--auth", "trust", "--encoding", "UTF8"],
            check=True, capture_output=True, cwd="/", env=self.inherited, **user)
        super().__init__(
            [programs / "postgres", "-D", data, "-k", self.directory, "-c", "listen_addresses="],
            log=self.directory / "log", cwd="/", **user)

    def wait_until_ready(self):
        wait_for(self.is_ready, 60, "a database that answers")

    def is_ready(self):
        assert self.process.poll() is None, f"postgres ended with {self.process.poll()}: {self.log_text()}"
        try:
            psycopg.connect(self.address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def address(self, name):
        return f"host={self.directory} user=paced dbname={name}"

    def database(self, template="template1"):
        """The address of a new database: an empty one, or a copy."""
        name = f"test{next(self.numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.address(name)

    def end(self, number=None):
        """Without a signal its directory goes too. SIGINT: with SIGTERM it waits for the end of all sessions."""
        ended = super().end(number or signal.SIGINT)
        if number is None:
            shutil.rmtree(self.directory)
        return ended
