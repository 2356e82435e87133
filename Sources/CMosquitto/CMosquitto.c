#include "CMosquitto.h"

#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cmosquitto {
    struct mosquitto *handle;
    struct cmosquitto_callbacks callbacks;
    void *context;
    char last_error[256];
    bool wants_certificate;
};

static void on_connect(struct mosquitto *handle, void *object, int reason, int flags, const mosquitto_property *properties)
{
    struct cmosquitto *client = object;
    char *server = NULL;

    (void)handle, (void)flags;
    mosquitto_property_read_string(properties, MQTT_PROP_SERVER_REFERENCE, &server, false);
    if (client->context)
        client->callbacks.connected(client->context, reason, server);
    free(server);
}

static void on_publish(struct mosquitto *handle, void *object, int number, int reason, const mosquitto_property *properties)
{
    struct cmosquitto *client = object;

    (void)handle, (void)properties;
    if (client->context)
        client->callbacks.published(client->context, number, reason);
}

static void on_message(
    struct mosquitto *handle, void *object, const struct mosquitto_message *message, const mosquitto_property *properties)
{
    struct cmosquitto *client = object;

    (void)handle, (void)properties;
    if (client->context && message->payloadlen >= 0)
        client->callbacks.received(client->context, message->topic, message->payload, (size_t)message->payloadlen,
            message->retain);
}

static void on_disconnect(struct mosquitto *handle, void *object, int reason, const mosquitto_property *properties)
{
    struct cmosquitto *client = object;

    (void)handle, (void)properties;
    if (client->context)
        client->callbacks.disconnected(client->context, reason);
}

static void on_log(struct mosquitto *handle, void *object, int level, const char *text)
{
    struct cmosquitto *client = object;

    (void)handle;
    if (level == MOSQ_LOG_ERR)
        snprintf(client->last_error, sizeof client->last_error, "%s", text);
}

static int set_tls(struct mosquitto *handle, const struct cmosquitto_options *options)
{
    struct stat status;
    bool is_directory = stat(options->authorities, &status) == 0 && S_ISDIR(status.st_mode);

    return mosquitto_tls_set(handle, is_directory ? NULL : options->authorities, is_directory ? options->authorities : NULL,
        options->certificate, options->key, NULL);
}

static int configure(struct cmosquitto *client, const struct cmosquitto_options *options)
{
    struct mosquitto *handle = client->handle;
    int error = mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);

    /* Without it the acknowledgement of a message takes 40 ms. */
    if (!error)
        error = mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1);
    if (!error && options->user)
        error = mosquitto_username_pw_set(handle, options->user, options->password);
    if (!error && options->authorities)
        error = set_tls(handle, options);
    if (!error)
        error = mosquitto_will_set(handle, options->will, sizeof "offline" - 1, "offline", 1, true);
    return error;
}

struct cmosquitto *cmosquitto_new(
    const struct cmosquitto_options *options, const struct cmosquitto_callbacks *callbacks, int *error)
{
    static bool is_initialized;

    if (!is_initialized)
        mosquitto_lib_init();
    is_initialized = true;
    *error = MOSQ_ERR_NOMEM;
    struct cmosquitto *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->callbacks = *callbacks;
    client->handle = mosquitto_new(options->client, true, client);
    if (!client->handle) {
        free(client);
        return NULL;
    }
    mosquitto_connect_v5_callback_set(client->handle, on_connect);
    mosquitto_publish_v5_callback_set(client->handle, on_publish);
    mosquitto_message_v5_callback_set(client->handle, on_message);
    mosquitto_disconnect_v5_callback_set(client->handle, on_disconnect);
    mosquitto_log_callback_set(client->handle, on_log);
    *error = configure(client, options);
    if (*error) {
        cmosquitto_free(client);
        return NULL;
    }
    return client;
}

void cmosquitto_own(struct cmosquitto *client, void *context)
{
    client->context = context;
}

void cmosquitto_free(struct cmosquitto *client)
{
    client->context = NULL;
    mosquitto_destroy(client->handle);
    free(client);
}

static int with_errno(int error, int *system_error)
{
    *system_error = error == MOSQ_ERR_ERRNO ? errno : 0;
    return error;
}

int cmosquitto_connect(struct cmosquitto *client, const char *host, int port, int keepalive, int *system_error)
{
    mosquitto_property *properties = NULL;
    int error = mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, CMOSQUITTO_PACKET_LIMIT);

    if (!error)
        error = mosquitto_connect_bind_v5(client->handle, host, port, keepalive, NULL, properties);
    with_errno(error, system_error);
    mosquitto_property_free_all(&properties);
    return error;
}

const char *cmosquitto_last_error(const struct cmosquitto *client)
{
    return client->last_error;
}

bool cmosquitto_wants_certificate(const struct cmosquitto *client)
{
    return client->wants_certificate;
}

int cmosquitto_socket(struct cmosquitto *client)
{
    return mosquitto_socket(client->handle);
}

bool cmosquitto_wants_write(struct cmosquitto *client)
{
    return mosquitto_want_write(client->handle);
}

/* What a call of the library has ended with. The handshake of TLS ends in a call of its own, so the request is seen before the
 * broker can close the connection for want of a certificate. */
static int ended(struct cmosquitto *client, int error, int *system_error)
{
    with_errno(error, system_error);
    SSL *tls = mosquitto_ssl_get(client->handle);
    /* A server sends its signature algorithms only with a request for a certificate. */
    if (tls && SSL_get_sigalgs(tls, -1, NULL, NULL, NULL, NULL, NULL) > 0)
        client->wants_certificate = true;
    return error;
}

int cmosquitto_read(struct cmosquitto *client, int *system_error)
{
    return ended(client, mosquitto_loop_read(client->handle, 1), system_error);
}

int cmosquitto_write(struct cmosquitto *client, int *system_error)
{
    return ended(client, mosquitto_loop_write(client->handle, 1), system_error);
}

int cmosquitto_misc(struct cmosquitto *client)
{
    return mosquitto_loop_misc(client->handle);
}

int cmosquitto_publish(struct cmosquitto *client, const struct cmosquitto_message *message, int *number)
{
    mosquitto_property *properties = NULL;
    int error = 0;

    if (message->content_type)
        error = mosquitto_property_add_string(&properties, MQTT_PROP_CONTENT_TYPE, message->content_type);
    if (!error && message->is_gzip)
        error = mosquitto_property_add_string_pair(&properties, MQTT_PROP_USER_PROPERTY, "encoding", "gzip");
    if (!error)
        error = mosquitto_publish_v5(client->handle, number, message->topic, (int)message->size, message->payload, message->qos,
            message->is_retained, properties);
    mosquitto_property_free_all(&properties);
    return error;
}

int cmosquitto_subscribe(struct cmosquitto *client, const char *topic)
{
    return mosquitto_subscribe_v5(client->handle, NULL, topic, 1, 0, NULL);
}

int cmosquitto_disconnect(struct cmosquitto *client, bool is_will)
{
    return mosquitto_disconnect_v5(client->handle, is_will ? MQTT_RC_DISCONNECT_WITH_WILL_MSG : 0, NULL);
}

const char *cmosquitto_text(int error)
{
    return mosquitto_strerror(error);
}

const char *cmosquitto_reason_text(int reason)
{
    return mosquitto_reason_string(reason);
}
