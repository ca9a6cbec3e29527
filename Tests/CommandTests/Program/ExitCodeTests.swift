import AdapterStore
import AdapterTraining
import Adapters
import Foundation
import Interchange
import LanguageModels
import SystemFiles
import Testing

@testable import fmadapter

/// The table from errors of the libraries to exit codes.
@Suite struct ExitCodeTests {
  private static let missing = FileError.system(.open, path: "/p", code: 2)

  @Test(
    arguments: [
      (StoreError.noHome, .storage),
      (.noStore(path: "/s", reason: "/s is not a folder\(remedy: "move it")"), .storage),
      (.newer(path: "/p", format: 2), .storage),
      (.noAdapter("x", known: ["a", "b"]), .notFound),
      (.noCatalog("x", known: []), .notFound),
      (.corrupted(url: "https://h/f", reason: "f has 2 bytes where 3 were promised"), .integrity),
      (
        .network(url: "https://h/f", reason: "cannot reach h: no such host, or no network"),
        .network
      ),
      (.incompatible("x", reason: "catalogs have 1.0.0 for the base ab"), .incompatible),
      (.invalidBase(path: "/p", reason: "it has no layers"), .invalid),
      (.olderVersion("fmadapter-a-0123456", installed: "2.0.0", offered: "1.0.0"), .integrity),
      (.hub(.disabled, page: "https://hub/a/b"), .network),
      (.noCurrentBase(installed: 0), .notFound),
      (.ambiguous("x", candidates: ["a", "b"]), .usage),
      (.noSource(path: "/p"), .notFound),
      (.noPackage(path: "/p"), .notFound),
      (.unverified(url: "https://h/f", isOneFile: true), .integrity),
      (.changedBytes(url: "https://h/f", file: "f", installed: "aa", offered: "bb"), .integrity),
      (
        .otherBase(signature: "ab", installed: "'a' (Q8_0)", offered: "'b' (F32)", isClaim: true),
        .integrity
      ),
      (.olderPackage("fmadapter-a-0123456", installed: "2.0.0", offered: "1.0.0"), .integrity),
      (.severalCatalogs("a", catalogs: ["/x", "https://y"]), .usage),
      (.unknownVersion("fmadapter-a-0123456", path: "/p"), .integrity),
      (
        .otherSigner("a", installed: "1.0.0", keys: ["aa"], offered: "2.0.0", isSigned: false),
        .integrity
      ),
      (.damaged(path: "/p", reason: "it changed"), .integrity),
      (.occupied(path: "/p"), .storage),
      (.uncompilable(package: "/p", reason: "it is broken\(remedy: "mend it")"), .incompatible),
      (
        .compilationLimit(application: "app", limit: 3, until: Date(timeIntervalSince1970: 0)),
        .busy
      ),
      (.busy(path: "/p"), .busy),
      (.storage(.system(.write, path: "/p", code: 28)), .storage),
      (.storage(.notRegular(path: "/p")), .invalid),
      (.storage(.changed(path: "/p")), .invalid),
      (
        .noRoom(url: "https://h/a?sig=1", needed: 1_000_000_000_000, free: 999, path: "/s"),
        .storage
      ),
      (.noIndex(path: "/p"), .notFound), (.notInFolder(path: "/c/f"), .notFound),
      (.notOnServer(url: "https://h/f", status: 404), .notFound),
      (.hub(.badReference("x"), page: "hf:"), .usage),
      (.hub(.noBase("nothing"), page: "https://h/o/r"), .notFound),
      (.hub(.badListing("no JSON"), page: "https://h/o/r"), .invalid),
      (.storage(missing), .storage), (.badDigest("x"), .usage), (.cancelled, .interrupted),
    ] as [(StoreError, ExitCode)])
  func errorsOfTheStore(_ error: StoreError, _ code: ExitCode) {
    #expect(ExitCode(error) == code)
    #expect(Failure(error).code == code)
  }

  @Test(
    arguments: [
      (AdapterError.notFound(path: "/p"), .notFound), (AdapterError.exists(path: "/p"), .usage),
      (AdapterError.invalidMetadata(file: "/p", []), .invalid),
      // Within a package nothing was asked for by its name.
      (AdapterError.file(missing), .storage),
      (DataSetError.file(missing), .notFound),
      (DataSetError.unknownForm(path: "/p", keys: ["a", "b"]), .invalid),
      (DataSetError.isDataSet(path: "/p"), .usage),
      (DataSetError.noColumn(path: "/p", name: "x", known: ["a"]), .usage),
      (DataSetError.encoding(path: "/p", .invalid(name: "utf-8", offset: 21)), .invalid),
      (DataSetError.noExample(path: "/p", line: 1), .notFound),
      (EvaluationError.data(.exists(path: "/p")), .usage),
      (EvaluationError.loss(.cancelled), .interrupted),
      (EvaluationError.pattern(start: "(", problem: "is none"), .usage),
      (TrainingError.package(.exists(path: "/p")), .usage),
      (TrainingError.nothingToLearn, .invalid),
      (InterchangeError.file(missing), .notFound),
      (InterchangeError.package(.notFound(path: "/p")), .notFound),
      (InterchangeError.isPackage(path: "/p"), .usage),
      (InterchangeError.otherBase(first: "/a", second: "/b"), .incompatible),
      (BaseModelError.emptyPrompt, .usage), (BaseModelError.file(missing), .notFound),
      (missing, .notFound), (FileError.system(.lock, path: "/p", code: 11), .busy),
      (FileError.system(.write, path: "/p", code: 28), .storage),
      (FileError.changed(path: "/p"), .invalid),
      (CancellationError(), .interrupted),
    ] as [(any Error, ExitCode)])
  func otherErrors(_ error: any Error, _ code: ExitCode) {
    #expect(ExitCode(error) == code)
    #expect(Failure(error).code == code)
  }

  @Test(arguments: [
    (Finding.Category.package, ExitCode.invalid), (.integrity, .integrity),
    (.compatibility, .incompatible),
  ])
  func aRefusalHasTheCodeOfItsReport(_ category: Finding.Category, _ code: ExitCode) {
    let finding = Finding("x.y", .error, category, at: .init("file"), "Wrong.", remedy: "Mend it.")
    let report = CheckReport(package: "p", findings: [finding])
    #expect(report.exitCode == code)
    #expect(ExitCode(StoreError.refused(report)) == code)
    #expect(ExitCode(AdapterError.refused(report)) == code)
    #expect(Failure(StoreError.refused(report)).code == code)
    #expect(CheckReport(package: "p", findings: []).exitCode == .done)
  }

  @Test(
    arguments: [
      (nil, .done), (.system, .storage), (.integrity, .integrity), (.compatibility, .incompatible),
    ] as [(DoctorFinding.Category?, ExitCode)])
  func anExaminationHasTheCodeOfWhatMattersMost(
    _ category: DoctorFinding.Category?, _ code: ExitCode
  ) {
    #expect(category.exitCode == code)
  }
}
