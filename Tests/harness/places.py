"""The places in which a client of README and of Examples finds the sockets: $PACED_SOCKET, the user's own, the service's."""

import os

PLACES = ["named", "own", "service"]


def at(place, text, daemon, directory):
    """A client's text and environment, in which the daemon is in this place only. The service's directory is another one."""
    runtime = directory / "user"
    runtime.mkdir(exist_ok=True)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
    environment.pop("PACED_SOCKET", None)
    if place == "named":
        environment["PACED_SOCKET"] = str(daemon.state_socket)
    if place == "own":
        (runtime / "paced").symlink_to(daemon.runtime)
    system = daemon.runtime if place == "service" else directory / "nowhere"
    assert "/run/paced/" in text
    return text.replace("/run/paced/", f"{system}/"), environment
