import Foundation
import TestSupport
import Testing

/// Trainings that are killed, and trainings on full disks.
@Suite(.waits) struct TrainingFaultTests {
  private let sample: SampleBase
  private let data: String

  init() throws {
    sample = try SampleBase()
    data = try sample.folder.write(SampleBase.examples(6), to: "train.jsonl")
  }

  /// A training that writes a checkpoint after each step.
  private func words(_ package: String, _ more: String...) -> [String] {
    [
      "train", data, "--valid", data, "--base", sample.base, "-o", package, "--name", "mine",
      "--threads", "1", "--rank", "2", "--tokens", "40", "--learning-rate", "0.01", "--steps",
      "60", "--patience", "0",
    ] + more
  }

  private var environment: [String: String?] {
    ["FMADAPTER_HOME": sample.folder.path("store"), "FMADAPTER_WAIT_SCALE": "0"]
  }

  private func train(_ package: String, _ more: String...) throws -> ProcessResult {
    let result = try Subprocess.run(
      Tool.path, words(package) + more, environment: environment
    ).expectSuccess()
    return result
  }

  /// All losses of a log, those of steps and measures.
  private func losses(_ package: String) throws -> [String] {
    let path = package.replacing(".fmadapter", with: ".training.jsonl")
    return try String(contentsOfFile: path, encoding: .utf8).objects().compactMap { event in
      guard let kind = event["event"] as? String, ["step", "measure"].contains(kind) else {
        return nil
      }
      return "\(kind) \(event["step"] ?? "") \(event["loss"] ?? "")"
    }
  }

  private func expectSame(_ package: String, as whole: String, _ state: String) throws {
    for name in ["adapter_weights.bin", "metadata.json"] {
      let contents = try [package, whole].map {
        try Data(contentsOf: URL(fileURLWithPath: "\($0)/\(name)"))
      }
      #expect(contents[0] == contents[1], "\(name) \(state)")
    }
    #expect(try losses(package) == losses(whole), "\(state)")
  }

  @Test func aTrainingThatIsKilledGoesOnWithTheSameLosses() throws {
    let whole = sample.folder.path("whole.fmadapter")
    let usual = try train(whole).duration / .microseconds(1)
    #expect(try losses(whole).count == 60 + 13)
    var random = SeededGenerator(seed: 47)
    for round in 0..<(runsAllTests ? 50 : 3) {
      let package = sample.folder.path("killed\(round).fmadapter")
      // One that goes on is killed as well, unless it has ended.
      for _ in 0..<2 where !FileManager.default.fileExists(atPath: package) {
        let program = try Subprocess(
          Tool.path, words(package, "--resume"), environment: environment)
        // Where it is hit depends on the machine; that it may be hit anywhere does not.
        usleep(UInt32(Double(random.float(in: 0.05..<0.9)) * usual))
        kill(program.process.processIdentifier, SIGKILL)
        _ = try program.finish()
      }
      if !FileManager.default.fileExists(atPath: package) {
        _ = try train(package, "--resume")
        #expect(!FileManager.default.fileExists(atPath: package + ".checkpoint"))
      }
      try expectSame(package, as: whole, "\(random), round \(round)")
    }
  }

  /// Trains on a small file system, then goes on once it has room; each line says what came out.
  private static let fill = """
    set -u
    mount -t tmpfs -o size="$SIZE" tmpfs "$PLACE" || exit 99
    "$TOOL" "$@" > /dev/null 2> "$LOG"; echo "full $?"
    ls -A "$PLACE"
    mount -o remount,size=100m "$PLACE" || exit 99
    [ -e "$PLACE/mine.fmadapter" ] || "$TOOL" "$@" --resume > /dev/null 2>&1; echo "again $?"
    cp -r "$PLACE"/* "$KEPT"
    """

