/* What paced needs of BlueZ's kernel interfaces: sockets, opened. Hides their address structures, and the macros of <bluetooth/…> that
 * Swift cannot import. All return -1 and set errno on failure. Addresses are the 17 characters that str2ba(3) takes. */
#pragma once
#include <stdint.h>

/* A socket of the management channel (HCI_CHANNEL_CONTROL), which everybody may open; with CAP_NET_ADMIN it may change things. */
int cbluez_open_management(void);

/* A socket to the Attribute Protocol of a Low Energy device (L2CAP, CID 4), whose connection is begun and not made yet: it becomes
 * writable, and SO_ERROR says how it went. It needs no privileges. No adapter (NULL) is any that is powered. That to a device that has
 * paired is encrypted first, with the key that the kernel has. */
int cbluez_connect_att(const char *adapter, const char *device, int is_random, int is_paired);

/* The kernel's handle of a connection that stands, 0 to 0x0EFF. */
int cbluez_connection_handle(int attribute);

/* A raw socket of the adapter with a number, on which only Disconnection Complete is heard. */
int cbluez_open_hci_disconnect(uint16_t index);
