// libmicrohttpd, with its function of variable arguments and its macros of casts given names that Swift can call.
#pragma once
#include <microhttpd.h>

// A thread for each connection.
static inline struct MHD_Daemon *http_start(MHD_AccessHandlerCallback handle, void *context,
                                            struct MHD_OptionItem *options) {
  return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                              MHD_USE_POLL | MHD_USE_ITC,
                          0, NULL, NULL, handle, context, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_END);
}

static inline void http_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static inline int http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static const uint64_t HTTP_SIZE_UNKNOWN = MHD_SIZE_UNKNOWN;
static const ssize_t HTTP_END_OF_STREAM = MHD_CONTENT_READER_END_OF_STREAM;