  @Test(.disabled(if: Namespace.isMissing), arguments: runsAllTests ? Array(1...16) : [2, 6])
  func aFullDiskLeavesTheLastCheckpointThatWasWhole(_ step: Int) throws {
    let whole = sample.folder.path("whole.fmadapter")
    _ = try train(whole)
    let (place, kept) = (sample.folder.path("place"), sample.folder.path("kept"))
    for path in [place, kept] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let log = sample.folder.path("log")
    let result = try Namespace.run(
      Self.fill, words(place + "/mine.fmadapter"),
      environment: environment.merging([
        "SIZE": "\(step * 8)k", "PLACE": place, "LOG": log, "KEPT": kept,
      ]) { $1 })
    let lines = result.text.split(separator: "\n").map(String.init)
    let said = try String(contentsOfFile: log, encoding: .utf8)
    let isFull = lines.first == "full 8"
    #expect(isFull || lines.first == "full 0" && step > 6, "\(result.text) \(said)")
    #expect(said.contains("No space left on device") == isFull, "\(said)")
    #expect(
      said.contains("is kept; --resume goes on with it\n")
        == lines.contains("mine.fmadapter.checkpoint"), "\(result.text) \(said)")
    #expect(!lines.contains { $0.hasPrefix(".") }, "\(result.text)")
    #expect(lines.last == "again 0", "\(result.text)")
    try expectSame(kept + "/mine.fmadapter", as: whole, "\(step)")
  }

  /// Trains where the system says that there is little memory.
  private static let squeeze = """
    set -u
    mount --bind "$MEMORY" /proc/meminfo || exit 99
    "$TOOL" "$@" 2>&1; echo "ended $?"
    ls "$PLACE"
    """

  /// The system would end it in the middle, without a word.
  @Test(.disabled(if: Namespace.isMissing))
  func aBaseThatDoesNotFitIsRefusedBeforeItIsTrainedOn() throws {
    let place = sample.folder.path("place")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let memory = try sample.folder.write(
      "MemTotal: 9000 kB\nMemAvailable: 9000 kB\nSwapFree: 0 kB\n", to: "meminfo")
    let result = try Namespace.run(
      Self.squeeze, words(place + "/mine.fmadapter"),
      environment: environment.merging(["MEMORY": memory, "PLACE": place]) { $1 })
    #expect(result.text.hasPrefix("fmadapter: error: \(sample.base) does not fit: it takes "))
    #expect(result.text.hasSuffix("\nended 8\n"), "\(result.text)")
  }

  /// As `train | head` ends, or `train | tee` whose tee is ended; of JSON, with a line for each step, some of which are read.
  @Test func whatWasLearntIsKeptWhereNobodyReadsAnyMore() throws {
    let package = sample.folder.path("mine.fmadapter")
    let words = words(package).map { $0 == "60" ? Tool.manySteps : $0 }
    let environment = ["FMADAPTER_HOME": sample.folder.path("store"), "TOOL": Tool.path]
    let script = "\"$TOOL\" \"$@\" --json | head -n 20; exit ${PIPESTATUS[0]}"
    let result = try Subprocess.run(
      "/bin/bash", ["-c", script, "bash"] + words, environment: environment)
    #expect(result.status == 143, "\(result.text)\(result.errorText)")
    #expect(!FileManager.default.fileExists(atPath: package))
    let resumed = try Subprocess.run(Tool.path, words + ["--resume"], environment: environment)
      .expectSuccess()
    #expect(resumed.errorText.contains("going on after step "), "\(resumed.errorText)")
  }

  /// Stops a training where there is room for all but its checkpoint.
  private static let stop = """
    set -u
    mount -t tmpfs -o size=256k tmpfs "$PLACE" || exit 99
    "$TOOL" "$@" > /dev/null 2> "$LOG" &
    until grep -q '"step": [1-9]' "$PLACE/mine.training.jsonl" 2> /dev/null; do sleep 0.02; done
    kill -TERM $!; wait $!; echo "ended $?"
    ls -A "$PLACE"
    """

  @Test(.disabled(if: Namespace.isMissing))
  func whatCannotBeKeptIsSaid() throws {
    let place = sample.folder.path("place")
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false)
    let log = sample.folder.path("log")
    let replaced = ["2": "512", "60": Tool.manySteps]
    let result = try Namespace.run(
      Self.stop, words(place + "/mine.fmadapter").map { replaced[$0] ?? $0 },
      environment: [
        "FMADAPTER_HOME": sample.folder.path("store"), "PLACE": place, "LOG": log,
      ])
    let said = try String(contentsOfFile: log, encoding: .utf8)
    #expect(
      result.text
        == "ended 143\nmine.training.html\nmine.training.json\nmine.training.jsonl\n", "\(said)")
    #expect(
      said.contains(
        "mine.fmadapter.checkpoint: cannot write the file: No space left on device; free some space, then "
          + "try again\n"), "\(said)")
    #expect(!said.contains("--resume"), "\(said)")
  }
}
