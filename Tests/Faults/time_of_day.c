/* The time of day as a test wants it: preloaded into a program (ld.so(8), LD_PRELOAD). The kernel calls the clock synchronised, as on
 * a board with a network; with TIME_OF_DAY=unset it does not, and the clock began in 1970, as on a board without a real-time clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

static int is_unset(void)
{
    const char *text = getenv("TIME_OF_DAY");
    return text && strcmp(text, "unset") == 0;
}

int adjtimex(struct timex *status)
{
    status->status = 0;
    return is_unset() ? TIME_ERROR : TIME_OK;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock == CLOCK_REALTIME && is_unset() ? CLOCK_BOOTTIME : clock, time);
}
