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

  func policy(tool: String) -> TransportPolicy {
    var policy = TransportPolicy(environment: environment)
    policy.allowsHTTP = allowsHTTP
    policy.allowsFiles = allowsFiles
    policy.userAgent = tool.replacing(" ", with: "/")
    policy.use(credentials)
    return policy
  }
}
