public import Foundation
public import SessionPolicies

/// Why a server gave no answer, where `LanguageModelError` has no case for it.
///
/// Texts name the server's origin and what it said, at most 400 characters of it, without the key and without what would steer a terminal.
public enum ModelServerError: Error, LocalizedError, Equatable, Sendable {
  /// The address cannot be used; the reason is a sentence.
  case address(reason: String)
  /// The key, or a field of the options, has characters in it that no field of a request may have.
  case credential(name: String)
  /// The server wants another key, or allows the key something else (401, 403).
  case unauthorized(server: String, message: String)
  /// The server has no such model, or does not speak this interface at this address (404).
  case notFound(server: String, interface: ServerInterface, model: String, message: String)
  /// The server does not take the request (another status from 400 on).
  case refused(server: String, status: Int, message: String)
  /// The server failed, also when it was asked again (500 and more).
  case failed(server: String, status: Int, message: String)
  /// The server could not be reached, also when it was tried again; the reason ends a sentence.
  case unreachable(server: String, reason: String)
  /// The answer ended before it was whole; the reason ends a sentence.
  case cut(server: String, reason: String)
  /// What came is not an answer of the interface.
  case malformed(server: String, interface: ServerInterface, reason: String)
}

extension ModelServerError {
  /// What is wrong, in one sentence, for people who develop.
  public var errorDescription: String? { parts.wrong }

  /// What can be done.
  public var recoverySuggestion: String? { parts.remedy }

  private var parts: (wrong: String, remedy: String) {
    switch self {
    case .address(let reason): (reason, "Give the address of a server, such as https://host/v1.")
    case .credential(let name):
      (
        "The \(name) has characters in it that no field of a request may have.",
        "Give it without spaces and line breaks."
      )
    case .unauthorized(let server, let message):
      ("\(server) does not accept the key: \(message)", "Give a key that the server accepts.")
    case .notFound(let server, let interface, let model, let message):
      (
        "\(server) has no model '\(model)' in \(interface.name): \(message)",
        "Look at the name of the model, and at the end of the address: most are /v1."
      )
    case .refused(let server, let status, let message):
      ("\(server) refused the request with status \(status): \(message)", "Change the request.")
    case .failed(let server, let status, let message):
      ("\(server) failed with status \(status): \(message)", "Try again later.")
    case .unreachable(let server, let reason):
      ("\(server) did not answer: \(reason).", "Look whether the server runs and can be reached.")
    case .cut(let server, let reason):
      ("The answer of \(server) ended before it was whole: \(reason).", "Try again.")
    case .malformed(let server, let interface, let reason):
      (
        "What \(server) sent is no answer of \(interface.name): \(reason).",
        "Look whether the address is one of \(interface.name)."
      )
    }
  }
}

extension ModelServerError: FallbackReasoning {
  /// A server that is not there, or lets nobody in, is unavailable; what else is wrong is an error.
  public var fallbackReason: FallbackModel.Reason {
    switch self {
    case .unauthorized, .notFound, .failed, .unreachable: .unavailable
    case .address, .credential, .refused, .cut, .malformed: .error
    }
  }
}
