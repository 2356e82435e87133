/* libmicrohttpd without its variadic functions, which Swift cannot call. */
#pragma once
#include <microhttpd.h>

struct cmicrohttpd_options {
    /* The certificate with its chain and the key, in PEM format; NULL for plain HTTP. */
    const char *certificate;
    const char *key;
    unsigned connection_limit;
    /* Bytes of one connection: its request line, its headers and its buffers. */
    size_t connection_memory;
    /* A connection without progress for this long is closed. */
    unsigned timeout_s;
    MHD_AccessHandlerCallback handler;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *context;
};

/* A daemon without threads and without a listening socket: its owner adds connections and calls MHD_run. NULL on failure. */
struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_options *options);

/* The epoll descriptor: MHD_run has work when it is readable. */
int cmicrohttpd_epoll(struct MHD_Daemon *daemon);

/* Whether all servers read the head of a request alike, so that a proxy in front and this server see the same requests (RFC 9112,
 * 11.2): lines end with CR LF, names are tokens, no header is folded, nothing has a zero byte, there is one Host and at most
 * one Content-Length, and no Transfer-Encoding: browsers send none. 1 or 0. version: as the handler gets it. */
int cmicrohttpd_has_one_reading(struct MHD_Connection *connection, const char *version);

/* The socket of a connection; -1 if it has none. */
int cmicrohttpd_socket(struct MHD_Connection *connection);
