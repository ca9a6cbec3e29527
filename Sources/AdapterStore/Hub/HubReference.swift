import SystemFiles

/// A place on the Hugging Face Hub: `hf:OWNER/REPO[@REVISION][/PATH]`.
public struct HubReference: Sendable, Equatable {
  /// `OWNER/REPO`.
  package let repository: String
  /// A branch, a tag or a commit; nil for `main`.
  package let revision: String?
  /// A file or a folder; nil for the whole repository.
  package let path: String?

  /// Whether `text` is meant as such a place.
  package static func isReference(_ text: String) -> Bool { text.hasPrefix("hf:") }

  /// Takes `text` apart, in which a slash of a revision is `%2F`, but in `refs/pr/1` and `refs/convert/parquet`.
  ///
  /// - Throws: `StoreError.hub(.badReference)`.
  public init(_ text: String) throws(StoreError) {
    guard Self.isReference(text) else { throw Self.bad(text, "it does not begin with hf:") }
    let start = text.hasPrefix("hf://") ? 5 : 3
    var words = text.dropFirst(start).split(separator: "/", omittingEmptySubsequences: false)
    if words.last?.isEmpty == true { words.removeLast() }
    guard words.count >= 2 else { throw Self.bad(text, "it has no OWNER/REPO") }
    let name = words[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    repository = "\(words[0])/\(name[0])"
    guard Self.isRepository(repository) else {
      throw Self.bad(
        text,
        "'\(repository)' is no name of a repository, which has letters, digits, '-', '_' and '.'")
    }
    var rest = words.dropFirst(2)
    var revision = name.count == 2 ? String(name[1]) : nil
    if revision == "refs", rest.count >= 2 {
      revision = (["refs"] + rest.prefix(2)).joined(separator: "/")
      rest = rest.dropFirst(2)
    }
    self.revision = try revision.map { word throws(StoreError) in
      guard let plain = word.percentDecoded, Self.isRevision(plain) else {
        throw Self.bad(text, "'\(word)' is no name of a revision")
      }
      return plain
    }
    path = rest.isEmpty ? nil : rest.joined(separator: "/")
    guard path.map(HubFile.isSafe) ?? true else {
      throw Self.bad(text, "'\(path ?? "")' is no path in a repository")
    }
  }

  init(_ repository: String, _ revision: String?, _ path: String?) {
    (self.repository, self.revision, self.path) = (repository, revision, path)
  }

  /// Another place of the same revision.
  func at(_ path: String?) -> HubReference {
    HubReference(repository, revision, path?.isEmpty == true ? nil : path)
  }

  private static func bad(_ text: String, _ reason: String) -> StoreError {
    .hub(.badReference(reason), page: text)
  }

  /// The rule of the hub for the names of owners and of repositories.
  static func isRepository(_ text: String) -> Bool {
    let names = text.split(separator: "/", omittingEmptySubsequences: false)
    return names.count == 2 && names.allSatisfy(isName)
  }

  private static func isName(_ name: Substring) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    let ends: [UInt8?] = [name.utf8.first, name.utf8.last]
    return isPlain && 1...96 ~= name.utf8.count && !name.contains("--") && !name.contains("..")
      && !ends.contains(0x2D) && !ends.contains(0x2E)
  }

  /// What git allows, near enough: the hub decides.
  private static func isRevision(_ text: String) -> Bool {
    1...255 ~= text.utf8.count && !text.contains("..") && !text.hasPrefix("/")
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !Array("~^:?*[\\".utf8).contains($0) }
      && text.isShownAsItIs
  }
}

extension HubReference: CustomStringConvertible {
  /// The text that it is written as: the same for all that mean the same place.
  public var description: String {
    let isPlain = revision?.hasPrefix("refs/") ?? true
    let word = revision.map { "@" + (isPlain ? $0 : $0.replacing("/", with: "%2F")) } ?? ""
    return "hf:\(repository)\(word)" + (path.map { "/" + $0 } ?? "")
  }
}

extension String {
  /// Whether no scalar of it is a control character or changes how the others are shown.
  var isShownAsItIs: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned: false
      default: true
      }
    }
  }

  /// As a part of a path in an address: all but letters, digits and `-._~` as `%XX`.
  var escaped: String {
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set("-._~".utf8)
    let bytes = utf8.flatMap { byte -> [UInt8] in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || plain.contains(byte)
      return isPlain ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
