public import SystemFiles

extension PackageSignature {
  /// The bundle in the package at `path`; nil where it has none.
  ///
  /// - Throws: `AdapterError.file`, with a ``SignatureDefect`` where the bundle cannot be used.
  public init?(package path: String) throws(AdapterError) {
    let file = FilePath.join(path, PackageFile.signature)
    let bytes = try filing { () throws(FileError) in
      try FileSystem.info(file) == nil ? nil : try FileSystem.read(file, limit: Self.sizeLimit)
    }
    guard let bytes else { return nil }
    do throws(SignatureDefect) {
      try self.init(parsing: bytes)
    } catch {
      throw .file(.malformed(.init(error), path: file, offset: 0))
    }
  }

  /// Holds the package at `path` against its signature, which one of `keys` has to have made.
  ///
  /// Every file is digested, and none is left out but what the signer named and no package has; links are errors, and a
  /// folder that has another name now is a warning. Accepted is what nobody but the owner of a key can have made.
  /// `isStored` says that the folder's name is a store's own choice.
  ///
  /// - Throws: `AdapterError.notFound` or `.file` when there is nothing to look at.
  public static func check(
    package path: String, by keys: [PublicKey], isStored: Bool = false
  ) throws(AdapterError) -> CheckReport {
    guard let folder = try PackageFolder(listing: path) else {
      return CheckReport(package: path, findings: [PackageNameRule.notAFolder(path)])
    }
    guard folder.entry(PackageFile.signature) != nil else {
      return CheckReport(package: path, findings: [PackageSignatureRule.unsigned])
    }
    guard folder.hasFile(PackageFile.signature) else {
      return CheckReport(
        package: path, findings: [PackageSignatureRule.link(PackageFile.signature)])
    }
    let bytes = try filing { () throws(FileError) in
      try FileSystem.read(folder.path(of: PackageFile.signature), limit: sizeLimit)
    }
    let signature: PackageSignature
    do throws(SignatureDefect) {
      signature = try PackageSignature(parsing: bytes)
    } catch {
      return CheckReport(package: path, findings: [PackageSignatureRule.unusable(error, .error)])
    }
    let files = try filing { () throws(FileError) in
      try PackageSignatureRule.differences(signature, in: folder)
    }
    return CheckReport(
      package: path,
      findings: PackageSignatureRule.origin(signature, keys) + files
        + (isStored ? [] : PackageSignatureRule.renaming(signature, folder.name)))
  }
}

