/* Clocks that a test sets forward: preloaded into a program (ld.so(8), LD_PRELOAD), CLOCK_REALTIME and CLOCK_BOOTTIME
 * are ahead by the seconds in the file $CLOCK_STEP. A timer that was set before fires late, or when the program
 * wakes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static time_t step(clockid_t clock)
{
    const char *path = getenv("CLOCK_STEP");
    char text[32] = "";
    int file;
    if (!path || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME) || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return 0;
    if (read(file, text, sizeof text - 1) < 0)
        text[0] = 0;
    close(file);
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    time->tv_sec += step(clock);
    return result;
}

static clockid_t clocks[1024];

int timerfd_create(clockid_t clock, int flags)
{
    static int (*real)(clockid_t, int);
    if (!real)
        real = (int (*)(clockid_t, int))dlsym(RTLD_NEXT, "timerfd_create");
    int file = real(clock, flags);
    if (file >= 0 && file < 1024)
        clocks[file] = clock;
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);
    if (!real)
        real = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
    struct itimerspec own = *value;
    time_t ahead = file >= 0 && file < 1024 ? step(clocks[file]) : 0;
    if (flags & TFD_TIMER_ABSTIME && own.it_value.tv_sec > ahead && own.it_value.tv_sec < 1000000000000)
        own.it_value.tv_sec -= ahead;
    return real(file, flags, &own, old);
}
