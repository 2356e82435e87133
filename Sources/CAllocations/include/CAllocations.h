/* The heap, counted. A program that links this counts every allocation of its own, of the Swift runtime and of its libraries. */
#pragma once
#include <stdint.h>

/* How often memory was asked for since the program began: malloc, calloc, realloc, memalign, aligned_alloc, posix_memalign.
   Counted for one thread. */
uint64_t callocations_count(void);
