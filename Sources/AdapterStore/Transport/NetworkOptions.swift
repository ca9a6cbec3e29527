public import Foundation

/// What downloads may do, and who they say they are.
public struct NetworkOptions: Sendable {
  /// Whether plain `http:` may go to other hosts than this machine.
  public var allowsHTTP = false
  /// Whether `file:` addresses may be read.
  public var allowsFiles = false
  /// Where proxies and certificate authorities are named, by the usual variables.
  public var environment: [String: String]
  /// The bearer token for an origin such as `https://host:8443`; no other origin gets it.
  public var token: @Sendable (_ origin: String) -> String? = { _ in nil }

  /// Options with the proxies and authorities of `environment`.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment
  }

  func policy(tool: String) -> TransportPolicy {
    var policy = TransportPolicy(environment: environment)
    policy.allowsHTTP = allowsHTTP
    policy.allowsFiles = allowsFiles
    policy.userAgent = tool.replacing(" ", with: "/")
    policy.token = token
    return policy
  }
}
