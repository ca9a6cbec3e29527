package import SystemFiles

/// Why a Hugging Face Hub does not give what was asked for, or has nothing of the kind.
package enum HubFault: Error, Sendable, Equatable {
  /// The text is no `hf:OWNER/REPO[@REVISION][/PATH]`; the reason is a sentence.
  case badReference(String)
  /// There is no such repository, or nobody without a token may know of it.
  case noRepository
  /// The token is of nobody whom the hub knows.
  case unknownToken
  /// The owners let in those alone who asked them; whether the hub knows who asks.
  case gated(isKnown: Bool)
  /// The repository has no such branch, tag or commit.
  case noRevision(String)
  /// The repository has no such file; `known` are those that could have been meant.
  case noFile(String, known: [String])
  /// The hub has switched the repository off.
  case disabled
  /// There are several bases, or packages.
  case several(HubKind, [HubChoice])
  /// There is no base; the reason says what there is.
  case noBase(ErrorText)
  /// There is no package; the reason says what there is.
  case noPackage(ErrorText)
  /// The answer of the hub is none; the reason names the place.
  case badListing(String)
}

/// What a repository has in the place of what is looked for.
package enum HubContent: Error, Sendable {
  case adapter, base, peft
  /// A GGUF file, of which another type was asked for.
  case fixedType
}

extension HubContent: ExplainedError {
  /// What it has, and what to do.
  package var text: ErrorText {
    switch self {
    case .adapter: "it has an adapter\(remedy: "install that")"
    case .base: "it has a base\(remedy: "install that")"
    case .peft:
      "it has a PEFT adapter (adapter_config.json), which is no package"
        + "\(remedy: "download its folder, and import it as a package")"
    case .fixedType:
      "a GGUF file is of the type that it is\(remedy: "ask for no type, and quantize it to make it smaller")"
    }
  }
}

/// What is looked for in a repository.
package enum HubKind: String, Sendable {
  case base, package
}

/// A base or a package that a repository has.
package struct HubChoice: Sendable, Equatable {
  /// The file, the first of several, or the folder; empty for the whole repository.
  package let path: String
  /// Bytes of all its files, where the hub says so.
  package let size: Int?
  /// Number of files that it is split over.
  package let parts: Int
  /// What names it on a command line.
  package let reference: String

  package init(path: String, size: Int?, parts: Int, reference: String) {
    (self.path, self.size, self.parts, self.reference) = (path, size, parts, reference)
  }
}

extension HubFault: ExplainedError {
  /// What is wrong, without the repository.
  package var text: ErrorText {
    switch self {
    case .badReference(let reason):
      "\(reason)\(remedy: "a place on the hub is written hf:OWNER/REPO, with @REVISION and /FILE behind it where they are needed")"
    case .noRepository:
      "the hub has no model of this name, or shows it to its owners alone"
        + "\(remedy: "check the name; for a private one put a token of an owner into HF_TOKEN")"
    case .unknownToken:
      "the hub does not know the token"
        + "\(remedy: "look at HF_TOKEN, and at the file that 'hf auth login' writes")"
    case .gated(isKnown: false):
      "its owners give it to those who accepted their conditions"
        + "\(remedy: "accept them on that page, then put a token of your account into HF_TOKEN")"
    case .gated(isKnown: true):
      "its owners have not let in the account of your token"
        + "\(remedy: "accept their conditions on that page; some of them answer by hand, after days")"
    case .noRevision(let name):
      "there is no revision '\(name)'\(remedy: "name a branch, a tag or a commit, or leave it out for main")"
    case .noFile(let name, let known):
      "there is no file '\(name)'"
        + "\(remedy: known.isEmpty ? "nothing there can be installed" : "there are: \(known.firsts)")"
    case .disabled: "the hub has switched it off\(remedy: "that page may say why")"
    case .several(let kind, let choices):
      "it has \(Figures.count(choices.count, kind.rawValue))"
        + "\(remedy: "choose one, such as \(choices.first?.reference ?? "hf:OWNER/REPO/FILE")")"
    case .noBase(let reason): "it has no base that can be installed: \(reason)"
    case .noPackage(let reason): "it has no package of an adapter: \(reason)"
    case .badListing(let reason):
      "this is no answer of a hub: \(reason)\(remedy: "check the address of the hub in HF_ENDPOINT")"
    }
  }
}

/// What a hub is asked for, so that its answer can be understood.
struct HubRequest: Sendable, Equatable {
  /// The page of the repository.
  var page: String
  /// As it was asked for.
  var revision: String
  /// Nil for the listing.
  var path: String?
  /// What the revision was when the files were listed.
  var commit: String?

  /// What a refusal of the hub itself means; nil for that of another server, and for what anybody may answer.
  func fault(_ head: ResponseHead) -> HubFault? {
    guard let origin = WebAddress(page)?.origin, WebAddress(head.url)?.origin == origin else {
      return nil
    }
    return switch head.hubError {
    case .noRepository: .noRepository
    case .noRevision: .noRevision(revision)
    case .noEntry: .noFile(path ?? "", known: [])
    case .gated: .gated(isKnown: head.status == 403)
    case .disabled: .disabled
    case .unknownToken: .unknownToken
    case nil: head.status == 401 || (path == nil && head.status == 404) ? .noRepository : nil
    }
  }

  /// Why the file of `head` is not the one that was listed with `size`; nil when nothing speaks against it.
  func mismatch(_ head: ResponseHead, size: Int?) -> String? {
    if let commit, let sent = head.repoCommit, sent != commit {
      return "the hub gives commit \(sent.prefix(64)) where \(commit) was asked for"
    }
    if let size, let linked = head.linkedSize, linked != size {
      return
        "the hub says in X-Linked-Size that it has \(Figures.bytes(linked)), and listed it with \(Figures.grouped(size))"
    }
    return nil
  }
}

/// What a hub says of an error in `X-Error-Code` and `X-Error-Message`.
enum HubErrorCode: Sendable, Equatable {
  case noRepository, noRevision, noEntry, gated, disabled, unknownToken

  /// Nil for what is not known.
  init?(code: String?, message: String?) {
    switch (code, message) {
    case (_, "Invalid credentials in Authorization header"): self = .unknownToken
    case (_, "Access to this resource is disabled."): self = .disabled
    case ("RepoNotFound", _): self = .noRepository
    case ("RevisionNotFound", _): self = .noRevision
    case ("EntryNotFound", _): self = .noEntry
    case ("GatedRepo", _): self = .gated
    default: return nil
    }
  }
}
