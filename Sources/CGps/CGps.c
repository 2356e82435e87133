#include "CGps.h"

#include <gps.h>
#include <stdlib.h>
#include <string.h>

/* GPS_JSON_RESPONSE_MAX of gpsd: the longest line that it sends. */
enum { line_limit = 10240 };

/* Beginning of each line of gpsd. */
static const char line_start[] = "{\"class\":";

#if GPSD_API_MAJOR_VERSION < 11
#error "libgps 3.22 (API 11) or later is needed"
#endif

/* Counts from the text, because libgps is unreliable: 3.22 does not know uSat and gives 0
 * for a SKY without satellites; 3.25 gives 0 for a SKY without nSat, as gpsd 3.22 sends it. */
static int satellites_used(const char *line)
{
    static const char total[] = "\"uSat\":", used[] = "\"used\":true";
    const char *value = strstr(line, total);
    if (value) {
        value += sizeof total - 1;
        char *end;
        long count = strtol(value, &end, 10);
        return end == value || count < 0 || count > 1000 ? -1 : (int)count;
    }
    if (!strstr(line, "\"satellites\":["))
        return -1;
    int count = 0;
    for (const char *at = strstr(line, used); at; at = strstr(at + 1, used))
        count++;
    return count;
}

bool cgps_unpack(const uint8_t *line, size_t length, struct cgps_report *report)
{
    char text[line_limit + 1];
    /* Zeroed for each report: gps_unpack does not reset fields that a report lacks. */
    struct gps_data_t data;

    if (length < sizeof line_start || length > line_limit || memcmp(line, line_start, sizeof line_start - 1) ||
        line[length - 1] != '}')
        return false;
    memcpy(text, line, length);
    text[length] = 0;
    if (strlen(text) != length)
        return false;
    /* gps_unpack loops forever if a class follows malformed text. TPV and SKY have only one, at their start. */
    if (strstr(text + 2, line_start + 1))
        return false;
    memset(&data, 0, sizeof data);
    gps_clear_fix(&data.fix);
    /* API 11 declares a char *, API 14 a const char *: the copy suits both. */
    if (gps_unpack(text, &data) < 0)
        return false;

    memset(report, 0, sizeof *report);
    size_t path_length = strnlen(data.dev.path, sizeof data.dev.path);
    if (path_length < sizeof report->device)
        memcpy(report->device, data.dev.path, path_length);
    /* libgps turns an invalid time into one before 1970. The year 9999 is the last that gpsd can write. */
    if (data.fix.time.tv_sec > 0 && data.fix.time.tv_sec < 253402300800)
        report->time_ms = (int64_t)data.fix.time.tv_sec * 1000 + data.fix.time.tv_nsec / 1000000;
    report->mode = data.fix.mode >= MODE_NOT_SEEN && data.fix.mode <= MODE_3D ? data.fix.mode : MODE_NOT_SEEN;
    report->latitude = data.fix.latitude;
    report->longitude = data.fix.longitude;
    report->altitude_msl = data.fix.altMSL;
    report->altitude_hae = data.fix.altHAE;
    report->geoid_separation = data.fix.geoid_sep;
    report->eph = data.fix.eph;
    report->epx = data.fix.epx;
    report->epy = data.fix.epy;
    report->epv = data.fix.epv;
    report->speed = data.fix.speed;
    report->track = data.fix.track;
    report->satellites_used = satellites_used(text);
    return true;
}
