/// How patient downloads are, and how large things may get.
package struct DownloadPolicy: Sendable, Equatable {
  /// Attempts without progress before it is given up.
  package var attempts = 6
  /// As many where nothing listens at a port of this machine: the system answers that at once.
  package var localAttempts = 3
  /// New bytes after which the attempts are counted anew.
  package var progress = 64 << 10
  /// Seconds before the second attempt; each further one waits twice as long.
  package var firstDelay = 0.25
  /// Seconds that no wait is longer than, unless the server asks for more.
  package var longestDelay = 30.0
  /// Seconds that a server may ask to wait.
  package var longestRetryAfter = 300.0
  /// Seconds without progress, waits included, after which it is given up.
  package var patience = 1200.0
  /// Streams that fetch parts of one file at once.
  package var streams = 4
  /// Bytes from which a file is worth more than one stream.
  package var parallelSize = 32 << 20
  /// Seconds after which a download that is not done gets more streams.
  package var parallelDelay = 1.0
  /// Bytes that a file may have whose size no catalog tells.
  package var largestFile = 1 << 38
  /// Bytes that a file may have whose size its server does not tell either.
  package var largestUnannounced = 1 << 34
  /// Bytes of a `metadata.json`.
  package var largestMetadata = 8 << 20
  /// Seconds for which a partial download is kept for the next attempt.
  package static let partialLifetime = 7 * 86400

  package init() {}
}
