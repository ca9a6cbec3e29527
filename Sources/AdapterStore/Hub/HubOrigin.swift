import SystemFiles

/// Where on a hub an entry came from.
package struct HubOrigin: Sendable, Equatable, Codable {
  /// `OWNER/REPO`.
  package let repository: String
  /// As it was asked for: a branch, a tag or a commit.
  package let revision: String
  /// What the revision was then: 40 hexadecimal digits.
  package let commit: String
  /// The file, the first of several, or the folder; empty for the whole repository.
  package let path: String
  /// How a folder was converted; nil for what was not.
  package let conversion: String?
  /// SHA-256 over the names and digests of all files; nil where one had none.
  package let contents: String?

  /// Whether it is the same files, whatever else was changed in the repository since, converted alike.
  func hasSameBytes(as other: HubOrigin) -> Bool {
    contents != nil && contents == other.contents && path == other.path
      && repository == other.repository && conversion == other.conversion
  }
}

extension HubListing {
  func origin(_ path: String, _ files: [HubFile], conversion: String? = nil) -> HubOrigin {
    let lines = files.compactMap { file in file.claim.map { "\($0.digest) \(file.path)\n" } }
    return HubOrigin(
      repository: reference.repository, revision: reference.revision ?? "main", commit: commit,
      path: path, conversion: conversion,
      contents: lines.count == files.count ? SHA256.hex(Array(lines.joined().utf8)) : nil)
  }

  /// What to fetch of `files`, under their own names.
  func remote(_ files: [HubFile], _ policy: InstallPolicy) -> [RemoteFile] {
    files.map { file in
      var remote = remote(file, as: file.name)
      remote.needsDigest = policy.requiresDigest
      return remote
    }
  }

  func origin(_ source: BaseSource, _ conversion: FolderConversion) -> HubOrigin {
    switch source {
    case .model(let model): origin(model.choice.path, model.files)
    case .folder(let path, let about, let weights):
      origin(path, about + weights, conversion: conversion.name)
    }
  }
}
