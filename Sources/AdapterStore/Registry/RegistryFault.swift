package import SystemFiles

/// Why a registry does not give or take what it was asked to, or has nothing of the kind.
package enum RegistryFault: Error, Sendable, Equatable {
  /// The text is no `oci://HOST/REPO[:TAG][@sha256:DIGEST]`; the reason is a sentence.
  case badReference(String)
  /// The registry wants to know who asks (401), or does not allow it (403).
  ///
  /// `login` is the place of the login that it does not take; nil where there is none for it. `writes` is whether something
  /// was to be sent.
  case denied(status: Int, registry: String, login: String?, writes: Bool)
  /// There is no such repository, or nobody without a login may know of it.
  case noRepository(registry: String)
  /// The repository has nothing under the tag or the digest; `known` are tags that it has.
  case noManifest(String, known: [String])
  /// What is there is no package; the reason says what it is.
  case noPackage(ErrorText)
  /// What is there is no catalog.
  case noCatalog
  /// What the registry gives for a manifest is none; the reason names the place.
  case badManifest(String)
  /// The registry does not take what is sent, for its own reason: a status, and its code for it if it gives one.
  case refused(status: Int, code: String?, what: String)
  /// The answer makes no sense; the reason is a sentence.
  case nonsense(String)
}

extension RegistryFault: ExplainedError {
  /// What is wrong, without the place.
  package var text: ErrorText {
    switch self {
    case .badReference(let reason):
      "\(reason)\(remedy: "a place in a registry is written oci://HOST/REPOSITORY, with :TAG or @sha256:DIGEST behind it where they are needed")"
    case .denied(let status, let registry, nil, let writes):
      "the registry \(status == 401 ? "wants to know who asks" : "does not allow it") (\(status))"
        + "\(remedy: "log in with 'docker login \(registry)' or 'podman login \(registry)'" + (writes ? ", as somebody who may write there" : ""))"
    case .denied(let status, let registry, let login?, let writes):
      "the registry does not \(status == 401 ? "take" : "allow it to") the login of \(login) (\(status))"
        + "\(remedy: "log in anew with 'docker login \(registry)' or 'podman login \(registry)'" + (writes ? ", as somebody who may write there" : ""))"
    case .noRepository(let registry):
      "the registry has no such repository, or shows it to those alone who have logged in"
        + "\(remedy: "check the name; for a private one log in with 'docker login \(registry)'")"
    case .noManifest(let name, let known):
      "there is nothing under '\(name)'\(remedy: Self.advice(name, known))"
    case .noPackage(let reason): "it has no package of an adapter: \(reason)"
    case .noCatalog:
      "it has no catalog\(remedy: "check the address; a package is installed from there by itself")"
    case .badManifest(let reason):
      "this is no manifest: \(reason)\(remedy: "check the address, or tell its publisher")"
    case .refused(let status, let code, let what):
      "the registry does not take \(what) (\(status)\(code.map { " " + $0 } ?? ""))"
        + "\(remedy: status == 413 ? "ask its owner for a higher limit" : "look at the registry's log, or ask its owner")"
    case .nonsense(let reason):
      "the registry answers what makes no sense: \(reason)"
        + "\(remedy: "check that a registry is at this address")"
    }
  }

  private static func advice(_ name: String, _ known: [String]) -> String {
    if known.isEmpty { return "check the tag" }
    return TypedName(name).nearest(among: known).map { "did you mean '\($0)'?" }
      ?? "there are: \(known.firsts)"
  }
}

extension StoreError {
  /// The place is a reference.
  package static func registry(_ fault: RegistryFault, place: String) -> StoreError {
    StoreError(.registry, place, "\(place): \(fault)", cause: fault)
  }

  /// What the registry said; nil for any other error.
  package var registryFault: RegistryFault? { cause as? RegistryFault }
}
