/* What Swift's Glibc module hides: it is built without _GNU_SOURCE. All return -1 and set errno on failure. */
#pragma once
#include <stdint.h>

/* accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC. */
int clinux_accept4(int descriptor);

struct clinux_peer {
    uint32_t uid;
    uint32_t gid;
    int32_t pid;
};

/* SO_PEERCRED of a connected Unix socket: who opened it. */
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/* setpriority(2) of the calling thread, which Linux does not take for the process: 0 to 19. */
void clinux_set_thread_nice(int niceness);

/* Whether the kernel calls CLOCK_REALTIME synchronised: adjtimex(2) is not in TIME_ERROR. 1 or 0; -1 where it may not be asked. */
int clinux_clock_is_synchronised(void);

/* eventfd(2) with EFD_NONBLOCK | EFD_CLOEXEC. */
int clinux_eventfd(void);

/* pthread_setname_np(3) of the calling thread; at most 15 characters. */
void clinux_name_thread(const char *name);

/* renameat2(2) with RENAME_NOREPLACE: EEXIST where something is there. Where a file system does not know that, it is
 * looked for before. */
int clinux_rename_noreplace(const char *source, const char *target);

/* open(2) with O_PATH | O_DIRECTORY | O_CLOEXEC: for openat(2) and its relatives, where the directory cannot be read too. */
int clinux_open_directory(const char *path);

/* Whether a file has an access control list beside its mode: acl(5). 1 or 0. */
int clinux_has_access_list(const char *path);
