/* A clock that stands still: preloaded into a program (ld.so(8), LD_PRELOAD), CLOCK_BOOTTIME has the moment at which the file
 * $CLOCK_FAULT was first seen, as long as that is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    static struct timespec still;
    const char *path = getenv("CLOCK_FAULT");
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (clock != CLOCK_BOOTTIME || !path || access(path, F_OK) != 0)
        return real(clock, time);
    if (!still.tv_sec)
        real(clock, &still);
    *time = still;
    return 0;
}
