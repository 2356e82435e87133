"""Shared code of the Python tests: EndToEnd, VirtualMachine, PowerCut and Attack. It needs only the standard library.

    timing         the boot clock, waiting for an event, expectations, the machine's stalls
    process        processes under test and beside it: paced, gpsd, a strap, a file system in memory
    client         clients of state.sock and control.sock
    terminal       a terminal of tmux
    notify         the socket of sd_notify
    fake_paced     a daemon for the tests of pacectl
        fake_bluez     a D-Bus, and a service on it with bluetoothd's name
    fake_gpsd      a gpsd that sends what a test gives it
        fake_systemd   systemd as a service sees it
    weather_server a weather service that can fail
        paced_net  paced-net beside a daemon with a position, and a weather service
    maps           commands of pacectl with a directory of maps of their own
    gtfs           made timetables of public transport
    made_ride      a ride with power, cadence and speed, and its figures by independent code
"""
