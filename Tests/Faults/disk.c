/* A disk that fails on command: preloaded into a program (ld.so(8), LD_PRELOAD), it fails or delays what is done to files whose path
 * holds "journal". The first word of the file $DISK_FAULT says how, a number after it how many milliseconds:
 *
 *     ENOSPC  there is no room                 EROFS  nothing can be written or opened for writing
 *     FULL    none while the reserve is there  EIO    writes and syncs fail
 *     fine                                     slow   syncs take so long
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int fault(char *word)
{
    static int (*real_open)(const char *, int, ...);
    const char *path = getenv("DISK_FAULT");
    char text[64] = "";
    if (!real_open)
        real_open = dlsym(RTLD_NEXT, "open");
    int descriptor = path ? real_open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        ssize_t count = read(descriptor, text, sizeof text - 1);
        text[count > 0 ? count : 0] = 0;
        close(descriptor);
    }
    int milliseconds = 0;
    word[0] = 0;
    sscanf(text, "%15s %d", word, &milliseconds);
    return milliseconds;
}

/* Whether the descriptor is of the journal; "path" is then where its reserve would be. */
static int is_ours(int descriptor, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, 400);
    path[count > 0 ? count : 0] = 0;
    char *name = strstr(path, "/journal");
    if (name)
        strcpy(name, "/journal.reserve");
    return name != 0;
}

/* Whether a write fails, with errno set. */
static int write_fails(int descriptor)
{
    char word[16], reserve[512];
    if (!is_ours(descriptor, reserve))
        return 0;
    fault(word);
    int is_full = !strcmp(word, "ENOSPC") || (!strcmp(word, "FULL") && access(reserve, F_OK) == 0);
    errno = is_full ? ENOSPC : !strcmp(word, "EROFS") ? EROFS : !strcmp(word, "EIO") ? EIO : 0;
    return errno != 0;
}

static int sync_fails(int descriptor)
{
    char word[16], reserve[512];
    if (!is_ours(descriptor, reserve))
        return 0;
    int milliseconds = fault(word);
    if (!strcmp(word, "slow")) {
        struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
        nanosleep(&pause, 0);
    }
    if (strcmp(word, "EIO"))
        return 0;
    errno = EIO;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) { return write_fails(fd) ? -1 : REAL(write)(fd, bytes, count); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    return write_fails(fd) ? -1 : REAL(pwrite)(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at)
{
    return write_fails(fd) ? -1 : REAL(pwrite64)(fd, bytes, count, at);
}
int ftruncate(int fd, off_t size) { return write_fails(fd) ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return write_fails(fd) ? -1 : REAL(ftruncate64)(fd, size); }
int posix_fallocate(int fd, off_t at, off_t size)
{
    return write_fails(fd) ? errno : REAL(posix_fallocate)(fd, at, size);
}
int fsync(int fd) { return sync_fails(fd) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return sync_fails(fd) ? -1 : REAL(fdatasync)(fd); }

static int open_fails(const char *path, int flags)
{
    char word[16];
    if ((flags & O_ACCMODE) == O_RDONLY || !strstr(path, "/journal"))
        return 0;
    fault(word);
    errno = EROFS;
    return !strcmp(word, "EROFS");
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_fails(path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_fails(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}
