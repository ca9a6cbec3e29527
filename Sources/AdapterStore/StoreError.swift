public import Adapters
public import FoundationEssentials
public import SystemFiles

/// Why the store could not do what it was asked.
public enum StoreError: Error, Sendable, Equatable {
  /// No environment variable says where the store is.
  case noHome
  /// No store is at the path, and none can be made there; the reason says what stands in the way.
  case noStore(path: String, reason: ErrorText)
  /// No adapter has this name or identifier; `known` are the identifiers that are installed.
  case noAdapter(String, known: [String])
  /// No base has this name or signature; `known` are the names that are installed.
  case noBase(String, known: [String])
  /// No base is installed, or several are and none was chosen.
  case noCurrentBase(installed: Int)
  /// The name or the first digits fit several; `candidates` tells them apart.
  case ambiguous(String, candidates: [String])
  /// The package breaks rules; the report lists all of them.
  case refused(CheckReport)
  /// There is nothing to install at the path.
  case noSource(path: String)
  /// There is no package at the path that could be published.
  case noPackage(path: String)
  /// The file is no base that can be run; the reason names file and place.
  case invalidBase(path: String, reason: ErrorText)
  /// The bytes under an installed name are not those of its receipt.
  case damaged(path: String, reason: String)
  /// A newer program wrote the receipt at the path, in a format that is not known here.
  case newer(path: String, format: Int)
  /// Something that is not the store's stands at one of its names.
  case occupied(path: String)
  /// Other processes kept changing the same entry.
  case busy(path: String)
  /// The system refused to read or write.
  case storage(FileError)
  /// A file of `needed` bytes does not fit into the `free` ones of the disk that `path` is on.
  case noRoom(url: String, needed: Int, free: Int, path: String)
  /// A server could not be reached, or did not give what was asked for, after all attempts; the reason is a sentence.
  case network(url: String, reason: ErrorText)
  /// A server has nothing at the address; it answered with this status.
  case notOnServer(url: String, status: Int)
  /// A catalog in a folder lists a file that is not there.
  case notInFolder(path: String)
  /// What a server gave is not what was promised; the reason names the file and both digests or sizes.
  case corrupted(url: String, reason: String)
  /// A text that was given as a SHA-256 is none.
  case badDigest(String)
  /// Nothing vouches for the bytes at the address, and a digest was demanded; a base of one file can be installed with one
  /// that its user knows.
  case unverified(url: String, isOneFile: Bool)
  /// The files at an address are not those that were installed from there; both have a SHA-256.
  case changedBytes(url: String, file: String, installed: String, offered: String)
  /// Another file has the place of a base; both are described, and the signature may be no more than their claim.
  case otherBase(signature: String, installed: String, offered: String, isClaim: Bool)
  /// A package is older than what is installed.
  case olderPackage(String, installed: String, offered: String)
  /// Several catalogs offer the adapter, and none of them was chosen.
  case severalCatalogs(String, catalogs: [String])
  /// No catalog, or no adapter in the catalogs, has this name; `known` are the names that exist.
  case notInCatalogs(String, known: [String])
  /// No catalog with this address is configured; `known` are the addresses that are.
  case noCatalog(String, known: [String])
  /// The same version exists with other bytes; the reason says where and what to do.
  case changedVersion(String, reason: ErrorText)
  /// A catalog offers other bytes under the version that is installed.
  case changedOffer(String, catalog: String, version: String)
  /// The directory of a catalog has other bytes under the version that is to be published.
  case otherPublication(String, directory: String)
  /// What a catalog offers is older than what is installed.
  case olderVersion(String, installed: String, offered: String)
  /// What is installed as an adapter, at the path, cannot be read, so that nothing tells whether it is newer than what comes.
  case unknownVersion(String, path: String)
  /// A catalog that is to give something, by its address, cannot, for the reason of another error: it may have moved.
  indirect case catalogLost(String, StoreError)
  /// What a server or catalog offers does not fit the base; the reason lists what exists for which base.
  case incompatible(String, reason: String)
  /// There is no catalog's index at the path.
  case noIndex(path: String)
  /// The file is no catalog; the reason names the place.
  case invalidCatalog(url: String, reason: ErrorText)
  /// A hub does not give what was asked for, or has nothing of the kind; the page is that of the repository.
  case hub(HubFault, page: String)
  /// A token cannot be used; the place is a file or a variable, and the reason never has the token in it.
  case credentials(place: String, reason: ErrorText)
  /// The package has no draft but one in Apple's form, which runs on Apple's systems alone.
  case appleDraft(package: String)
  /// The draft cannot be used over the base; the reason names file and place.
  case uncompilable(package: String, reason: ErrorText)
  /// An application has compiled as often as it may for now; nil where it may not at all.
  case compilationLimit(application: String, limit: Int, until: Date?)
  /// The job was cancelled; what had come is kept for the next time.
  case cancelled
}
