#include "CMicroHTTPD.h"

#include <string.h>
#include <strings.h>

/* Decodes percent-encoding in place, unless a zero byte would end the text early. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_options *options)
{
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key },
        /* The default has TLS 1.0, modes that leak by their padding, and keys without forward secrecy. */
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.2:+VERS-TLS1.3:-RSA:-AES-128-CBC:-AES-256-CBC" },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };
    if (options->certificate)
        flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, options->handler, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->connection, options->context,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, options->timeout_s,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_ARRAY, options->certificate ? tls : plain,
        MHD_OPTION_END);
}

int cmicrohttpd_epoll(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

struct reading {
    /* Where the next line begins. libmicrohttpd leaves the lines where they are, and writes zeros over both bytes of their CR LF,
     * but over one byte of a line that ends otherwise. */
    const char *line;
    int hosts, lengths, is_bad;
};

static enum MHD_Result read_header(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t value_size)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct reading *reading = context;
    (void)kind;
    reading->hosts += strcasecmp(name, "Host") == 0;
    reading->lengths += strcasecmp(name, "Content-Length") == 0;
    reading->is_bad |= name != reading->line || name_size == 0 || strspn(name, token) != name_size || !value
        || strpbrk(value, "\r\n") || value[value_size + 1] != 0 || strcasecmp(name, "Transfer-Encoding") == 0;
    if (reading->is_bad)
        return MHD_NO;
    reading->line = value + value_size + 2;
    return MHD_YES;
}

int cmicrohttpd_has_one_reading(struct MHD_Connection *connection, const char *version)
{
    struct reading reading = { .line = version + strlen(version) + 2 };
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, read_header, &reading);
    return !reading.is_bad && reading.line[0] == 0 && reading.line[1] == 0 && reading.hosts == 1 && reading.lengths <= 1;
}

int cmicrohttpd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
