/* What paced needs of libgps: one report of gpsd as a flat struct. Hides gps_data_t, which is 24 KB or more and whose layout and
 * functions differ between releases (API 11 in gpsd 3.22, API 14 in 3.25). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One TPV or SKY report. A number that the report does not have is NaN; gpsd can also send infinities. */
struct cgps_report {
    /* The receiver's path, NUL-terminated; empty when absent. */
    char device[128];
    /* UTC in milliseconds since 1970; 0 when absent. */
    int64_t time_ms;
    /* 0 unknown or absent, 1 no fix, 2 without altitude, 3 with altitude. Modes that do not exist read 0. */
    int mode;
    /* Degrees. */
    double latitude, longitude;
    /* Metres above mean sea level, above the ellipsoid, and the geoid above the ellipsoid. */
    double altitude_msl, altitude_hae, geoid_separation;
    /* Estimated errors in metres: horizontal, east, north. */
    double eph, epx, epy;
    /* Metres per second; degrees from true north. */
    double speed, track;
    /* Satellites used, of a SKY report; -1 when it does not say. */
    int satellites_used;
};

/* Reads one TPV or SKY line of gpsd, without its line end. It needs no locks and no memory but 40 KB of stack.
 *
 * false: not between {"class": and }, a NUL in it, a second class, too long, or libgps refuses it. libgps accepts much that is
 * malformed, and then leaves fields NaN: a mode of 2 or 3 promises no position. */
bool cgps_unpack(const uint8_t *line, size_t length, struct cgps_report *report);
