#include <libevdev/libevdev.h>

/* The request of ioctl(2) that tells a device which of its events are wanted, as Swift cannot import the macro; it takes
 * struct input_mask. */
enum { cevdev_set_mask = EVIOCSMASK };
