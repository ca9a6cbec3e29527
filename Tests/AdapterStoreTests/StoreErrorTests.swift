import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct StoreErrorTests {
  private static let texts: [(StoreError, String)] = [
    (
      .noHome,
      "there is no place for the store; set FMADAPTER_HOME or HOME to an absolute path"
    ),
    (
      .noStore(path: "/s", reason: "/s is not a folder\(remedy: "move it")"),
      "/s: no store can be there: /s is not a folder; move it"
    ),
    (
      .newer(path: "/p", format: 2),
      "/p: written by a newer fmadapter (format 2, this one knows 1); use a newer fmadapter"
    ),
    (
      .noIndex(path: "/p"),
      "/p: there is no such catalog; publish packages there, or check the path"
    ),
    (
      .notInFolder(path: "/c/f"),
      "/c/f: this file is listed, and it is not there; publish the package again, or copy "
        + "the whole folder"
    ),
    (
      .noBase("b", known: []),
      "no base 'b' is installed, nor any other; install one"
    ),
    (
      .noAdapter("x", known: ["a", "b"]), "no adapter 'x' is installed; there are: a, b"
    ),
    (
      .noCatalog("x", known: []),
      "no catalog 'x' is configured, nor any other; add it"
    ),
    (
      .corrupted(url: "https://h/f", reason: "f has 2 bytes where 3 were promised"),
      "https://h/f: f has 2 bytes where 3 were promised; nothing was installed; try again, and tell "
        + "its publisher if it stays so"
    ),
    (
      .network(url: "https://h/f", reason: "cannot reach h: no such host, or no network"),
      "https://h/f: cannot reach h: no such host, or no network; check the address and the "
        + "connection, then try again"
    ),
    (
      .incompatible("x", reason: "catalogs have 1.0.0 for the base ab"),
      "'x' does not fit the base in use: catalogs have 1.0.0 for the base ab; choose another "
        + "base"
    ),
    (
      .invalidBase(path: "/p", reason: "it has no layers"),
      "/p: not a base that can be run: it has no layers; give another one"
    ),
    (
      .olderVersion("fmadapter-a-0123456", installed: "2.0.0", offered: "1.0.0"),
      "fmadapter-a-0123456: 2.0.0 is installed and the catalog's 1.0.0 is older; to go back, name the "
        + "version"
    ),
    (
      .hub(.disabled, page: "https://hub/a/b"),
      "https://hub/a/b: the hub has switched it off; that page may say why"
    ),
    (
      .registry(.refused(status: 413, code: "SIZE_INVALID", what: "a file"), place: "oci://h/r"),
      "oci://h/r: the registry does not take a file (413 SIZE_INVALID); ask its owner for a higher limit"
    ),
    (
      .untrusted("https://a/index.json", .rolledBack(serial: 3, seen: 4)),
      "https://a/index.json: not believed: it is number 3, and number 4 was seen before: somebody gives out an old one; try again later, and tell its publisher if it stays so"
    ),
    (
      .otherKeys("https://a/index.json", pinned: ["aa"], given: ["bb"]),
      "https://a/index.json: its keys here are aa, and other ones are given: bb; if its publisher says, in another way than by the catalog, that they changed, remove the catalog and add it again"
    ),
    (
      .signedCatalog("/site", by: "aa", given: nil),
      "/site: the catalog is signed by the key aa, and no key is at hand; sign with that key; for another one take index.signed.json away, and tell all readers"
    ),
    (
      .yanked("demo@1.1.0", version: "1.1.0", reason: "wrong"),
      "'demo@1.1.0': its publisher has withdrawn 1.1.0: wrong; take another version, or ask its publisher"
    ),
    (
      .lock(path: "/a.lock", reason: "line 1: nothing"),
      "/a.lock: no lock file: line 1: nothing; write it again"
    ),
    (
      .noCurrentBase(installed: 0),
      "no base is installed; install one"
    ),
    (
      .noCurrentBase(installed: 2),
      "2 bases are installed and none is chosen; choose one"
    ),
    (.ambiguous("x", candidates: ["a", "b"]), "'x' fits several; give one of: a, b"),
    (
      .noSource(path: "/p"),
      "/p: there is nothing to install; give the path of a package folder or of a base"
    ),
    (
      .noPackage(path: "/p"),
      "/p: there is no package to publish; give the path of a package folder, or of a folder with packages"
    ),
    (
      .unverified(url: "https://h/f", isOneFile: true),
      "https://h/f: nothing vouches for these bytes, and a digest was demanded; nothing was fetched; "
        + "give the SHA-256 that it has to have, or demand none"
    ),
    (
      .unverified(url: "https://h/f", isOneFile: false),
      "https://h/f: nothing vouches for these bytes, and a digest was demanded; nothing was fetched; "
        + "ask its publisher for a SHA256SUMS beside the files, or demand no digest"
    ),
    (
      .changedBytes(url: "https://h/f", file: "f", installed: "aa", offered: "bb"),
      "https://h/f: f is not what was installed from there: it has SHA-256 bb now, and had aa; find "
        + "out which is right; the new one has to be taken on purpose"
    ),
    (
      .otherBase(signature: "ab", installed: "'a' (Q8_0)", offered: "'b' (F32)", isClaim: true),
      "'a' (Q8_0) is installed as the base ab, and 'b' (F32) would take its place; that it is of the "
        + "same source is no more than its claim; replace the one by the other on purpose, or keep it"
    ),
    (
      .olderPackage("fmadapter-a-0123456", installed: "2.0.0", offered: "1.0.0"),
      "fmadapter-a-0123456: 2.0.0 is installed and the package's 1.0.0 is older; go back on "
        + "purpose, or keep it"
    ),
    (
      .otherSigner("a", installed: "1.0.0", keys: ["aa", "bb"], offered: "2.0.0", isSigned: false),
      "a: 1.0.0 was installed as signed by aa or bb, and 2.0.0 is not signed; ask its publisher for one that "
        + "is; to take it all the same, demand its own key, or remove what is installed first"
    ),
    (
      .otherSigner("a", installed: "1.0.0", keys: ["aa"], offered: "2.0.0", isSigned: true),
      "a: 1.0.0 was installed as signed by aa, and 2.0.0 is not signed by that; ask its publisher for one that "
        + "is; to take it all the same, demand its own key, or remove what is installed first"
    ),
    (
      .severalCatalogs("a", catalogs: ["/x", "https://y"]),
      "several catalogs offer 'a': /x, https://y; choose one of them"
    ),
    (
      .unknownVersion("fmadapter-a-0123456", path: "/p"),
      "fmadapter-a-0123456: what is installed cannot be read, so nothing tells whether it is newer: "
        + "/p; mend it, or take it away"
    ),
    (
      .catalogLost("file:///p/index.json", .noIndex(path: "/p/index.json")),
      "/p/index.json: there is no such catalog; publish packages there, or check the path; if the "
        + "catalog /p/index.json has moved, add its new address, and take the old one away"
    ),
    (.damaged(path: "/p", reason: "it changed"), "/p: it changed; install it again"),
    (
      .occupied(path: "/p"),
      "/p: something that is not the store's is in the way; move it elsewhere"
    ),
    (
      .uncompilable(package: "/p", reason: "it is broken\(remedy: "mend it")"),
      "/p: its draft cannot be compiled: it is broken; mend it"
    ),
    (
      .compilationLimit(application: "app", limit: 3, until: Date(timeIntervalSince1970: 0)),
      "app has compiled 3 times within 24 hours, which is as often as it may; try again after "
        + "1970-01-01T00:00:00Z"
    ),
    (
      .compilationLimit(application: "app", limit: 0, until: nil),
      "app has compiled 0 times within 24 hours, which is as often as it may; raise the limit of its "
        + "CompilationPolicy"
    ),
    (.busy(path: "/p"), "/p: other processes keep changing it; try again when they are done"),
    (
      .storage(.system(.write, path: "/p", code: 28)),
      "/p: cannot write the file: No space left on device; free some space, then try again"
    ),
    (
      .storage(.system(.create, path: "/p", code: 30)),
      "/p: cannot create the file: Read-only file system; the file system is read-only: "
        + "set FMADAPTER_HOME to another place"
    ),
    (
      .storage(.system(.create, path: "/p", code: 13)),
      "/p: cannot create the file: Permission denied; check the permissions, "
        + "or set FMADAPTER_HOME to another place"
    ),
    (
      .storage(.notRegular(path: "/p")),
      "/p: not a regular file; give the path of the file itself"
    ),
    (
      .storage(.changed(path: "/p")),
      "/p: the file changed while it was in use; let the writer finish, then start again"
    ),
    (
      .storage(.system(.connect, path: "host", code: 24)),
      "host: cannot open a connection: Too many open files; close some programs, or raise the "
        + "limit, for one with 'ulimit -n 1024'"
    ),
    (
      .noRoom(url: "https://h/a?sig=1", needed: 1_000_000_000_000, free: 999, path: "/s"),
      "https://h/a?sig=***: the file has 1.0 TB, and 999 bytes are free in "
        + "/s; free some space, then try again"
    ),
  ]

  @Test(arguments: texts)
  func everyErrorHasItsText(_ error: StoreError, _ text: String) {
    #expect(error.description == text)
  }

  /// One of each case, full of `url`.
  private static func errors(_ url: String) -> [StoreError] {
    let file = FileError.system(.open, path: url, code: 2)
    let finding = Finding("x.y", .error, .package, at: .init("f"), url, remedy: url)
    return [
      .noAdapter(url, known: [url]), .noBase(url, known: [url]),
      .ambiguous(url, candidates: [url]),
      .refused(CheckReport(package: url, findings: [finding])), .noSource(path: url),
      .noPackage(path: url),
      .invalidBase(path: url, reason: "\(url)"), .damaged(path: url, reason: url),
      .occupied(path: url), .busy(path: url), .storage(file), .network(url: url, reason: "\(url)"),
      .notOnServer(url: url, status: 404), .notInFolder(path: url),
      .noRoom(url: url, needed: 2, free: 1, path: url),
      .corrupted(url: url, reason: url),
      .notInCatalogs(url, known: [url]), .noCatalog(url, known: [url]),
      .changedVersion(url, reason: "\(url)"),
      .changedOffer(url, catalog: url, version: url), .otherPublication(url, directory: url),
      .olderVersion(url, installed: url, offered: url),
      .unknownVersion(url, path: url), .catalogLost(url, .notOnServer(url: url, status: 404)),
      .incompatible(url, reason: "\(url)"), .invalidCatalog(url: url, reason: "\(url)"),
      .credentials(place: url, reason: "\(url)"), .hub(.noRevision(url), page: url),
      .registry(.noManifest(url, known: [url]), place: url),
      .untrusted(url, .unsigned(place: url)), .otherKeys(url, pinned: [url], given: [url]),
      .signedCatalog(url, by: url, given: url), .yanked(url, version: url, reason: url),
      .lock(path: url, reason: "\(url)"),
      .noHome, .noCurrentBase(installed: 0), .noCurrentBase(installed: 2),
      .unverified(url: url, isOneFile: true),
      .changedBytes(url: url, file: url, installed: url, offered: url),
      .otherBase(signature: url, installed: url, offered: url, isClaim: true),
      .otherSigner(url, installed: url, keys: [url], offered: url, isSigned: true),
      .olderPackage(url, installed: url, offered: url), .severalCatalogs(url, catalogs: [url]),
      .appleDraft(package: url), .uncompilable(package: url, reason: "\(url)"),
      .compilationLimit(application: url, limit: 1, until: nil), .cancelled,
    ]
  }

  @Test func everyErrorSaysWhatToDo() {
    for error in Self.errors("x") {
      // A report has a remedy with each finding, and the reason of a system's refusal may have none.
      switch error.code {
      case .refused, .storage, .changedVersion: continue
      default: #expect(error.remedy != nil, "\(error)")
      }
    }
  }

  @Test func noErrorShowsACredential() {
    let errors = Self.errors(
      "https://me:hunter2@host/a?X-Amz-Signature=hunter2&token=hunter2")
    for error in errors {
      #expect(!error.description.contains("hunter2"), "\(error)")
      #expect(!"\(error.text)".contains("hunter2"), "\(error.text)")
    }
  }

  @Test func aRefusalHasTheTextOfItsReport() {
    let finding = Finding("x.y", .error, .package, at: .init("file"), "Wrong.", remedy: "Mend it.")
    let error = StoreError.refused(CheckReport(package: "p", findings: [finding]))
    #expect(error.description == "p: 1 error\n  error: file: Wrong. [x.y] Mend it.")
  }
}
