import Adapters
import SystemFiles

// What was installed as signed by a key makes room for nothing but what that key signed, until other keys are demanded.
extension AdapterStore {
  /// The keys, in PEM, of which one has to have signed what takes the place of the entry at `target`; empty where that does not matter.
  func signers(at target: String) -> [String] { occupant(of: target)?.receipt?.signers ?? [] }

  /// Refuses the package in `item`, unless one of the keys signed it that were demanded of what is installed at `target`.
  ///
  /// - Throws: `StoreError.otherSigner`.
  func checkSigners(
    _ signers: [String], _ item: String, _ version: AdapterVersion?, over target: String
  ) throws(StoreError) {
    guard !signers.isEmpty else { return }
    // A key that cannot be read has signed nothing.
    let keys = signers.compactMap { try? PublicKey(pem: $0) }
    let report: CheckReport
    do throws(AdapterError) {
      report = try PackageSignature.check(
        package: FilePath.join(item, StoreLayout.package), by: keys, isStored: true)
    } catch {
      throw StoreError(error)
    }
    guard !report.isAccepted else { return }
    throw otherSigner(target, version, isSigned: report.errors.first?.rule != "signature.missing")
  }

  /// Refuses `offer` before anything of it is fetched, where it has no signature and what is installed was demanded to have one.
  ///
  /// - Throws: `StoreError.otherSigner`.
  package func checkSigned(_ offer: CatalogOffer) throws(StoreError) {
    let target = layout.adapter(offer.adapter.identifier)
    // The signature of what is in a registry may stand beside it.
    guard offer.reference == nil, !signers(at: target).isEmpty,
      !offer.adapter.files.contains(where: { $0.path == PackageFile.signature })
    else { return }
    throw otherSigner(target, offer.adapter.version, isSigned: false)
  }

  private func otherSigner(
    _ target: String, _ version: AdapterVersion?, isSigned: Bool
  ) -> StoreError {
    let installed = occupant(of: target)
    return .otherSigner(
      FilePath.name(of: target), installed: (installed?.version ?? .unstated).description,
      keys: (installed?.receipt?.signerFingerprints ?? []),
      offered: (version ?? .unstated).description, isSigned: isSigned)
  }

  /// Writes down that what is installed as `adapter` is held to `keys` from now on.
  func hold(_ adapter: InstalledAdapter, to keys: [PublicKey]) throws(StoreError) {
    try changeReceipt(of: layout.adapter(adapter.identifier)) { $0.signers = keys.map(\.pem) }
  }
}

extension Receipt {
  /// Fingerprints of the keys that were demanded; empty where none were, or in receipts of earlier programs.
  package var signerFingerprints: [String] {
    (signers ?? []).map { (try? PublicKey(pem: $0))?.fingerprint ?? "?" }
  }
}
