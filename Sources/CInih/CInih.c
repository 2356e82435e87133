#include "CInih.h"

#include <ini.h>
#include <string.h>

// libinih wants room for the line's end and a zero.
const int cinih_line_limit = INI_MAX_LINE - 3;

struct reading {
    const char *rest;
    size_t size;
    int line;
    int long_line;
    cinih_assignment take;
    void *user;
};

// One line a call, so that the lines that are counted here are those that libinih counts.
static char *next_line(char *buffer, int capacity, void *stream)
{
    struct reading *reading = stream;
    if (reading->size == 0) return NULL;
    const char *end = memchr(reading->rest, '\n', reading->size);
    size_t whole = end ? (size_t)(end - reading->rest) : reading->size;
    reading->line++;
    size_t kept = whole;
    if (whole > (size_t)cinih_line_limit || whole + 2 > (size_t)capacity) {
        if (reading->long_line == 0) reading->long_line = reading->line;
        kept = 0;
    }
    memcpy(buffer, reading->rest, kept);
    buffer[kept] = '\0';
    size_t taken = whole + (end ? 1 : 0);
    reading->rest += taken;
    reading->size -= taken;
    return buffer;
}

static int assignment(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    reading->take(reading->user, reading->line, section, name, value ? value : "");
    return 1;
}

int cinih_read(const char *text, size_t size, cinih_assignment take, void *user)
{
    struct reading reading = { text, size, 0, 0, take, user };
    // A value may hold a semicolon, and goes on in no other line: as in the files of systemd.
    ini_allow_inline_comments = false;
    ini_allow_multiline = false;
    int bad = ini_parse_stream(next_line, &reading, assignment, &reading);
    if (reading.long_line > 0 && (bad <= 0 || reading.long_line < bad)) return reading.long_line;
    return bad;
}
