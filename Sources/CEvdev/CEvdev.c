#define _GNU_SOURCE
#include "CEvdev.h"

#include <errno.h>
#include <libevdev-1.0/libevdev/libevdev.h>
#include <linux/input.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LONG_BITS (8 * sizeof(unsigned long))

struct cevdev {
    struct libevdev *device;
    bool has_boot_clock;
    /* Events were lost: libevdev reports the differences from the state before. */
    bool is_catching_up;
};

int cevdev_key(const char *name)
{
    /* They are bounds of the numbers, not keys. */
    if (strcmp(name, "KEY_RESERVED") == 0 || strcmp(name, "KEY_MAX") == 0 || strcmp(name, "KEY_CNT") == 0)
        return -1;
    return libevdev_event_code_from_name(EV_KEY, name);
}

int cevdev_new(int descriptor, struct cevdev **result)
{
    struct cevdev *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    int status = libevdev_new_from_fd(descriptor, &device->device);
    if (status < 0) {
        free(device);
        return status;
    }
    device->has_boot_clock = libevdev_set_clock_id(device->device, CLOCK_BOOTTIME) == 0;
    *result = device;
    return 0;
}

void cevdev_free(struct cevdev *device)
{
    libevdev_free(device->device);
    free(device);
}

const char *cevdev_name(const struct cevdev *device)
{
    return libevdev_get_name(device->device);
}

bool cevdev_has_key(const struct cevdev *device, uint16_t key)
{
    return libevdev_has_event_code(device->device, EV_KEY, key) == 1;
}

static void set_mask(int descriptor, uint32_t type, const unsigned long *bits, size_t size)
{
    struct input_mask mask = {.type = type, .codes_size = size, .codes_ptr = (uintptr_t)bits};
    ioctl(descriptor, EVIOCSMASK, &mask);
}

void cevdev_listen(struct cevdev *device, const uint16_t *keys, int count)
{
    unsigned long bits[KEY_CNT / LONG_BITS + 1] = {0};
    unsigned long none = 0;
    static const uint32_t others[] = {EV_REL, EV_ABS, EV_MSC, EV_SW, EV_LED, EV_SND};
    int descriptor = libevdev_get_fd(device->device);

    for (int i = 0; i < count; i++)
        bits[keys[i] / LONG_BITS] |= 1UL << keys[i] % LONG_BITS;
    set_mask(descriptor, EV_KEY, bits, sizeof bits);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        set_mask(descriptor, others[i], &none, sizeof none);
}

bool cevdev_has_sound(const struct cevdev *device)
{
    return libevdev_has_event_code(device->device, EV_SND, SND_TONE) == 1
        || libevdev_has_event_code(device->device, EV_SND, SND_BELL) == 1;
}

int cevdev_sound(struct cevdev *device, int hertz)
{
    bool has_tone = libevdev_has_event_code(device->device, EV_SND, SND_TONE) == 1;
    struct input_event events[2] = {
        {.type = EV_SND, .code = has_tone ? SND_TONE : SND_BELL, .value = has_tone ? hertz : hertz > 0},
        {.type = EV_SYN, .code = SYN_REPORT},
    };

    return write(libevdev_get_fd(device->device), events, sizeof events) < 0 ? -errno : 0;
}

int cevdev_next(struct cevdev *device, struct cevdev_change *change)
{
    for (;;) {
        struct input_event event;
        unsigned flag = device->is_catching_up ? LIBEVDEV_READ_FLAG_SYNC : LIBEVDEV_READ_FLAG_NORMAL;
        int status = libevdev_next_event(device->device, flag, &event);

        if (status == -EINTR)
            continue;
        if (status == -EAGAIN && device->is_catching_up) {
            device->is_catching_up = false;
            continue;
        }
        if (status == -EAGAIN)
            return 0;
        if (status < 0)
            return status;
        if (status == LIBEVDEV_READ_STATUS_SYNC)
            device->is_catching_up = true;
        if (event.type != EV_KEY || event.value == 2)
            continue;
        change->key = event.code;
        change->is_down = event.value != 0;
        change->at = 0;
        if (device->has_boot_clock)
            change->at = event.input_event_sec * INT64_C(1000000000) + event.input_event_usec * INT64_C(1000);
        return 1;
    }
}
