"""The socket of sd_notify, as a service manager creates it."""

import socket
import threading

from harness.timing import boot_ms, wait_for


class NotifyListener:
    """Receives the messages of a service, each with its time in ms of the boot clock."""

    def __init__(self, directory):
        self.path = directory / "notify"
        self.messages = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while message := self.socket.recv(4096).decode():
            self.messages.append((boot_ms(), message))

    def moments(self, words):
        return [at for at, message in list(self.messages) if message == words]

    def words(self, key):
        """The values of one key, in order."""
        lines = [line for _, message in list(self.messages) for line in message.splitlines()]
        return [line.split("=", 1)[1] for line in lines if line.startswith(key + "=")]

    def wait(self, words, seconds=60):
        wait_for(lambda: self.moments(words), seconds, f"{words}; received: {self.messages}")

    def end(self):
        # An empty message ends the thread.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self.path))
        self.thread.join(5)
        self.socket.close()
