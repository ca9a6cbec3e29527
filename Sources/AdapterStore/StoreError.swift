package import Adapters
public import SystemFiles

/// Why the store could not do what it was asked.
public struct StoreError: ExplainedError, Sendable {
  /// Which way to be wrong it is.
  public let code: Code
  /// The path, the address or the name that it is about; empty where there is none.
  public let subject: String
  /// What is wrong, where, and what to do; credentials in addresses are masked.
  public let text: ErrorText
  /// The names or versions that there are instead.
  public let choices: [String]
  /// The error that this one comes of.
  public let cause: (any Error)?
  /// Why a file, or what a server gave, is refused, without its place.
  package let reason: ErrorText?

  init(
    _ code: Code, _ subject: String, _ text: ErrorText, choices: [String] = [],
    reason: ErrorText? = nil, cause: (any Error)? = nil
  ) {
    (self.code, self.subject, self.choices, self.reason, self.cause) = (
      code, subject, choices, reason, cause
    )
    self.text = text.map { WebAddress.shown(in: $0) }
  }

  /// The ways to be wrong; there may be more.
  @nonexhaustive public enum Code: Sendable, CaseIterable {
    /// No environment variable says where the store is.
    case noHome
    /// No store is at the path, and none can be made there.
    case noStore
    /// No adapter has this name or identifier.
    case noAdapter
    /// No base has this name or signature.
    case noBase
    /// No base is installed.
    case noBaseInstalled
    /// Several bases are installed, and none was chosen.
    case noBaseChosen
    /// The name or the first digits fit several.
    case ambiguous
    /// The package breaks rules; the cause lists all of them.
    case refused
    /// There is nothing to install at the path.
    case noSource
    /// There is no package at the path that could be published.
    case noPackage
    /// The file is no base that can be run.
    case invalidBase
    /// The bytes under an installed name are not those of its receipt.
    case damaged
    /// A newer program wrote the receipt at the path, in a format that is not known here.
    case newer
    /// Something that is not the store's stands at one of its names.
    case occupied
    /// Other processes kept changing the same entry.
    case busy
    /// The system refused to read or write; the cause is a `FileError`.
    case storage
    /// A file does not fit on the disk.
    case noRoom
    /// A server could not be reached, or did not give what was asked for, after all attempts.
    case network
    /// A server has nothing at the address.
    case notOnServer
    /// A catalog in a folder lists a file that is not there.
    case notInFolder
    /// What a server gave is not what was promised.
    case corrupted
    /// A text that was given as a SHA-256 is none.
    case badDigest
    /// Nothing vouches for the one file at the address, and a digest was demanded.
    case unverifiedFile
    /// Nothing vouches for the files at the address, and a digest was demanded.
    case unverified
    /// The files at an address are not those that were installed from there.
    case changedBytes
    /// Another file has the place of a base.
    case otherBase
    /// A package is older than what is installed.
    case olderPackage
    /// None of the keys that were demanded of what is installed signed the package that would take its place.
    case otherSigner
    /// Several catalogs offer the adapter, and none of them was chosen.
    case severalCatalogs
    /// No catalog, or no adapter in the catalogs, has this name.
    case notInCatalogs
    /// No catalog with this address is configured.
    case noCatalog
    /// Two packages to be published have one version and other bytes.
    case changedVersion
    /// A catalog offers other bytes under the version that is installed.
    case changedOffer
    /// The directory of a catalog has other bytes under the version that is to be published.
    case otherPublication
    /// What a catalog offers is older than what is installed.
    case olderVersion
    /// What is installed cannot be read, so that nothing tells whether it is newer than what comes.
    case unknownVersion
    /// A catalog cannot give something, for the reason of the cause: it may have moved.
    case catalogLost
    /// What a server or catalog offers does not fit the base.
    case incompatible
    /// There is no catalog's index at the path.
    case noIndex
    /// The file is no catalog.
    case invalidCatalog
    /// A catalog that has keys is not believed; the cause is a `CatalogFault`.
    case untrusted
    /// Other keys are given for a catalog than it has.
    case otherKeys
    /// The directory of a catalog is signed by a key that is not at hand.
    case signedCatalog
    /// Its publisher has withdrawn what was asked for.
    case yanked
    /// The file is no lock file, or cannot be fulfilled.
    case lock
    /// A hub does not give what was asked for, or has nothing of the kind; the cause is a `HubFault`.
    case hub
    /// A registry does not give or take what it was asked to, or has nothing of the kind; the cause is a `RegistryFault`.
    case registry
    /// A token in a file or a variable cannot be used.
    case credentials
    /// The package has no draft but one in Apple's form, which runs on Apple's systems alone.
    case appleDraft
    /// The draft cannot be used over the base.
    case uncompilable
    /// An application has compiled as often as it may for now.
    case compilationLimit
    /// The job was cancelled; what had come is kept for the next time.
    case cancelled
  }
}

extension StoreError: Equatable {
  /// Whether both say the same of the same.
  public static func == (left: StoreError, right: StoreError) -> Bool {
    left.code == right.code && left.subject == right.subject && left.text == right.text
      && left.choices == right.choices && left.reason == right.reason
  }
}

extension StoreError {
  /// What the system refused; nil for any other error.
  package var fileError: FileError? { cause as? FileError }

  /// What the hub said; nil for any other error.
  package var hubFault: HubFault? { cause as? HubFault }

  /// What is wrong with a package that was refused; nil for any other error.
  package var report: CheckReport? {
    if case AdapterError.refused(let report)? = cause as? AdapterError { report } else { nil }
  }
}
