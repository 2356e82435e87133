// The door to libinih, which counts lines only where it is built to. Every string that is handed on is valid during the call.
#ifndef CINIH_H
#define CINIH_H

#include <stddef.h>

// Takes one assignment: the line that it stands in, from 1, and its section, which is empty before the first. A long value comes in
// several calls for the same line, one piece after another.
typedef void (*cinih_assignment)(void *user, int line, const char *section, const char *name, const char *value);

// The longest line that can be read, in bytes, its newline and the blanks before it not counted.
extern const int cinih_line_limit;

// Reads a file's text. Returns 0, or the number of the first line that is neither assignment, section, comment nor empty, or is too long.
int cinih_read(const char *text, size_t size, cinih_assignment take, void *user);

#endif
