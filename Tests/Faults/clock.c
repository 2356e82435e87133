/* Clocks as a test wants them: preloaded into a program (ld.so(8), LD_PRELOAD). Its environment says how:
 *
 *     CLOCK_FACTOR  clocks are so many times as fast, at most 10, and what waits for a time or until a time waits so much
 *                   less. CLOCK_ORIGIN is the CLOCK_BOOTTIME, in ns, at which they had the real time: processes with the
 *                   same two values share one time. CLOCK_MONOTONIC_RAW and the clocks of processor time stay real.
 *     CLOCK_STEP    CLOCK_REALTIME and CLOCK_BOOTTIME are ahead by the seconds in this file. A timer that was set before
 *                   fires late, or when the program wakes.
 *     CLOCK_SET     CLOCK_REALTIME alone is ahead by the seconds in this file, as after somebody has set it. With "unset" in
 *                   it, all is as with TIME_OF_DAY=unset.
 *     CLOCK_FAULT   CLOCK_BOOTTIME has the moment at which this file was first seen, as long as it is there.
 *     TIME_OF_DAY   With "unset" the kernel does not call the clock synchronised, and it began in 1970, as on a board
 *                   without a real-time clock. Otherwise the kernel calls it synchronised, as on a board with a network.
 *
 * Calls within the C library keep the real time: file times, and a time limit of sockets (SO_RCVTIMEO). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

enum { SECOND = 1000000000 };
typedef long long nanoseconds;

static nanoseconds length(struct timespec time) { return time.tv_sec * (nanoseconds)SECOND + time.tv_nsec; }
static struct timespec spec(nanoseconds time) { return (struct timespec){time / SECOND, time % SECOND}; }

/* In 250 years, or no time at all: a timer that is disarmed. */
static int is_never(struct timespec time) { return time.tv_sec > 8000000000 || (!time.tv_sec && !time.tv_nsec); }

static int factor(void)
{
    static int known;
    const char *text;
    if (!known) {
        int wanted = (text = getenv("CLOCK_FACTOR")) ? atoi(text) : 1;
        known = wanted < 1 ? 1 : wanted > 10 ? 10 : wanted;
    }
    return known;
}

static nanoseconds origin(void)
{
    static nanoseconds known;
    const char *text;
    if (!known && (text = getenv("CLOCK_ORIGIN")))
        known = atoll(text);
    return known;
}

/* The text of the file that a variable names; "" for none. */
static const char *text_of(const char *name, char text[32])
{
    const char *path = getenv(name);
    int file;
    memset(text, 0, 32);
    if (!path || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return text;
    if (read(file, text, 31) < 0)
        text[0] = 0;
    close(file);
    return text;
}

static nanoseconds step(clockid_t clock)
{
    char text[32];
    nanoseconds both = atoll(text_of("CLOCK_STEP", text));
    return (clock == CLOCK_REALTIME ? both + atoll(text_of("CLOCK_SET", text)) : both) * SECOND;
}

static nanoseconds real_now(clockid_t clock)
{
    struct timespec now;
    REAL(clock_gettime)(clock, &now);
    return length(now);
}

/* How far a clock is ahead of the real one. A caller reads the real one after this: then the sum is a time within the call. */
static nanoseconds lead(clockid_t clock)
{
    nanoseconds stepped = clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME ? step(clock) : 0;
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME:
        return stepped + (factor() == 1 ? 0 : (factor() - 1) * (real_now(CLOCK_BOOTTIME) - origin()));
    default:
        return 0;
    }
}

/* The real length of a time, rounded up: nothing fires early. */
static nanoseconds shortened(nanoseconds time) { return (time + factor() - 1) / factor(); }

static struct timespec shorter(struct timespec time) { return is_never(time) ? time : spec(shortened(length(time))); }
static struct timespec longer(struct timespec time) { return is_never(time) ? time : spec(length(time) * factor()); }

/* The real time at which a clock will have a time. */
static struct timespec real_time(clockid_t clock, struct timespec time)
{
    if (is_never(time))
        return time;
    nanoseconds ahead = lead(clock), now = real_now(clock), left = length(time) - now - ahead;
    return left > 0 ? spec(now + shortened(left)) : length(time) < now ? time : spec(now);
}

/* Reading clocks. */

static int is_unset(void)
{
    const char *wanted = getenv("TIME_OF_DAY");
    char text[32];
    return (wanted && strcmp(wanted, "unset") == 0) || strncmp(text_of("CLOCK_SET", text), "unset", 5) == 0;
}

