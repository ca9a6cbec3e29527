/// What a server takes of a client, and how long it waits for it.
public struct HTTPLimits: Sendable {
  /// Connections at once, at most; each has a thread.
  public var connections = 512
  /// Bytes of a head.
  public var headBytes = 32 << 10
  /// Bytes of a body.
  public var bodyBytes = 16 << 20
  /// Seconds for a whole head, however it drips.
  public var headSeconds = 15.0
  /// Seconds for a whole body.
  public var bodySeconds = 60.0
  /// Seconds that a client may take nothing of its answer.
  public var sendSeconds = 30.0
  /// Seconds that an answer may wait for its client in all, however little that takes at a time.
  public var waitSeconds = 60.0
  /// Seconds in which nothing of a stream has come, after which something is sent that says nothing.
  public var pingSeconds = 15.0
  /// Seconds between two requests of a connection.
  public var idleSeconds = 60.0

  /// The usual limits.
  public init() {}
}
