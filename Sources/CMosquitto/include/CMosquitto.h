/* A connection to an MQTT 5 broker by libmosquitto, with what paced-link uses of it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmosquitto;

/* The most bytes of a packet that the broker is allowed to send. */
#define CMOSQUITTO_PACKET_LIMIT (256 * 1024)

struct cmosquitto_options {
    const char *client;
    /* NULL for none. */
    const char *user, *password;
    /* A file of certificates of authorities (PEM), or a directory of them that openssl-rehash(1) has prepared; NULL for a
     * connection without TLS. */
    const char *authorities;
    /* Files of the client's certificate and its key (PEM); NULL for none. */
    const char *certificate, *key;
    /* The topic that the broker sets to "offline", retained, when the connection breaks. */
    const char *will;
};

/* Called by cmosquitto_read and _write, never by another thread. */
struct cmosquitto_callbacks {
    /* The reason code of CONNACK, and the server that it refers to; NULL for none. */
    void (*connected)(void *context, int reason, const char *server);
    /* The reason code of the acknowledgement of a message of QoS 1. */
    void (*published)(void *context, int message, int reason);
    void (*received)(void *context, const char *topic, const void *payload, size_t size, bool is_retained);
    /* The reason code of a DISCONNECT of the broker, or an error of libmosquitto (below 128). */
    void (*disconnected)(void *context, int reason);
};

/* Returns NULL with an error of libmosquitto, such as for a file that cannot be read. */
struct cmosquitto *cmosquitto_new(
    const struct cmosquitto_options *options, const struct cmosquitto_callbacks *callbacks, int *error);

/* Sets the context of the callbacks; with NULL none is called. */
void cmosquitto_own(struct cmosquitto *client, void *context);

/* Closes the connection without a DISCONNECT, so that the broker publishes the will. */
void cmosquitto_free(struct cmosquitto *client);

/* Connects, and blocks: for a name server, for TCP and for the first part of TLS. For another thread than the loop's, which does not
 * touch the client meanwhile. Returns an error of libmosquitto, with errno in `system_error` for MOSQ_ERR_ERRNO. */
int cmosquitto_connect(struct cmosquitto *client, const char *host, int port, int keepalive, int *system_error);

/* The last error that libmosquitto wrote to its log, such as that of OpenSSL; empty for none. */
const char *cmosquitto_last_error(const struct cmosquitto *client);

/* Whether the broker has asked for a certificate of the client. */
bool cmosquitto_wants_certificate(const struct cmosquitto *client);

/* -1 if there is no connection. */
int cmosquitto_socket(struct cmosquitto *client);
bool cmosquitto_wants_write(struct cmosquitto *client);
/* They return an error of libmosquitto, after which the connection is gone. */
int cmosquitto_read(struct cmosquitto *client, int *system_error);
int cmosquitto_write(struct cmosquitto *client, int *system_error);
/* For each second: keepalives. */
int cmosquitto_misc(struct cmosquitto *client);

struct cmosquitto_message {
    const char *topic;
    const void *payload;
    size_t size;
    int qos;
    bool is_retained;
    /* NULL for none. */
    const char *content_type;
    bool is_gzip;
};

/* Queues a message; its number is for `published`. Returns an error of libmosquitto. */
int cmosquitto_publish(struct cmosquitto *client, const struct cmosquitto_message *message, int *number);
/* With QoS 1. */
int cmosquitto_subscribe(struct cmosquitto *client, const char *topic);
/* Ends the connection. With `is_will` the broker publishes the will. */
int cmosquitto_disconnect(struct cmosquitto *client, bool is_will);

const char *cmosquitto_text(int error);
const char *cmosquitto_reason_text(int reason);