int adjtimex(struct timex *status)
{
    status->status = 0;
    return is_unset() ? TIME_ERROR : TIME_OK;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static struct timespec still;
    if (clock == CLOCK_REALTIME && is_unset())
        clock = CLOCK_BOOTTIME;
    nanoseconds ahead = lead(clock);
    int result = REAL(clock_gettime)(clock, now);
    if (ahead && result == 0)
        *now = spec(length(*now) + ahead);
    const char *path = clock == CLOCK_BOOTTIME ? getenv("CLOCK_FAULT") : 0;
    if (!path || access(path, F_OK) != 0)
        return result;
    if (!still.tv_sec)
        still = *now;
    *now = still;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    *now = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
    return result;
}

time_t time(time_t *now)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}

/* Timers. */

static clockid_t clocks[1024];

int timerfd_create(clockid_t clock, int flags)
{
    int file = REAL(timerfd_create)(clock, flags);
    if (file >= 0 && file < 1024)
        clocks[file] = clock;
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    struct itimerspec own = {shorter(value->it_interval), shorter(value->it_value)};
    if (flags & TFD_TIMER_ABSTIME)
        own.it_value = (unsigned)file < 1024 ? real_time(clocks[file], value->it_value) : value->it_value;
    int result = REAL(timerfd_settime)(file, flags, &own, old);
    if (old && result == 0)
        *old = (struct itimerspec){longer(old->it_interval), longer(old->it_value)};
    return result;
}

int timerfd_gettime(int file, struct itimerspec *value)
{
    int result = REAL(timerfd_gettime)(file, value);
    if (result == 0)
        *value = (struct itimerspec){longer(value->it_interval), longer(value->it_value)};
    return result;
}

/* Waiting for a time. */

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    struct timespec own = flags & TIMER_ABSTIME ? real_time(clock, *wanted) : shorter(*wanted);
    int error = REAL(clock_nanosleep)(clock, flags, &own, left);
    if (error == EINTR && left && !(flags & TIMER_ABSTIME))
        *left = longer(*left);
    return error;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    int error = clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, left);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int usleep(useconds_t microseconds)
{
    struct timespec wanted = spec(microseconds * 1000LL);
    return nanosleep(&wanted, 0);
}

unsigned sleep(unsigned seconds)
{
    struct timespec wanted = {seconds, 0}, left;
    return nanosleep(&wanted, &left) == 0 ? 0 : left.tv_sec;
}

/* Waiting for descriptors. */

/* The time to wait of a call in ms; none if it waits for ever. */
static struct timespec *shorter_of(int milliseconds, struct timespec *own)
{
    *own = spec(shortened(milliseconds * 1000000LL));
    return milliseconds < 0 ? 0 : own;
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *wanted, const sigset_t *mask)
{
    struct timespec own = wanted ? shorter(*wanted) : spec(0);
    return REAL(ppoll)(files, count, wanted ? &own : 0, mask);
}

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    struct timespec own;
    return REAL(ppoll)(files, count, shorter_of(milliseconds, &own), 0);
}

int pselect(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict failed,
            const struct timespec *restrict wanted, const sigset_t *restrict mask)
{
    struct timespec own = wanted ? shorter(*wanted) : spec(0);
    return REAL(pselect)(count, read, write, failed, wanted ? &own : 0, mask);
}

int select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict failed, struct timeval *restrict wanted)
{
    struct timespec own = wanted ? (struct timespec){wanted->tv_sec, wanted->tv_usec * 1000} : spec(0);
    return pselect(count, read, write, failed, wanted ? &own : 0, 0);
}

int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *wanted, const sigset_t *mask)
{
    struct timespec own = wanted ? shorter(*wanted) : spec(0);
    return REAL(epoll_pwait2)(file, events, most, wanted ? &own : 0, mask);
}

int epoll_pwait(int file, struct epoll_event *events, int most, int milliseconds, const sigset_t *mask)
{
    struct timespec own;
    return REAL(epoll_pwait2)(file, events, most, shorter_of(milliseconds, &own), mask);
}

int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds)
{
    return epoll_pwait(file, events, most, milliseconds, 0);
}

/* Waiting for threads. */

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    struct timespec own = real_time(clock, *until);
    return REAL(sem_clockwait)(semaphore, clock, &own);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    struct timespec own = real_time(clock, *until);
    return REAL(pthread_cond_clockwait)(condition, mutex, clock, &own);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    /* glibc keeps the clock of pthread_condattr_setclock(3) here: __PTHREAD_COND_CLOCK_MONOTONIC_MASK. */
    clockid_t clock = condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return pthread_cond_clockwait(condition, mutex, clock, until);
}
