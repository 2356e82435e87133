#!/usr/bin/env python3
"""Publishes the pressure of a tyre, in kPa, on the topic x-tyres while a client watches it.

Usage: publisher.py KPA
The socket is beside $PACED_SOCKET, else that of your own paced, else that of the service.
"""
import json
import os
import socket
import sys

own = os.getenv("XDG_RUNTIME_DIR", "") + "/paced/state.sock"
state = os.getenv("PACED_SOCKET") or (own if os.path.exists(own) else "/run/paced/state.sock")
with socket.socket(socket.AF_UNIX) as daemon:
    daemon.connect(os.path.join(os.path.dirname(state), "publish.sock"))
    for line in daemon.makefile(encoding="utf-8"):
        message = json.loads(line)
        if "error" in message:
            sys.exit(message["error"].get("data", message["error"])["message"])
        # A line without a class is the answer to a request.
        if message.get("class") == "DEMAND" and message["topic"] == "x-tyres" and message["subscribers"]:
            daemon.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "topic.publish", "params": {
                "topic": "x-tyres", "data": {"front_kpa": float(sys.argv[1])}, "source": "valve"}}).encode() + b"\n")
