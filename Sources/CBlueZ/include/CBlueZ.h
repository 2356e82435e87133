/* Opens the sockets of BlueZ's kernel interfaces. Hides their address structures,
 * and the macros of <bluetooth/…> that Swift cannot import. All functions return -1
 * and set errno on failure. Addresses are strings of 17 characters as for str2ba(3). */
#pragma once
#include <stdint.h>

/* Opens a socket of the management channel (HCI_CHANNEL_CONTROL); only changing settings needs CAP_NET_ADMIN. */
int cbluez_open_management(void);

/* Starts to connect to the Attribute Protocol of a Low Energy device (L2CAP, CID 4). The socket becomes
 * writable when the attempt is over; SO_ERROR has its result. No privileges are needed. An adapter of NULL
 * is any powered one. A connection to a paired device is first encrypted with the key that the kernel has. */
int cbluez_connect_att(const char *adapter, const char *device, int is_random, int is_paired);

/* The HCI handle of an established connection, 0 to 0x0EFF. */
int cbluez_connection_handle(int attribute);

/* Opens a raw socket of the adapter with this index that receives only Disconnection Complete events. */
int cbluez_open_hci_disconnect(uint16_t index);
