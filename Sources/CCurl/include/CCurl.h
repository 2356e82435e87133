/* libcurl without its variadic functions, which Swift cannot call. */
#pragma once
#include <curl/curl.h>
#include <stddef.h>
#include <stdio.h>

/* As CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION: another result than size * count ends the transfer. */
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);
/* As CURLMOPT_SOCKETFUNCTION: `what` is CURL_POLL_IN, _OUT, _INOUT, _NONE or _REMOVE. */
typedef int (*ccurl_watch)(CURL *transfer, curl_socket_t socket, int what, void *context, void *unused);
/* As CURLMOPT_TIMERFUNCTION: milliseconds until the next call of curl_multi_socket_action; -1 for none. */
typedef int (*ccurl_arm)(CURLM *multi, long milliseconds, void *context);

/* A new multi handle; NULL without memory. */
CURLM *ccurl_multi(void);

/* Sets the callbacks and their context. */
void ccurl_set_callbacks(CURLM *multi, ccurl_watch watch, ccurl_arm arm, void *context);

struct ccurl_request {
    const char *url;
    const char *user_agent;
    /* File of certificates of authorities (PEM); NULL for the system's. */
    const char *authorities;
    /* Owned by the caller; must outlive the transfer. NULL for none. */
    struct curl_slist *headers;
    /* What a POST request sends; it is copied. NULL for a GET request. */
    const void *post;
    size_t post_size;
    /* From the start to the last byte, and to the connection. */
    long timeout_ms;
    long connect_timeout_ms;
    ccurl_receive header;
    ccurl_receive body;
    void *context;
};

/* A new transfer of a request over http or https: unpacked, without cookies, and following no redirect. NULL without memory. */
CURL *ccurl_transfer(const struct ccurl_request *request);

/* Makes the request another one than GET and POST, such as PUT. */
void ccurl_set_method(CURL *transfer, const char *method);

/* Gives it a new connection. */
void ccurl_set_fresh(CURL *transfer);

/* Makes it a POST request of multipart/form-data. The caller frees the form after the transfer. */
void ccurl_set_form(CURL *transfer, curl_mime *form);

/* Makes it a PUT request with a file of `size` bytes. The caller closes the file after the transfer. */
void ccurl_set_file(CURL *transfer, FILE *file, long long size);

/* The next transfer that has ended, and its result; NULL if there is none. It is still in the multi handle. */
CURL *ccurl_ended(CURLM *multi, CURLcode *result);

/* The status of the response; 0 if there was none. */
long ccurl_status(CURL *transfer);

/* The bytes of requests that were sent; 0 if the connection, or its TLS, was never complete. */
long ccurl_sent(CURL *transfer);

/* The address that the response redirects to; NULL if it does not. It lives as long as the transfer. */
const char *ccurl_redirection(CURL *transfer);

/* Whether the server's certificate was rejected because it is not valid yet. */
int ccurl_is_not_yet_valid(CURL *transfer);
