#include "CBlueZ.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

/* Fixed channel of the Attribute Protocol. Both ends need it, or the kernel creates another kind of channel. */
#define ATTRIBUTE_CID 4

static int fail(int descriptor)
{
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static int open_hci(uint16_t index, uint16_t channel)
{
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
    if (descriptor < 0)
        return -1;
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = index, .hci_channel = channel};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0)
        return fail(descriptor);
    return descriptor;
}

int cbluez_open_management(void)
{
    return open_hci(HCI_DEV_NONE, HCI_CHANNEL_CONTROL);
}

int cbluez_open_hci_disconnect(uint16_t index)
{
    int descriptor = open_hci(index, HCI_CHANNEL_RAW);
    if (descriptor < 0)
        return -1;
    struct hci_filter filter;
    hci_filter_clear(&filter);
    hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
    hci_filter_set_event(EVT_DISCONN_COMPLETE, &filter);
    if (setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, sizeof filter) < 0)
        return fail(descriptor);
    return descriptor;
}

int cbluez_connect_att(const char *adapter, const char *device, int is_random, int is_paired)
{
    struct sockaddr_l2 from = {
        .l2_family = AF_BLUETOOTH, .l2_cid = htobs(ATTRIBUTE_CID), .l2_bdaddr_type = BDADDR_LE_PUBLIC};
    struct sockaddr_l2 to = {
        .l2_family = AF_BLUETOOTH,
        .l2_cid = htobs(ATTRIBUTE_CID),
        .l2_bdaddr_type = is_random ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC};
    if ((adapter && str2ba(adapter, &from.l2_bdaddr) < 0) || str2ba(device, &to.l2_bdaddr) < 0) {
        errno = EINVAL;
        return -1;
    }
    int descriptor = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_L2CAP);
    if (descriptor < 0)
        return -1;
    /* Many straps have no keys: an unencrypted link is sufficient. */
    struct bt_security security = {.level = is_paired ? BT_SECURITY_MEDIUM : BT_SECURITY_LOW};
    if (bind(descriptor, (struct sockaddr *)&from, sizeof from) < 0 ||
        setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, sizeof security) < 0 ||
        (connect(descriptor, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS))
        return fail(descriptor);
    return descriptor;
}

int cbluez_connection_handle(int attribute)
{
    struct l2cap_conninfo information;
    socklen_t size = sizeof information;
    if (getsockopt(attribute, SOL_L2CAP, L2CAP_CONNINFO, &information, &size) < 0)
        return -1;
    return information.hci_handle;
}
