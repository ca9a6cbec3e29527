import Adapters
import SystemFiles

extension AdapterStore {
  /// Every adapter and base: receipt, bytes, permissions, and whether it can be used.
  func examineEntries(
    _ progress: @escaping @Sendable (VerifyProgress) -> Void
  ) async throws(StoreError) -> [Diagnosis] {
    let verifications: [EntryVerification]
    do throws(StoreError) {
      verifications = try await verify(progress: progress)
    } catch {
      if error == .cancelled { throw error }
      return [
        Diagnosis(
          "store.unreadable", .system, root, error.description,
          remedy: "Mend what the message names.")
      ]
    }
    var diagnoses = yankedAdapters()
    for verification in verifications {
      let closed = Self.closed(verification)
      diagnoses += closed.map { [$0] } ?? []
      diagnoses += examine(verification)
      if verification.entry.kind == .adapter, closed == nil,
        verification.isIntact || verification.isDamaged
      {
        diagnoses += examine(adapter: verification)
      }
      if verification.entry.kind == .base, verification.isIntact {
        diagnoses += examine(base: verification.entry)
      }
    }
    return diagnoses
  }

  /// The adapters whose publishers have withdrawn them, by what catalogs said last.
  private func yankedAdapters() -> [Diagnosis] {
    ((try? adapters())?.adapters ?? []).compactMap { adapter in
      adapter.yanked.map { reason in
        let why = reason.isEmpty ? "" : ": \(printable(reason))"
        return Diagnosis(
          "adapter.yanked", nil, adapter.identifier.description,
          "Its publisher has withdrawn this version\(why).",
          remedy: "Install another version, or ask its publisher.")
      }
    }
  }

  /// Why a base whose bytes are the right ones cannot be run: it came with a version that did not look.
  private func examine(base entry: StoreEntry) -> [Diagnosis] {
    let path = FilePath.join(entry.path, StoreLayout.model)
    do throws(StoreError) {
      _ = try contract(ofModel: path)
      return []
    } catch {
      guard error.code == .invalidBase, let reason = error.reason else { return [] }
      let problem = reason.problem.replacing(path + ": ", with: "")
      return [
        Diagnosis(
          "base.unusable", .compatibility, entry.name, "The base cannot be run: \(problem).",
          remedy: "Remove it, and install one that can.")
      ]
    }
  }

  /// What keeps the owner of an entry, or this user, from reading it.
  private static func closed(_ verification: EntryVerification) -> Diagnosis? {
    let entry = verification.entry
    let denied = verification.damage.first { $0.kind == .denied }.map { damage in
      damage.file == "." ? entry.path : FilePath.join(entry.path, damage.file)
    }
    let found = (try? FileSystem.firstUnreadable(in: entry.path)).flatMap(\.self)
    guard let path = found ?? denied else { return nil }
    return Diagnosis(
      "entry.permissions", .system, path, "It may not be read: permission denied.",
      remedy: "Give its owner the permissions back: chmod -R u+rX \(entry.path.shellWord).",
      fix: .permit(entry.path))
  }

  /// Bytes and permissions.
  private func examine(_ verification: EntryVerification) -> [Diagnosis] {
    let entry = verification.entry
    var diagnoses = verification.damage.compactMap { damage in
      diagnosis(damage, verification)
    }
    let package = FilePath.join(entry.path, StoreLayout.package)
    if verification.isIntact, (try? Self.isWritable(RawPath(package))) == true,
      keepsPermissions(entry.path)
    {
      diagnoses.append(
        Diagnosis(
          "entry.writable", nil, package, "The installed package can be written to.",
          remedy: "Take write permission away: chmod -R a-w.", fix: .seal(package)))
    }
    return diagnoses
  }

