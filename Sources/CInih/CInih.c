#include "CInih.h"

#include <ctype.h>
#include <ini.h>
#include <pthread.h>
#include <string.h>

const int cinih_line_limit = 4096;

// libinih needs room for the line end, a NUL, and the blank that marks a continuation line.
#define PIECE_LIMIT ((size_t)INI_MAX_LINE - 4)

struct reading {
    const char *rest;
    size_t size;
    // The unread part of the current line.
    const char *piece;
    size_t left;
    int line;
    int long_line;
    cinih_assignment take;
    void *user;
};

static int is_blank(char c)
{
    return isspace((unsigned char)c) != 0;
}

static void begin_line(struct reading *reading)
{
    const char *end = memchr(reading->rest, '\n', reading->size);
    size_t whole = end ? (size_t)(end - reading->rest) : reading->size;
    reading->line++;
    reading->piece = reading->rest;
    reading->left = whole;
    // libinih would treat a line that begins with a blank as a continuation.
    while (reading->left > 0 && is_blank(reading->piece[0])) {
        reading->piece++;
        reading->left--;
    }
    if (reading->left > 0 && (reading->piece[0] == '#' || reading->piece[0] == ';')) reading->left = 0;
    size_t taken = whole + (end ? 1 : 0);
    reading->rest += taken;
    reading->size -= taken;
}

// Length at which a long line can be split without loss: not at a blank, which is dropped at
// either end, nor before a comment mark, which would drop the rest, nor within a UTF-8 character.
static size_t cut(const char *text)
{
    size_t place = PIECE_LIMIT;
    while (place > 0
        && (is_blank(text[place - 1]) || is_blank(text[place]) || text[place] == '#' || text[place] == ';'
            || ((unsigned char)text[place] & 0xC0) == 0x80))
        place--;
    return place;
}

// Returns one line per call, a long one in pieces. A blank before each further piece marks it as a continuation.
static char *next_line(char *buffer, int capacity, void *stream)
{
    struct reading *reading = stream;
    size_t blank = reading->left > 0 ? 1 : 0;
    if (blank == 0) {
        if (reading->size == 0) return NULL;
        begin_line(reading);
    }
    size_t size = reading->left;
    if (size > PIECE_LIMIT) size = size > (size_t)cinih_line_limit || reading->piece[0] == '[' ? 0 : cut(reading->piece);
    if ((size == 0 && reading->left > 0) || size + 3 > (size_t)capacity) {
        if (reading->long_line == 0) reading->long_line = reading->line;
        size = reading->left = 0;
    }
    buffer[0] = ' ';
    memcpy(buffer + blank, reading->piece, size);
    buffer[blank + size] = '\0';
    reading->piece += size;
    reading->left -= size;
    return buffer;
}

static int assignment(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    reading->take(reading->user, reading->line, section, name, value ? value : "");
    return 1;
}

// libinih's options are global: they are set once, because several threads may read.
static void set(void)
{
    // A value may contain a semicolon, as in systemd's files.
    ini_allow_inline_comments = false;
    ini_allow_multiline = true;
}

int cinih_read(const char *text, size_t size, cinih_assignment take, void *user)
{
    struct reading reading = { .rest = text, .size = size, .take = take, .user = user };
    struct reading again = reading;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set);
    int bad = ini_parse_stream(next_line, &reading, assignment, &reading);
    // libinih counts pieces, not lines.
    char buffer[INI_MAX_LINE];
    for (int piece = 0; piece < bad; piece++) next_line(buffer, (int)sizeof buffer, &again);
    if (bad > 0) bad = again.line;
    if (reading.long_line > 0 && (bad <= 0 || reading.long_line < bad)) return reading.long_line;
    return bad;
}
