public import Kernels

/// How a server answers.
public struct ServingOptions: Sendable {
  /// Requests that are answered at once, at most.
  public var width = 16
  /// Requests that may wait for that, at most.
  public var queueLength = 256
  /// Bytes of keys and values, for each base that is open.
  public var cacheBytes: Int
  /// Bytes of other bases than the own one that are open at once, their keys and values included.
  public var otherBaseBytes = Int.max
  /// How keys and values are kept; nil for what is usual for the base.
  public var cacheFormat: CacheFormat?
  /// Worker threads; one per processor if nil.
  public var threads: Int?
  /// Answers to one request, at most.
  public var answerLimit = 16
  /// Folders that clients may load adapters from, which also lets them set what a base has; empty for none.
  public var adapterFolders: [String] = []
  /// Is told why a base or an adapter cannot be used: clients learn only that it is so, as the reason may name paths.
  public var tellFault: @Sendable (any Error) -> Void = { _ in }

  /// The usual options.
  public init(cacheBytes: Int) { self.cacheBytes = cacheBytes }
}
