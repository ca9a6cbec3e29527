public import FoundationEssentials

/// Why a request gets no answer; each interface has a form of its own for it.
public struct ServingError: Error, Sendable, Equatable {
  /// What kind of wrong it is, from which each interface makes its status and its name.
  public enum Kind: Sendable, CaseIterable {
    /// The request is not what the interface allows.
    case invalidRequest
    /// No key was given, or none that is known.
    case unauthorized
    /// The request comes from where none may come from.
    case forbidden
    /// There is no such route, or no such model.
    case notFound
    /// The route is there for other methods.
    case methodNotAllowed
    /// The request has not come in time.
    case timeout
    /// The body is larger than may be.
    case tooLarge
    /// The head is larger than may be.
    case headTooLarge
    /// A page of another site could have sent it: the body is not said to be JSON.
    case unsupportedMediaType
    /// More requests wait than may.
    case overloaded
    /// The server is about to end.
    case unavailable
    /// Something failed here.
    case failed
  }

  /// Characters of a message, at most: some repeat what they are about.
  private static let limit = 500

  /// What kind of wrong it is.
  public let kind: Kind
  /// One or two sentences for developers, without paths of this machine.
  public let message: String
  /// The field of the request that is wrong, as `messages[2].content`; nil where none is.
  public let field: String?
  /// A name that clients know, such as `model_not_found`; nil where there is none.
  public let code: String?

  /// An error of which all is known.
  public init(_ kind: Kind, _ message: String, field: String? = nil, code: String? = nil) {
    self.message =
      message.utf8.count <= Self.limit ? message : String(message.prefix(Self.limit)) + "…"
    (self.kind, self.field, self.code) = (kind, field, code)
  }

  /// A field that is not what it may be.
  static func invalid(_ field: String, _ message: String) -> ServingError {
    ServingError(.invalidRequest, "\(field): \(message)", field: field)
  }
}

extension ServingError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

extension ServingError.Kind {
  /// The status of HTTP, RFC 9110.
  var status: Int {
    switch self {
    case .invalidRequest: 400
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .timeout: 408
    case .tooLarge: 413
    case .headTooLarge: 431
    case .unsupportedMediaType: 415
    case .overloaded: 429
    case .failed: 500
    case .unavailable: 503
    }
  }
}
