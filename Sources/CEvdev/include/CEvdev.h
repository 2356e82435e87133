/* Reads the keys of an input device, with libevdev and the macros of <linux/input.h>, which Swift cannot import. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The code of a key or button from its name in <linux/input-event-codes.h>; -1 if there is none of that name. */
int cevdev_key(const char *name);

struct cevdev;

/* Creates a reader for a descriptor of /dev/input. The caller keeps the descriptor, which
 * must outlive the reader. Returns 0 or -errno: ENOTTY if it is not an input device. */
int cevdev_new(int descriptor, struct cevdev **device);

void cevdev_free(struct cevdev *device);

/* Valid for the lifetime of the reader. */
const char *cevdev_name(const struct cevdev *device);

bool cevdev_has_key(const struct cevdev *device, uint16_t key);

/* Lets the kernel send the changes of these keys only; replaces an earlier choice. A kernel before 4.4 sends all. */
void cevdev_listen(struct cevdev *device, const uint16_t *keys, int count);

/* Whether the device can make sounds. */
bool cevdev_has_sound(const struct cevdev *device);

/* Starts a tone of this frequency, or ends it with 0. The descriptor must be open for
 * writing. A device that has a bell only rings it. Returns 0 or -errno. */
int cevdev_sound(struct cevdev *device, int hertz);

struct cevdev_change {
    uint16_t key;
    bool is_down;
    /* CLOCK_BOOTTIME in nanoseconds; 0 if the kernel does not support it. */
    int64_t at;
};

/* Reads the next change of a key; repetitions are skipped. Returns 1
 * with a change, 0 if there is none yet, -errno if the device is gone. */
int cevdev_next(struct cevdev *device, struct cevdev_change *change);
