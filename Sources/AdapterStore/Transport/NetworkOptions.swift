public import Foundation

/// What downloads may do, and who they say they are.
public struct NetworkOptions: Sendable {
  /// Whether plain `http:` may go to other hosts than this machine.
  public var allowsHTTP = false
  /// Whether `file:` addresses may be read.
  public var allowsFiles = false
  /// Where proxies and certificate authorities are named, by the usual variables.
  public var environment: [String: String]
  /// Tokens, each of which goes to its own origin alone.
  public var credentials = Credentials()

  /// Options with the proxies and authorities of `environment`.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment
  }

  /// What downloads ask of the world; tests shorten all waits by `FMADAPTER_WAIT_SCALE`, from 0 to 1.
  var surroundings: DownloadSurroundings {
    let scale = environment["FMADAPTER_WAIT_SCALE"].flatMap(Double.init) ?? 1
    return DownloadSurroundings(scale: (0...1).contains(scale) ? scale : 1)
  }

  func policy(tool: String) -> TransportPolicy {
    var policy = TransportPolicy(environment: environment)
    policy.allowsHTTP = allowsHTTP
    policy.allowsFiles = allowsFiles
    policy.userAgent = tool.replacing(" ", with: "/")
    policy.use(credentials)
    return policy
  }
}
