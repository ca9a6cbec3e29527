// libcurl, with its two functions of variable arguments given one name per type, which Swift can call.
#include <curl/curl.h>

static inline CURLcode curl_set_long(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_offset(CURL *transfer, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_pointer(CURL *transfer, CURLoption option, void *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_list(CURL *transfer, struct curl_slist *value) {
  return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, value);
}

static inline CURLcode curl_set_writer(CURL *transfer, CURLoption option,
                                       size_t (*write)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(transfer, option, write);
}

static inline CURLcode curl_get_long(CURL *transfer, CURLINFO info, long *value) {
  return curl_easy_getinfo(transfer, info, value);
}

static inline CURLcode curl_get_offset(CURL *transfer, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(transfer, info, value);
}

static inline CURLcode curl_get_text(CURL *transfer, CURLINFO info, char **value) {
  return curl_easy_getinfo(transfer, info, value);
}

static inline CURLMcode curl_multi_set_long(CURLM *transfers, CURLMoption option, long value) {
  return curl_multi_setopt(transfers, option, value);
}
