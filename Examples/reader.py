#!/usr/bin/env python3
"""Prints elapsed seconds, metres, seconds per kilometre and beats per minute, a line for each STATE of paced.

The socket is $PACED_SOCKET, else that of your own paced, else that of the service.
"""
import json
import os
import signal
import socket

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # The end of our own reader is our end.

own = os.getenv("XDG_RUNTIME_DIR", "") + "/paced/state.sock"
with socket.socket(socket.AF_UNIX) as daemon:
    daemon.connect(os.getenv("PACED_SOCKET") or (own if os.path.exists(own) else "/run/paced/state.sock"))
    for line in daemon.makefile(encoding="utf-8"):
        state = json.loads(line)
        if state["class"] != "STATE":
            continue
        # What is not known is absent from the line.
        elapsed, pace = state.get("elapsed_ms"), state.get("pace_s_per_m")
        print("-" if elapsed is None else f"{elapsed / 1000:.10g}", state.get("distance_m", "-"),
              "-" if pace is None else round(pace * 1000), state["heart"].get("bpm", "-"), flush=True)