  private func diagnosis(
    _ damage: Damage, _ verification: EntryVerification
  ) -> Diagnosis? {
    let entry = verification.entry
    switch damage.kind {
    case .denied: return nil
    case .newer:
      return Receipt.newer(at: entry.receiptPath).map {
        Diagnosis(.system, $0.problem)
      }
    case .misplaced:
      let kind = entry.kind == .base ? "base" : "package"
      return Diagnosis(
        .integrity,
        Self.misplaced(entry.path, damage.reason ?? "another", kind))
    case .noReceipt:
      return Diagnosis(
        "receipt.missing", .integrity, entry.receiptPath,
        "The receipt is missing or cannot be read, so the files cannot be verified.",
        remedy: "Install \(entry.name) again.",
        fix: .receipt(entry))
    case .extra:
      return Diagnosis(
        "entry.extra", .integrity, FilePath.join(entry.path, damage.file),
        "The file is not in the receipt.",
        remedy: "Move it elsewhere.", fix: .repair(verification))
    case .changed, .longer, .missing, .unreadable:
      return Diagnosis(
        "entry.damaged", .integrity, FilePath.join(entry.path, damage.file), "Damaged: \(damage).",
        remedy: entry.kind == .compiled
          ? "Compile it again; a repair removes it."
          : "Mend it, or install \(entry.name) again.",
        fix: .repair(verification))
    }
  }

  private static func isWritable(_ path: RawPath) throws(FileError) -> Bool {
    guard let info = try FileSystem.info(path) else { return false }
    if info.kind != .symbolicLink, info.mode & 0o222 != 0 { return true }
    guard info.kind == .directory else { return false }
    for entry in try FileSystem.list(path) where try isWritable(path.appending(entry.name)) {
      return true
    }
    return false
  }

  /// Why an adapter cannot be used: what holds for the package that stands there in the end, if one does.
  func examine(adapter verification: EntryVerification) -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    for _ in 0..<2 {
      let before = try? Self.identity(of: verification.entry)
      diagnoses = look(atAdapter: verification)
      let after = try? Self.identity(of: verification.entry)
      if after?.entry == nil { return [] }
      if diagnoses.isEmpty || before == after { break }
    }
    return diagnoses
  }

  private func look(atAdapter verification: EntryVerification) -> [Diagnosis] {
    let entry = verification.entry
    let package = FilePath.join(entry.path, StoreLayout.package)
    let metadata = try? metadata(of: package)
    if let found = metadata?.adapterIdentifier.description, found != entry.name {
      // An entry with a receipt has been named already.
      guard !verification.damage.contains(where: { $0.kind == .misplaced }) else { return [] }
      return [Diagnosis(.integrity, Self.misplaced(entry.path, found))]
    }
    var base: InstalledBase?
    if let metadata { base = try? self.base(signed: metadata.baseModelSignature) }
    var diagnoses: [Diagnosis] = []
    // A base that cannot be used is a finding of its own.
    if let metadata, base == nil, unusableBase(metadata.baseModelSignature) == nil {
      diagnoses.append(obsolete(entry, metadata.baseModelSignature))
    }
    do throws(AdapterError) {
      let report = try AdapterCheck.run(package: package, for: base?.contract, depth: .usability)
      for finding in report.errors {
        let isDamage = finding.category == Finding.Category.integrity
        diagnoses.append(
          Diagnosis(
            finding.rule, isDamage ? .integrity : .compatibility, entry.name,
            "\(finding.place.file): \(finding.message)",
            remedy: finding.remedy))
      }
    } catch {
      diagnoses.append(
        Diagnosis(
          "adapter.unreadable", .integrity, entry.path, "The package cannot be read: \(error).",
          remedy: "Install it again, or remove it by its identifier."))
    }
    return diagnoses
  }

  private func obsolete(_ entry: StoreEntry, _ signature: String) -> Diagnosis {
    let remedy =
      signature == BaseContract.appleSignature
      ? "It needs Apple's on-device model of OS 26, which only Apple's systems have."
      : (try? lostBases())?.contains(signature) == true
        ? "Install that base again; what stood there is in \(layout.lostAndFound(for: layout.bases))."
        : "Install that base, or remove the adapter."
    return Diagnosis(
      "adapter.obsolete", .compatibility, entry.name, "Its base \(signature) is not installed.",
      remedy: remedy)
  }
}
