import AdapterStore
import Adapters
import FoundationEssentials
import JSON
import SystemFiles

extension Receipt {
  /// The files as `--json` prints them, each with who vouched for its digest when it was fetched: none when nothing did,
  /// and nothing said when it was copied from here.
  fileprivate var filesJSON: JSONValue {
    .array(
      files.map { file in
        .known([
          "path": .string(file.path), "size": .integer(file.size), "sha256": .string(file.sha256),
          "vouchers": .texts(sources?.first { $0.path == file.path }?.vouchers),
        ])
      })
  }
}

extension InstalledAdapter {
  /// The adapter as `--json` prints it; `outcome`, and the version that it took the place of, only after an installation.
  ///
  /// Whether it is compiled is said where that was looked up.
  func json(
    _ outcome: InstallOutcome? = nil, replaced: AdapterVersion? = nil, isCompiled: Bool? = nil
  ) -> JSONValue {
    .known([
      "identifier": .string(identifier.description), "name": .string(identifier.name),
      "baseModelSignature": .string(metadata.baseModelSignature),
      "version": .string(version.description), "rank": .integer(metadata.loraRank),
      "size": .integer(size), "path": .string(path), "facts": .texts(facts.names),
      "source": .text(receipt?.source), "commit": .text(receipt?.hub?.commit),
      "catalog": .text(receipt?.catalog),
      "installed": .date(receipt?.installed), "files": receipt?.filesJSON ?? .null,
      "unverified": .texts(receipt?.unverified.map(\.path) ?? []), "signed": .bool(isSigned),
      "signers": .texts(receipt?.signerFingerprints ?? []),
      "yanked": .text(yanked),
      "replaced": .text(replaced?.description), "outcome": .text(outcome?.rawValue),
      "compiled": isCompiled.map(JSONValue.bool) ?? .null,
    ])
  }
}

extension InstalledBase {
  /// The base as `--json` prints it, `outcome` only after an installation.
  func json(_ outcome: InstallOutcome? = nil, isCompiled: Bool? = nil) -> JSONValue {
    .known([
      "name": .string(name), "signature": .string(signature),
      "architecture": .string(contract.architecture), "size": .integer(receipt.size),
      "path": .string(path), "inUse": .bool(isCurrent), "source": .string(receipt.source),
      "commit": .text(receipt.hub?.commit),
      "installed": .date(receipt.installed),
      "contentSignature": .text(receipt.base?.contentSignature),
      "signatureIsClaim": .bool(receipt.base?.isClaim ?? false), "files": receipt.filesJSON,
      "unverified": .texts(receipt.unverified.map(\.path)), "outcome": .text(outcome?.rawValue),
      "compiled": isCompiled.map(JSONValue.bool) ?? .null,
    ])
  }
}

extension InstalledAdapter {
  /// Whether a signature came with it, by its receipt.
  var isSigned: Bool {
    receipt?.files.contains { FilePath.name(of: $0.path) == PackageFile.signature } == true
  }

  /// What is known of its signature: that a demanded key made it, or that there is one; nil where there is none.
  private var signatureStatus: String? {
    if receipt?.signerFingerprints.isEmpty == false { return "signed" }
    return isSigned ? "signature unchecked" : nil
  }

  /// Bytes of the package by its receipt; 0 without one.
  var size: Int { receipt?.size ?? 0 }

  /// Whether it can run now, in a word or two; bases of the signatures `unusable` are there and cannot be used.
  func status(unusable: Set<String>) -> String {
    let doubt =
      (signatureStatus.map { ", \($0)" } ?? "")
      + (receipt?.unverified.isEmpty == false ? ", unverified" : "")
      + (yanked == nil ? "" : ", yanked")
    if facts.contains(.fitsCurrentBase) { return "ready" + doubt }
    if unusable.contains(metadata.baseModelSignature) { return "base unusable" + doubt }
    return (facts.contains(.obsolete) ? "base not installed" : "other base") + doubt
  }
}

extension InstalledBase {
  /// Whether it is in use, and what is not certain about it.
  var status: String {
    var words = isCurrent ? ["in use"] : []
    if receipt.base?.isClaim == true { words.append("signature claimed") }
    if !receipt.unverified.isEmpty { words.append("unverified") }
    return words.joined(separator: ", ")
  }
}

extension Terminal {
  /// Tells of each file of `name` that nothing vouches for, with its digest.
  func reportUnverified(_ receipt: Receipt?, of name: String) {
    for file in receipt?.unverified ?? [] {
      let place = file.path.split(separator: "/").dropFirst().last.map { "\($0) of " } ?? ""
      warn(
        "unverified: nothing vouches for \(place)\(name); its SHA-256 is \(file.sha256)")
    }
  }
}

extension Terminal {
  /// Tells what in the store cannot be used; it never stops a command.
  func report(_ problems: [StoreProblem]) {
    for problem in problems {
      warn("\(problem.path): \(problem.message)", remedy: problem.stepInCommand)
    }
  }
}

extension PartialDownload {
  /// The download as `--json` prints it; its name is what `remove` knows it by.
  var json: JSONValue {
    .known([
      "name": .string(name), "url": .string(url), "file": .string(file),
      "received": .integer(received), "total": .whole(total), "path": .string(path),
      "begun": .date(created), "updated": .date(updated), "active": .bool(isActive),
    ])
  }

  /// A line for each, with its age at `now`.
  static func table(_ partials: [PartialDownload], now: Date) -> TextTable {
    var table = TextTable(headings: ["PARTIAL", "RECEIVED", "AGE", "FROM"], rightAligned: [2])
    table.rows = partials.map { partial in
      let total = partial.total.map { " of " + Figures.size($0) } ?? ""
      let age = partial.age(at: now).map(Figures.age) ?? "unknown"
      return [
        partial.name, Figures.size(partial.received) + total, partial.isActive ? "active" : age,
        partial.url,
      ]
    }
    return table
  }
}
