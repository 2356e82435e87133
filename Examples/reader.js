#!/usr/bin/env node
// Prints elapsed seconds, metres, seconds per kilometre and beats per minute, a line for each STATE of paced.
// The socket is $PACED_SOCKET, else that of your own paced, else that of the service.
const fs = require("node:fs");
const net = require("node:net");
const readline = require("node:readline");

const own = `${process.env.XDG_RUNTIME_DIR ?? ""}/paced/state.sock`;
const daemon = net.connect(process.env.PACED_SOCKET || (fs.existsSync(own) ? own : "/run/paced/state.sock"));
daemon.on("error", (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
process.stdout.on("error", () => process.exit()); // Our own reader has gone.

readline.createInterface({ input: daemon }).on("line", (line) => {
  const state = JSON.parse(line);
  if (state.class !== "STATE") return;
  // What is not known is absent from the line.
  const elapsed = state.elapsed_ms === undefined ? "-" : state.elapsed_ms / 1000;
  const pace = state.pace_s_per_m === undefined ? "-" : Math.round(state.pace_s_per_m * 1000);
  console.log(elapsed, state.distance_m ?? "-", pace, state.heart.bpm ?? "-");
});
