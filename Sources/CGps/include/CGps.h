/* Parses one report of gpsd into a flat struct with libgps. Hides gps_data_t, which has 24 KB or
 * more, and whose layout and functions differ between releases (API 11 in gpsd 3.22, API 14 in 3.25). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One TPV or SKY report. A missing number is NaN; gpsd can also send infinities. */
struct cgps_report {
    /* The receiver's path, NUL-terminated; empty if absent. */
    char device[128];
    /* UTC in milliseconds since 1970; 0 if absent. */
    int64_t time_ms;
    /* 0 unknown or absent, 1 no fix, 2 without altitude, 3 with altitude. Invalid modes become 0. */
    int mode;
    /* Degrees. */
    double latitude, longitude;
    /* Metres: altitude above mean sea level, altitude above the ellipsoid, geoid above the ellipsoid. */
    double altitude_msl, altitude_hae, geoid_separation;
    /* Estimated errors in metres: horizontal, east, north, vertical. */
    double eph, epx, epy, epv;
    /* Metres per second; degrees from true north. */
    double speed, track;
    /* Satellites used, of a SKY report; -1 if it does not state them. */
    int satellites_used;
};

/* Parses one TPV or SKY line of gpsd, without its line end. Uses no locks and no heap, but 40 KB of stack.
 *
 * Returns false if the line is not between {"class": and }, contains a NUL or a
 * second class, is too long, or libgps rejects it. libgps accepts much malformed
 * text and then leaves fields NaN: a mode of 2 or 3 does not guarantee a position. */
bool cgps_unpack(const uint8_t *line, size_t length, struct cgps_report *report);
