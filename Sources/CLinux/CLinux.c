#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_accept4(int descriptor)
{
    return accept4(descriptor, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

uint64_t clinux_acknowledged_bytes(int descriptor)
{
    struct tcp_info info = { 0 };
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ? 0 : info.tcpi_bytes_acked;
}

int clinux_peer_credentials(int descriptor, struct clinux_peer *peer)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
        return -1;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    peer->pid = credentials.pid;
    return 0;
}

void clinux_set_thread_nice(int niceness)
{
    setpriority(PRIO_PROCESS, 0, niceness);
}

int clinux_clock_is_synchronised(void)
{
    struct timex status = {.modes = 0};
    int state = adjtimex(&status);
    return state < 0 ? -1 : state != TIME_ERROR;
}

int clinux_eventfd(void)
{
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int clinux_signalfd(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

void clinux_deliver_pending(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    pthread_sigmask(SIG_BLOCK, &set, 0);
}

void clinux_name_thread(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}

int clinux_rename_noreplace(const char *source, const char *target)
{
    if (renameat2(AT_FDCWD, source, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (faccessat(AT_FDCWD, target, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(source, target);
}

int clinux_open_directory(const char *path)
{
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int clinux_open_unnamed(int directory, unsigned mode)
{
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int clinux_has_access_list(const char *path)
{
    return getxattr(path, "system.posix_acl_access", 0, 0) > 0;
}

int clinux_is_pending(int signal)
{
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, signal) == 1;
}

int clinux_start(char *const words[], int output, int errors)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0)
        return child;
    /* Only functions that are safe after fork(2). */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    setpgid(0, 0);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(output < 0 ? null : output, 1);
    dup2(errors < 0 ? null : errors, 2);
    if (null > 2)
        close(null);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(words[0], words);
    _exit(127);
}

int clinux_process_descriptor(int process)
{
    return (int)syscall(SYS_pidfd_open, process, 0);
}

void clinux_keep_mmap_threshold(void) {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
}

void clinux_return_free_memory(void)
{
    malloc_trim(0);
}

int clinux_get_volume(const char *path, struct clinux_volume *volume)
{
    struct statfs status;
    if (statfs(path, &status) < 0)
        return -1;
    volume->free = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
    volume->type = (uint64_t)status.f_type & 0xFFFFFFFF;
    return 0;
}
