#include "CCurl.h"

#include <string.h>
#include <strings.h>

/* OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID (x509_vfy.h). */
static const long not_yet_valid = 9;

CURLM *ccurl_multi(void)
{
    CURLM *multi = curl_multi_init();
    /* Idle connections that are kept. */
    if (multi)
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 4L);
    return multi;
}

void ccurl_set_callbacks(CURLM *multi, ccurl_watch watch, ccurl_arm arm, void *context)
{
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, arm);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/* Whether the host of an address is this machine. */
static int is_of_this_machine(const char *address)
{
    CURLU *parts = curl_url();
    char *host = NULL;
    int is_own = 0;
    if (parts && curl_url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK)
        is_own = !strcasecmp(host, "localhost") || !strncmp(host, "127.", 4) || !strcmp(host, "[::1]");
    curl_free(host);
    curl_url_cleanup(parts);
    return is_own;
}

CURL *ccurl_transfer(const struct ccurl_request *request)
{
    CURL *transfer = curl_easy_init();
    if (!transfer)
        return NULL;
    curl_easy_setopt(transfer, CURLOPT_URL, request->url);
    curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
    /* A proxy would learn the position, and does not reach a server of this machine. */
    if (is_of_this_machine(request->url))
        curl_easy_setopt(transfer, CURLOPT_PROXY, "");
    curl_easy_setopt(transfer, CURLOPT_USERAGENT, request->user_agent);
    curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, request->headers);
    if (request->post) {
        curl_easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->post_size);
        curl_easy_setopt(transfer, CURLOPT_COPYPOSTFIELDS, request->post);
    }
    curl_easy_setopt(transfer, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(transfer, CURLOPT_NOSIGNAL, 1L);
    /* The end of a transfer does not wait for a name server. */
    curl_easy_setopt(transfer, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(transfer, CURLOPT_TIMEOUT_MS, request->timeout_ms);
    curl_easy_setopt(transfer, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
    if (request->authorities)
        curl_easy_setopt(transfer, CURLOPT_CAINFO, request->authorities);
    curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, request->header);
    curl_easy_setopt(transfer, CURLOPT_HEADERDATA, request->context);
    curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, request->body);
    curl_easy_setopt(transfer, CURLOPT_WRITEDATA, request->context);
    return transfer;
}

void ccurl_set_method(CURL *transfer, const char *method)
{
    curl_easy_setopt(transfer, CURLOPT_CUSTOMREQUEST, method);
}

void ccurl_set_fresh(CURL *transfer)
{
    curl_easy_setopt(transfer, CURLOPT_FRESH_CONNECT, 1L);
}

void ccurl_set_form(CURL *transfer, curl_mime *form)
{
    curl_easy_setopt(transfer, CURLOPT_MIMEPOST, form);
}

void ccurl_set_file(CURL *transfer, FILE *file, long long size)
{
    curl_easy_setopt(transfer, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(transfer, CURLOPT_READDATA, file);
    curl_easy_setopt(transfer, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
}

CURL *ccurl_ended(CURLM *multi, CURLcode *result)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

long ccurl_status(CURL *transfer)
{
    long status = 0;
    curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

long ccurl_sent(CURL *transfer)
{
    long size = 0;
    curl_easy_getinfo(transfer, CURLINFO_REQUEST_SIZE, &size);
    return size;
}

const char *ccurl_redirection(CURL *transfer)
{
    char *address = NULL;
    curl_easy_getinfo(transfer, CURLINFO_REDIRECT_URL, &address);
    return address;
}

int ccurl_is_not_yet_valid(CURL *transfer)
{
    long result = 0;
    curl_easy_getinfo(transfer, CURLINFO_SSL_VERIFYRESULT, &result);
    return result == not_yet_valid;
}
