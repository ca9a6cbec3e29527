public import JSON
public import SystemFiles

/// Why a file is no signature that can be checked here.
public enum SignatureDefect: FormatDefect {
  /// A part of it is no JSON.
  case notJSON(String, JSONError)
  /// A member is missing, or is something else than its name says.
  case wrongMember(String)
  /// A member or a file is there twice.
  case repeated(String)
  /// It was made with a certificate.
  case certificate
  /// It was made without a key, by an identity at Sigstore.
  case keyless
  /// It signs something else than a statement.
  case otherPayload(String)
  /// It is of another format or version.
  case otherPredicate(String)
  /// The files were digested in another way than whole.
  case otherMethod(String)
  /// The files were digested by another algorithm.
  case otherDigest(String)
  /// It has none or several signatures.
  case signatureCount(Int)
  /// It is about none or several packages.
  case subjectCount(Int)
  /// The digest of the whole is not that of the listed files.
  case wrongRoot
}

extension SignatureDefect: ExplainedError {
  /// What is wrong, and what to do.
  public var text: ErrorText {
    switch self {
    case .notJSON(let part, let error):
      "\(printable(part)) is no JSON: \(printable(error.description))" + Self.again
    case .wrongMember(let key):
      "'\(printable(key))' is missing, or is not what a signature has there" + Self.again
    case .repeated(let name):
      "'\(printable(name))' is there twice" + Self.again
    case .certificate:
      "it was made with a certificate, and only signatures by bare keys are checked here"
        + Self.byKey
    case .keyless:
      "it was made without a key, by an identity at Sigstore, and only signatures by bare keys are checked here"
        + Self.byKey
    case .otherPayload(let type):
      "it signs '\(printable(type))', and not a statement about files" + Self.byKey
    case .otherPredicate(let type) where type.contains("/v0."):
      "it is in the old format '\(printable(type))', and only version 1 of model signing is checked here"
        + Self.byKey
    case .otherPredicate(let type):
      "it is of the kind '\(printable(type))', and only version 1 of model signing is checked here"
        + Self.byKey
    case .otherMethod(let method):
      "files were digested by the method '\(printable(method))', and only whole files are checked here"
        + Self.byKey
    case .otherDigest(let name):
      "files were digested with '\(printable(name))', and only SHA-256 is checked here" + Self.byKey
    case .signatureCount(let count):
      "it has \(Figures.count(count, "signature")) where one belongs" + Self.again
    case .subjectCount(let count):
      "it is about \(Figures.count(count, "package")) where it should be one" + Self.again
    case .wrongRoot:
      "its digest of the whole is not that of the files in it" + Self.again
    }
  }

  private static let again: ErrorText =
    "\(remedy: "fetch the package again, or have it signed again")"
  private static let byKey: ErrorText =
    "\(remedy: "ask its author to sign it with a key on P-256, P-384 or P-521")"
}
