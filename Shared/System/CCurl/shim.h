// libcurl. Its setters are variadic, which Swift can't call, so each kind of value has one here.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

typedef size_t (*vigil_curl_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*vigil_curl_progress)(
    void *context, curl_off_t expected, curl_off_t received, curl_off_t toSend, curl_off_t sent);

static inline CURLcode vigil_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the text, except that of CURLOPT_POSTFIELDS.
static inline CURLcode vigil_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode vigil_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_callback(CURL *handle, CURLoption option, vigil_curl_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_progress(CURL *handle, vigil_curl_progress value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode vigil_curl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

// Of a connection that is there.
static inline CURLcode vigil_curl_get_socket(CURL *handle, curl_socket_t *value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode vigil_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

#endif
