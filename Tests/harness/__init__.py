"""Shared code of the Python tests: EndToEnd, Link, VirtualMachine, PowerCut and Attack. All but `browser`, `certificates`,
`servers`, `upload_…`, `link…` and `workouts` need only the standard library.

    timing         clocks, waiting for an event, expectations, limits of real time
    faults         the libraries of Tests/Faults
    power          what a power cut leaves of the files of a program
    process        processes under test and beside it: paced, gpsd, a strap, a file system in memory, a separate network
    users          programs that root runs as another user
    client         clients of state.sock and control.sock
    terminal       a terminal of tmux
    notify         the socket of sd_notify
    fake_paced     a daemon for the tests of pacectl
        fake_bluez     a D-Bus, and a service on it with bluetoothd's name
    fake_gpsd      a gpsd that sends what a test gives it
        fake_systemd   systemd as a service sees it
    weather_server a weather service that can fail
        paced_net  paced-net beside a daemon with a position, and a weather service
        paced_web  paced-web beside a daemon, and programs that use its interface
    browser        pages of paced-web in chromium, with the packages of Tests/requirements.txt
    live_page      the live page with the lines of a test in the place of the server's
    certificates   certificates that a test makes
    servers        a broker and a database
    upload_server  a server of services that take uploads, which can fail
        upload_services  the four services: intervals.icu, Strava, FitTrackee, WebDAV
        link       paced-link, the example collector, and a second MQTT client
            link_rows  the rows of a journal beside those of a database
                link_power  a board that sends its run and loses its power
            link_uploads  paced-link that uploads to these services
            link_plan  paced-link that fetches planned work from two of them
    workouts       workout files
    places         where clients of README and of Examples find the sockets
    maps           commands of pacectl with a separate directory of maps
    vector_tiles   a reader of vector tiles
    gtfs           made timetables of public transport
    made_ride      a ride with power, cadence and speed, and its figures by independent code
"""

import os

# The tests are the same for everybody. Tools speak English, in UTF-8; what a test lets other users read, they can read.
os.environ["LC_ALL"] = "C.UTF-8"
os.environ.pop("LANGUAGE", None)
os.umask(0o022)
# Without HOME, it is that of the user database.
os.environ.setdefault("HOME", os.path.expanduser("~"))
