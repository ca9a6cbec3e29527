import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// What stands beside a package belongs to it, whatever becomes of a training that is to replace it.
@Suite(.waits) struct TrainingPlaceTests {
  private let sample: SampleBase
  private let data: String
  private let package: String

  init() throws { (sample, data, package) = try SampleBase.forTraining() }

  private func line(_ more: String...) -> [String] {
    sample.training(on: data, to: package, more)
  }

  /// Names that stand in the folder, with the bytes of those that are files.
  private func files() throws -> [String: Data] {
    let folder = sample.folder.path("")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: names.filter { $0.hasPrefix("mine.") }.map { name in
        (name, FileManager.default.contents(atPath: folder + "/" + name) ?? Data())
      })
  }

  private static let set = [
    "mine.fmadapter", "mine.training.html", "mine.training.json", "mine.training.jsonl",
  ]
  private static let aside = [
    "mine.fmadapter.unfinished.training.html", "mine.fmadapter.unfinished.training.json",
    "mine.fmadapter.unfinished.training.jsonl",
  ]

  static let states: [(id: String, there: [String], resumes: Bool, isAside: Bool, goesOn: Bool)] = [
    ("nothing", [], false, false, false),
    ("a package", ["mine.fmadapter"], false, true, false),
    ("a package, and what failed", ["mine.fmadapter"] + aside, false, true, false),
    ("a package that was removed, and what failed", aside, false, false, false),
    ("what was stopped", ["mine.fmadapter.checkpoint"], true, false, true),
    (
      "what was stopped over a package", ["mine.fmadapter", "mine.fmadapter.checkpoint"] + aside,
      true, true, true
    ),
    (
      "what was stopped over a package that was removed", ["mine.fmadapter.checkpoint"] + aside,
      true, true, true
    ),
    ("a package, and nothing that was stopped", ["mine.fmadapter"] + aside, true, true, false),
  ]

  /// With a slash behind it, as the completion of a shell leaves one behind folders.
  @Test(arguments: ["", ".fmadapter", ".fmadapter/", "//"])
  func aPackageHasTheEndOfItsName(_ end: String) throws {
    let place = try TrainingPlace(
      package.dropLast(".fmadapter".count) + end, replaces: false, resumes: false,
      learnsMore: false)
    #expect(place.package == package && place.name == "mine")
    #expect(place.files.log == sample.folder.path(Self.set[3]))
  }

  /// Before anything is learnt; nobody writes in `/proc`.
  @Test func aFolderThatTakesNothingIsRefused() {
    let failure = #expect(throws: Failure.self) {
      try TrainingPlace("/proc/mine", replaces: false, resumes: false, learnsMore: false)
    }
    #expect(failure?.code == .storage)
    #expect(
      failure?.text.description
        == "/proc: the package cannot be written there; give another folder")
  }

  @Test(arguments: states)
  func filesAreAsideWhereAPackageStands(
    _ id: String, _ there: [String], _ resumes: Bool, _ isAside: Bool, _ goesOn: Bool
  ) throws {
    for name in there { try sample.folder.write("x", to: name) }
    // What was begun over a package needs no more words to go on.
    let place = try TrainingPlace(
      package, replaces: !goesOn, resumes: resumes, learnsMore: false)
    #expect(place.isAside == isAside && place.goesOn == goesOn)
    #expect(place.work.log == sample.folder.path(isAside ? Self.aside[2] : Self.set[3]))
  }

  /// A kill may come when the package is there, and part of its files.
  @Test(arguments: [["mine.fmadapter.checkpoint"] + aside.prefix(2), [aside[1]]])
  func whatAKillKeptFromThePackageIsGivenToIt(_ there: [String]) throws {
    // The package comes last.
    for name in there + [Self.set[3], "mine.fmadapter"] {
      try sample.folder.write(name, to: name)
    }
    let place = try TrainingPlace(package, replaces: true, resumes: true, learnsMore: false)
    #expect(!place.goesOn && place.isAside)
    let moved = there.filter(Self.aside.contains)
    let names = moved.map { $0.replacing(".fmadapter.unfinished", with: "") }
    let after = try files()
    #expect(after.keys.sorted() == (["mine.fmadapter", Self.set[3]] + names).sorted())
    for (name, old) in zip(names, moved) { #expect(after[name] == Data(old.utf8)) }
  }

  /// A training that was stopped keeps its checkpoint, and the package its settings.
  @Test(arguments: [["mine.fmadapter.checkpoint"] + aside.prefix(2), Array(aside.prefix(2))])
  func aLogThatWasRemovedIsNoSignOfAKill(_ there: [String]) throws {
    try sample.folder.write("mine", to: "mine.fmadapter")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1)], ofItemAtPath: package)
    for name in [Self.set[2], Self.set[3]] + there { try sample.folder.write(name, to: name) }
    let before = try files()
    let place = try TrainingPlace(package, replaces: true, resumes: true, learnsMore: false)
    #expect(try files() == before)
    #expect(place.goesOn == there.contains("mine.fmadapter.checkpoint"))
  }

  /// As of a program that wrote no settings yet.
  @Test func whatWasStoppedWithoutSettingsAsksForThem() throws {
    try sample.folder.write("x", to: "mine.fmadapter.checkpoint")
    try Tool.run("train", "-o", package, "--resume").expectStatus(
      3,
      error: "\(sample.folder.path(Self.set[2])): the settings of the training that was "
        + "stopped here are not there; give the data and the options that it was begun with")
  }

  @Test func whatATrainingIsAboutToMoveIsLeftToIt() throws {
    for name in [Self.aside[1], Self.set[3], "mine.fmadapter"] {
      try sample.folder.write(name, to: name)
    }
    let before = try files()
    let lock = try #require(try FileLock(path: sample.folder.path(Self.set[3])))
    _ = try TrainingPlace(package, replaces: true, resumes: true, learnsMore: false)
    #expect(try withExtendedLifetime(lock) { try files() } == before)
  }

  static let failures: [(words: [String], isForced: Bool)] = [
    (["--steps", "24", "--learning-rate", "10", "--warmup", "0", "--force"], true),
    (["--more-epochs", "8", "--learning-rate", "10", "--warmup", "0"], false),
  ]

  @Test(arguments: failures)
  func aTrainingThatFailsLeavesThePackageWithAllThatIsItsOwn(
    _ words: [String], _ isForced: Bool
  ) throws {
    try Tool.run(line("--epochs", "4", "--learning-rate", "0.02")).expectSuccess()
    let (before, weights) = (try files(), try sample.weights("mine.fmadapter"))
    #expect(before.keys.sorted() == Self.set)
    let start = isForced ? line() : ["train", "-o", package, "--threads", "1"]
    try Tool.run(start + words).expectStatus(
      4,
      saying: "\(package) stays as it was\n"
        + "curves of the training that ended: \(sample.folder.path(Self.aside[0]))\n")
    let after = try files()
    #expect(after.filter { Self.set.contains($0.key) } == before)
    #expect(try sample.weights("mine.fmadapter") == weights)
    #expect(after.keys.sorted() == (Self.set + Self.aside).sorted())
    let page = try #require(after[Self.aside[0]])
    #expect(String(decoding: page, as: UTF8.self).contains("start anew with a lower learning rate"))

    try Tool.run("train", "-o", package, "--more-epochs", "6", "--threads", "1")
      .expectSuccess(saying: "learning rate 0.02\n")
    let last = try files()
    #expect(
      last.keys.sorted() == Self.set && last["mine.training.json"] != before["mine.training.json"])
  }

  @Test func whatIsStoppedOverAPackageGoesOnWithItsOwnSettings() throws {
    try Tool.run(line("--steps", "1", "--learning-rate", "0.02")).expectSuccess()
    let before = try files()
    let terminal = try PseudoTerminal(
      line("--steps", Tool.manySteps, "--learning-rate", "0.03", "--force"),
      columns: 400, environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "step "))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(terminal.screen.contains("stays as it was"), "\(terminal.screen)")
    #expect(try files().filter { Self.set.contains($0.key) } == before)

    try Tool.run(line("--steps", "2")).expectStatus(
      2, saying: "a training was stopped here; --resume goes on with it")
    // As where another version of the program began it, and took other examples of the same data.
    let (checkpoint, key) = (package + ".checkpoint", "\"training\":\"")
    let whole = try FileSystem.read(checkpoint, limit: 1 << 26)
    let place = try #require(whole.firstRange(of: Array(key.utf8)))
    var other = whole
    other[place.upperBound] ^= 1
    try Data(other).write(to: URL(fileURLWithPath: checkpoint))
    let refused = try Tool.run("train", "-o", package, "--resume", "--threads", "1").expectStatus(6)
    #expect(
      refused.errorText.hasSuffix(
        "\(checkpoint): another version of the program wrote the checkpoint, and this one cannot go on "
          + "with it; go on with that version, or start anew\n"), "\(refused.errorText)")
    try Data(whole).write(to: URL(fileURLWithPath: checkpoint))
    // Neither the data nor the word to replace has to be said once more.
    try Tool.run("train", "-o", package, "--resume", "--threads", "1").expectSuccess(
      saying: "going on after step ", "learning rate 0.03\n")
    let after = try files()
    #expect(after.keys.sorted() == Self.set)
    let settings = try #require(after["mine.training.json"])
    #expect(String(decoding: settings, as: UTF8.self).contains("\"steps\": \(Tool.manySteps)"))
  }
}
