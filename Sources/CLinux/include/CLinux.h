/* Functions that Swift's Glibc module, built without _GNU_SOURCE, lacks. On failure they return -1 and set errno. */
#pragma once
#include <stdint.h>

/* accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC. */
int clinux_accept4(int descriptor);

struct clinux_peer {
    uint32_t uid;
    uint32_t gid;
    int32_t pid;
};

/* SO_PEERCRED of a connected Unix socket: the credentials of its peer. */
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/* Bytes that the peer of a TCP connection has acknowledged (tcpi_bytes_acked of TCP_INFO, tcp(7)); 0 if it is unknown. */
uint64_t clinux_acknowledged_bytes(int descriptor);

/* setpriority(2) of the calling thread (on Linux it does not affect the whole process): 0 to 19. */
void clinux_set_thread_nice(int niceness);

/* Whether adjtimex(2) reports CLOCK_REALTIME as synchronised (not TIME_ERROR): 1 or 0; -1 if it is not permitted. */
int clinux_clock_is_synchronised(void);

/* eventfd(2) with EFD_NONBLOCK | EFD_CLOEXEC. */
int clinux_eventfd(void);

/* signalfd(2) of one signal, with SFD_NONBLOCK | SFD_CLOEXEC. */
int clinux_signalfd(int signal);

/* Performs the default action of a signal that the calling thread blocks, if it is pending. */
void clinux_deliver_pending(int signal);

/* Whether a signal that the calling thread blocks is pending: 1 or 0. */
int clinux_is_pending(int signal);

/* fork(2) and execv(3) of words[0], in a new process group, without blocked signals, with /dev/null as standard input. The
 * program receives SIGTERM when the calling thread ends. output, errors: its standard output and error; -1 for /dev/null.
 * Returns its process id. If it cannot be executed, it ends with status 127. */
int clinux_start(char *const words[], int output, int errors);

/* pidfd_open(2): a descriptor that is readable when the process has ended. It is closed at execve(2). */
int clinux_process_descriptor(int process);

/* pthread_setname_np(3) of the calling thread; at most 15 characters. */
void clinux_name_thread(const char *name);

/* renameat2(2) with RENAME_NOREPLACE: EEXIST if the target exists. On a
 * file system without support the target is checked before a rename(2). */
int clinux_rename_noreplace(const char *source, const char *target);

/* open(2) with O_PATH | O_DIRECTORY | O_CLOEXEC, for openat(2) etc.; the directory need not be readable. */
int clinux_open_directory(const char *path);

/* openat(2) with O_TMPFILE | O_RDWR | O_CLOEXEC: a file without a name in a directory. */
int clinux_open_unnamed(int directory, unsigned mode);

/* Whether a file has an access control list (acl(5)). 1 or 0. */
int clinux_has_access_list(const char *path);

/* mallopt(3) with M_MMAP_THRESHOLD: freed blocks of 128 KiB and more always return to the system. By default glibc raises
 * the threshold to the size of the largest block that was freed, up to 32 MiB, and keeps such blocks. */
void clinux_keep_mmap_threshold(void);

/* malloc_trim(3): free memory of the heap returns to the system. */
void clinux_return_free_memory(void);

struct clinux_volume {
    uint64_t free; /* bytes that everyone may use */
    uint64_t type; /* a number of linux/magic.h */
};

/* statfs(2): the file system of a path. */
int clinux_get_volume(const char *path, struct clinux_volume *volume);
