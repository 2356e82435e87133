/* What paced needs of libevdev and of <linux/input.h>, whose macros Swift cannot import: the keys of one device, and no more of it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The number of a key or button by its name in <linux/input-event-codes.h>, -1 where there is none of that name. */
int cevdev_key(const char *name);

struct cevdev;

/* Takes a descriptor of /dev/input, which stays the caller's and must outlive what is made. Returns 0 or -errno: ENOTTY for what is no
 * such device. */
int cevdev_new(int descriptor, struct cevdev **device);

void cevdev_free(struct cevdev *device);

/* Valid as long as the device. */
const char *cevdev_name(const struct cevdev *device);

bool cevdev_has_key(const struct cevdev *device, uint16_t key);

/* Asks the kernel for the changes of one key, and for nothing else until it is asked for another. A kernel before 4.4 sends all. */
void cevdev_listen(struct cevdev *device, const uint16_t *keys, int count);

struct cevdev_change {
    uint16_t key;
    bool is_down;
    /* By CLOCK_BOOTTIME in nanoseconds; 0 where the kernel does not tell. */
    int64_t at;
};

/* The next change of a key, its repetitions left out. Returns 1 with it, 0 when there is none yet, -errno when the device is gone. */
int cevdev_next(struct cevdev *device, struct cevdev_change *change);
