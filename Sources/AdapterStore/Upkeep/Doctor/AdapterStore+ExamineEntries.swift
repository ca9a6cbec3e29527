import Adapters
import TensorFiles

extension AdapterStore {
  /// Every adapter and base: receipt, bytes, permissions, and whether it can be used.
  nonisolated func examineEntries(
    _ progress: @escaping @Sendable (VerifyProgress) -> Void
  ) async throws(StoreError) -> [Diagnosis] {
    let verifications: [EntryVerification]
    do throws(StoreError) {
      verifications = try await verify(progress: progress)
    } catch {
      if error == .cancelled { throw error }
      return [
        Diagnosis(
          "store.unreadable", 8, root, error.description, remedy: "Mend what the message names.")
      ]
    }
    var diagnoses: [Diagnosis] = []
    for verification in verifications {
      diagnoses += examine(verification)
      if verification.entry.kind == .adapter {
        diagnoses += await examine(adapter: verification.entry)
      }
    }
    return diagnoses
  }

  /// Bytes and permissions.
  private nonisolated func examine(_ verification: EntryVerification) -> [Diagnosis] {
    let entry = verification.entry
    var diagnoses = verification.damage.map { damage -> Diagnosis in
      switch damage.kind {
      case .noReceipt:
        Diagnosis(
          "receipt.missing", 5, entry.receiptPath,
          "The receipt is missing or cannot be read, so the files cannot be verified.",
          remedy:
            "Install \(entry.name) again; 'fmadapter doctor --fix' writes the receipt anew where something "
            + "still vouches for the bytes, and moves them to lost+found where nothing does.",
          fix: .receipt(entry))
      case .extra:
        Diagnosis(
          "entry.extra", 5, FilePath.join(entry.path, damage.file),
          "The file is not in the receipt.",
          remedy: "Move it elsewhere.", fix: .repair(verification))
      default:
        Diagnosis(
          "entry.damaged", 5, FilePath.join(entry.path, damage.file), "Damaged: \(damage).",
          remedy: entry.kind == .compiled
            ? "Run 'fmadapter compile' again; 'fmadapter verify --repair' removes it."
            : "Mend it with 'fmadapter verify --repair', or install \(entry.name) again.",
          fix: .repair(verification))
      }
    }
    let package = FilePath.join(entry.path, StoreLayout.package)
    if verification.isIntact, (try? Self.isWritable(package)) == true {
      diagnoses.append(
        Diagnosis(
          "entry.writable", 0, package, "The installed package can be written to.",
          remedy: "Take write permission away: chmod -R a-w.", fix: .seal(package)))
    }
    return diagnoses
  }

  private static func isWritable(_ path: String) throws(TensorFileError) -> Bool {
    guard let info = try FileSystem.info(path) else { return false }
    if info.kind != .symbolicLink, info.mode & 0o222 != 0 { return true }
    guard info.kind == .directory else { return false }
    for entry in try FileSystem.list(path) where try isWritable(FilePath.join(path, entry.name)) {
      return true
    }
    return false
  }

  /// Why an adapter cannot be used.
  private func examine(adapter entry: StoreEntry) -> [Diagnosis] {
    let package = FilePath.join(entry.path, StoreLayout.package)
    let metadata = try? metadata(of: package)
    if let metadata, metadata.adapterIdentifier.description != entry.name {
      return [
        Diagnosis("adapter.misplaced", 5, Self.misplaced(entry.path, metadata.adapterIdentifier))
      ]
    }
    var base: InstalledBase?
    if let metadata { base = try? self.base(signed: metadata.baseModelSignature) }
    var diagnoses: [Diagnosis] = []
    if let metadata, base == nil {
      diagnoses.append(Self.obsolete(entry, metadata.baseModelSignature))
    }
    do throws(AdapterError) {
      let report = try AdapterCheck.run(package: package, for: base?.contract, depth: .usability)
      for finding in report.errors {
        let code: Int32 = finding.category == Finding.Category.integrity ? 5 : 6
        diagnoses.append(
          Diagnosis(
            finding.rule, code, entry.name, "\(finding.place.file): \(finding.message)",
            remedy: finding.remedy))
      }
    } catch {
      diagnoses.append(
        Diagnosis(
          "adapter.unreadable", 5, entry.path, "The package cannot be read: \(error)",
          remedy: "Install it again, or remove it by its identifier."))
    }
    return diagnoses
  }

  private static func obsolete(_ entry: StoreEntry, _ signature: String) -> Diagnosis {
    let remedy =
      signature == BaseContract.appleSignature
      ? "It needs Apple's on-device model of OS 26, which only Apple's systems have."
      : "Install that base, or remove the adapter with 'fmadapter prune'."
    return Diagnosis(
      "adapter.obsolete", 6, entry.name, "Its base \(signature) is not installed.", remedy: remedy)
  }
}
