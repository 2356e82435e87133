/* A disk whose power can be cut: preloaded into programs (ld.so(8), LD_PRELOAD), it keeps in the directory $POWER_DISK
 * what they have synced. harness/power.py makes of it what a power cut leaves.
 *
 * The content of each file is in a file NUMBER-BIRTH, named by its inode, as it was when its last sync began: what is
 * written during a sync may be lost. A directory's content is a line "NUMBER-BIRTH NAME" for each file in it: new
 * names, renames and removals are lost that come after its last sync. A new copy replaces the old one by a rename, so
 * a kill leaves one of them.
 *
 * A program that starts after a cut is one of another boot: the kernel's id of the boot is in the file $BOOT_ID. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A copy that fails would make the test judge an older one. */
static void fail(const char *what)
{
    perror(what);
    abort();
}

/* The name of a file's copy. A number is given again when its file has gone; the time of birth tells both apart. */
static void name_copy(int directory, const char *name, char text[64])
{
    struct statx status;
    if (statx(directory, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status) != 0)
        memset(&status, 0, sizeof status);
    snprintf(text, 64, "%llu-%lld.%09u", (unsigned long long)status.stx_ino, (long long)status.stx_btime.tv_sec,
             status.stx_btime.tv_nsec);
}

static void list(const char *path, FILE *copy)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    if (!directory)
        fail("POWER_DISK: directory");
    while ((entry = readdir(directory))) {
        struct stat status;
        char text[64];
        if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
            continue;
        name_copy(dirfd(directory), entry->d_name, text);
        fprintf(copy, "%s %s\n", text, entry->d_name);
    }
    closedir(directory);
}

/* Reads by the program's own descriptor if it can: closing another one would release the program's locks (fcntl(2)). */
static void copy_bytes(int file, const char *path, FILE *copy)
{
    char bytes[65536];
    int is_writable_only = (fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY;
    int source = is_writable_only ? open(path, O_RDONLY | O_CLOEXEC) : file;
    ssize_t count;
    for (off_t at = 0; (count = pread(source, bytes, sizeof bytes, at)) > 0; at += count)
        fwrite(bytes, 1, count, copy);
    if (count < 0)
        fail("POWER_DISK: file");
    if (is_writable_only)
        close(source);
}

static int keep_and_sync(int file, int (*sync)(int))
{
    const char *disk = getenv("POWER_DISK");
    struct stat status;
    if (!disk || fstat(file, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return sync(file);
    char draft[PATH_MAX], kept[PATH_MAX], name[64], path[64];
    name_copy(file, "", name);
    snprintf(draft, sizeof draft, "%s/draft-XXXXXX", disk);
    snprintf(kept, sizeof kept, "%s/%s", disk, name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int descriptor = mkostemp(draft, O_CLOEXEC);
    FILE *copy = descriptor < 0 ? 0 : fdopen(descriptor, "w");
    if (!copy)
        fail("POWER_DISK: copy");
    if (S_ISDIR(status.st_mode))
        list(path, copy);
    else
        copy_bytes(file, path, copy);
    if (fclose(copy) != 0)
        fail("POWER_DISK: copy");
    int result = sync(file), reason = errno;
    if (result == 0 ? rename(draft, kept) : unlink(draft))
        fail("POWER_DISK: copy");
    errno = reason;
    return result;
}

int fsync(int file) { return keep_and_sync(file, REAL(fsync)); }
int fdatasync(int file) { return keep_and_sync(file, REAL(fdatasync)); }

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    const char *boot = strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? getenv("BOOT_ID") : 0;
    return REAL(open)(boot ? boot : path, flags, mode);
}