/// What a signature says is what is there.
enum PackageSignatureRule {
  /// Of a check without a key: what differs from the bundle, and that only a key tells whether the bundle is right.
  ///
  /// What cannot be checked here may be a good signature of another kind, so that it is a warning.
  static func findings(in folder: PackageFolder) throws(FileError) -> [Finding] {
    guard folder.hasFile(PackageFile.signature) else { return [] }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.read(
        folder.path(of: PackageFile.signature), limit: PackageSignature.sizeLimit)
    } catch {
      guard error.isOfTheFile else { throw error }
      return [
        Finding(
          "signature.format", at: .init(PackageFile.signature), "\(error.text.problem).",
          remedy: error.remedySentence ?? "Make the file readable for this user.")
      ]
    }
    let signature: PackageSignature
    do throws(SignatureDefect) {
      signature = try PackageSignature(parsing: bytes)
    } catch {
      return [unusable(error, error.isOfOtherKind ? .warning : .error)]
    }
    let differences = try differences(signature, in: folder)
    let left = differences.filter { isLeftOut($0) }
    return differences.filter { !isLeftOut($0) } + left.map(\.asWarning)
      + [
        Finding(
          "signature.unchecked", .note, nil, at: .init(PackageFile.signature),
          "The package is signed, by its own word with the key "
            + "\(printable(signature.fingerprint ?? "that it does not name")).",
          remedy: "Verify it with that key, if you have it from its owner.")
      ]
  }

  /// Whether a difference is about a file that installation leaves out, or that the format does not know.
  private static func isLeftOut(_ finding: Finding) -> Bool {
    ["signature.absent", "signature.extra"].contains(finding.rule)
      && !PackageFile.known.contains(finding.place.file)
  }

  static let unsigned = Finding(
    "signature.missing", .error, .integrity, at: .init(PackageFile.signature),
    "The package is not signed.", remedy: "Ask its author to sign it, or sign it yourself.")

  static func unusable(_ defect: SignatureDefect, _ severity: Finding.Severity) -> Finding {
    let remedy = defect.remedy.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } ?? ""
    let problem = defect.text.problem
    return Finding(
      "signature.format", severity, .integrity, at: .init(PackageFile.signature),
      "The signature cannot be used: \(problem).", remedy: remedy)
  }

  /// That none of `keys` made the signature.
  static func origin(_ signature: PackageSignature, _ keys: [PublicKey]) -> [Finding] {
    let place = Finding.Place(PackageFile.signature)
    if let key = keys.first(where: signature.isMade) {
      return [
        Finding(
          "signature.good", .note, nil, at: place,
          "The key \(key.fingerprint) signed it as \(printable(signature.name)).",
          remedy: "Nothing is to be done.")
      ]
    }
    if let named = signature.fingerprint, keys.contains(where: { $0.fingerprint == named }) {
      return [
        Finding(
          "signature.forged", .error, .integrity, at: place,
          "The signature names the key \(named), which did not make it.",
          remedy:
            "Do not use the package: it was changed after it was signed, or its signature is forged."
        )
      ]
    }
    return [
      Finding(
        "signature.key", .error, .integrity, at: place,
        "The signature is by the key \(printable(signature.fingerprint ?? "of an unknown name")), and none of the keys made it: "
          + "\(keys.map(\.fingerprint).joined(separator: ", ")).",
        remedy: "Ask its author for the right key, in another way than with the package.")
    ]
  }

  /// That the folder was called otherwise; its identifier in the metadata is signed, so that it is no other adapter.
  static func renaming(_ signature: PackageSignature, _ name: String) -> [Finding] {
    guard FileName(signature.name) != FileName(name) else { return [] }
    return [
      Finding(
        "signature.renamed", .warning, nil, at: .init(printable(name)),
        "The folder was called \(printable(signature.name)) when it was signed.",
        remedy: "Rename it back, or have it signed again under its new name.")
    ]
  }

  /// Every file that is not what the signature says, is not in it, or is not there.
  static func differences(
    _ signature: PackageSignature, in folder: PackageFolder
  ) throws(FileError) -> [Finding] {
    var (found, links) = try files(in: folder, signature)
    var findings = links.map { link($0) }
    for resource in signature.resources {
      guard let path = found.removeValue(forKey: FileName(resource.name)) else {
        findings.append(absent(resource.name))
        continue
      }
      if try SHA256.hex(ofFile: path) != resource.digest { findings.append(changed(resource.name)) }
    }
    findings += found.keys.map { extra("\($0)") }.sorted { $0.place.file < $1.place.file }
    return findings
  }

  /// The files below the folder by their paths in it, without what the signer left out, and links and the like.
  private static func files(
    in folder: PackageFolder, _ signature: PackageSignature
  ) throws(FileError) -> (files: [FileName: String], links: [String]) {
    var files: [FileName: String] = [:]
    var links: [String] = []
    func walk(_ prefix: String, _ depth: Int) throws(FileError) {
      for entry in try FileSystem.list(FilePath.join(folder.path, prefix)) {
        let name = prefix.isEmpty ? "\(entry.name)" : "\(prefix)/\(entry.name)"
        guard !isLeftOut(name, by: signature) else { continue }
        switch entry.kind {
        case .file: files[FileName(name)] = FilePath.join(folder.path, name)
        case .directory where depth < 16: try walk(name, depth + 1)
        default: links.append(name)
        }
      }
    }
    try walk("", 0)
    return (files, links)
  }

  /// What a package is made of is never left out, whatever the signer said.
  private static func isLeftOut(_ name: String, by signature: PackageSignature) -> Bool {
    if name == PackageFile.signature { return true }
    return !PackageFile.known.contains(name)
      && signature.ignored.contains { FileName($0) == FileName(name) }
  }

  static func link(_ name: String) -> Finding {
    Finding(
      "signature.link", .error, .integrity, at: .init(printable(name)),
      "The entry is no regular file, and could lead anywhere.",
      remedy: "Fetch the package again; a signature is about files alone.")
  }

  private static func absent(_ name: String) -> Finding {
    Finding(
      "signature.absent", .error, .integrity, at: .init(printable(name)),
      "The file was signed, and is not there.",
      remedy: "Fetch the package again, or have it signed without the file.")
  }

  private static func changed(_ name: String) -> Finding {
    Finding(
      "signature.changed", .error, .integrity, at: .init(printable(name)),
      "The file is not the one that was signed.",
      remedy: "Fetch the package again, or have it signed again if the change was meant.")
  }

  private static func extra(_ name: String) -> Finding {
    Finding(
      "signature.extra", .error, .integrity, at: .init(printable(name)),
      "The file is not among those that were signed.",
      remedy: "Remove it, or have the package signed again with it.")
  }
}

extension SignatureDefect {
  /// Whether it may be a good signature of a kind that is not checked here.
  fileprivate var isOfOtherKind: Bool {
    switch self {
    case .certificate, .keyless, .otherPayload, .otherPredicate, .otherMethod, .otherDigest: true
    case .notJSON, .wrongMember, .repeated, .signatureCount, .subjectCount, .wrongRoot: false
    }
  }
}

extension Finding {
  fileprivate var asWarning: Finding {
    Finding(rule, .warning, category, at: place, message, remedy: remedy)
  }
}
