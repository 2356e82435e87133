#!/bin/sh
# Prints elapsed seconds, metres, seconds per kilometre and beats per minute, a line for each STATE of paced.
# The socket is $PACED_SOCKET, else that of your own paced, else that of the service.
# Needs nc (netcat-openbsd) and jq.
own=${XDG_RUNTIME_DIR:-}/paced/state.sock
[ -e "$own" ] || own=/run/paced/state.sock
socket=${PACED_SOCKET:-$own}

# What is not known is absent from a STATE line, and a dash here.
# The daemon needs no request; the end of our own input is not the end of its lines.
nc -U "$socket" </dev/null | jq --unbuffered -r '
    select(.class == "STATE")
    | [ if .elapsed_ms then .elapsed_ms / 1000 else "-" end,
        .distance_m // "-",
        if .pace_s_per_m then .pace_s_per_m * 1000 | round else "-" end,
        .heart.bpm // "-" ]
    | join(" ")'
