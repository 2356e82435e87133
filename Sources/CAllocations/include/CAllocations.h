/* Counts heap allocations: those of the program that links this, of the Swift runtime and of all libraries. */
#pragma once
#include <stdint.h>

/* Number of allocations since the start of the program: malloc, calloc, realloc, memalign,
 * aligned_alloc, posix_memalign. The counter is not atomic: count in a single thread. */
uint64_t callocations_count(void);
