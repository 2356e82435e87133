// Reads INI files with libinih, which counts lines only as a build option. Strings are valid during the callback.
#ifndef CINIH_H
#define CINIH_H

#include <stddef.h>

// Receives one assignment: its line, from 1, and its section, empty before the
// first. A long value comes in several calls for the same line, one piece each.
typedef void (*cinih_assignment)(void *user, int line, const char *section, const char *name, const char *value);

// Longest readable line in bytes, without its newline and leading blanks.
extern const int cinih_line_limit;

// Reads the text of a file. Returns 0, or the number of the first line
// that is too long, or is neither assignment, section, comment nor empty.
int cinih_read(const char *text, size_t size, cinih_assignment take, void *user);

#endif
