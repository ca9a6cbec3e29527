import Adapters
import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct EvalCommandTests {
  let sample: SampleBase
  let data: String

  init() throws {
    sample = try SampleBase(adapters: ["echo", "other"])
    data = try sample.folder.write(SampleBase.examples(6), to: "valid.jsonl")
  }

  func eval(_ words: String...) throws -> ProcessResult {
    try Tool.run(
      ["eval"] + words + ["--base", sample.base, "--threads", "1", "-n", "6"])
  }

  private func json(_ words: [String]) throws -> JSONObject {
    let result = try Tool.run(
      ["eval"] + words + ["--base", sample.base, "--threads", "1", "-n", "6", "--json"]
    ).expectSuccess()
    return try #require(try JSONDocument(parsing: Array(result.output)).root.object)
  }

  static func subjects(_ report: JSONObject) -> [JSONObject] {
    (report["subjects"]?.array ?? []).compactMap(\.object)
  }

  private static func figure(_ subject: JSONObject, _ name: String) -> Double? {
    subject["figures"]?.object?[name]?.object?["value"]?.number?.double
  }

  private static func answers(_ subject: JSONObject) -> [Int: String] {
    (subject["answers"]?.array ?? []).reduce(into: [:]) { answers, value in
      guard let line = value.object?["line"]?.integer else { return }
      answers[line] = value.object?["answer"]?.string
    }
  }

  /// Lines to which the adapter's own answers are the right ones.
  private func ownAnswers() throws -> String {
    let report = try json([data, sample.package])
    let answers = Self.answers(Self.subjects(report)[1])
    let lines = (0..<6).map { index in
      let object: JSONObject = [
        "prompt": .string("\(index)?"), "answer": .string(answers[index + 1] ?? ""),
      ]
      return JSONValue.object(object).line + "\n"
    }
    return try sample.folder.write(lines.joined(), to: "own.jsonl")
  }

  @Test func baseAndAdapterStandSideBySide() throws {
    let own = try ownAnswers()
    let result = try eval(own, sample.package).expectSuccess()
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines[0].split(separator: " ") == ["base", "echo", "change"], "\(lines[0])")
    let exact = try #require(lines.first { $0.hasPrefix("exactMatch") })
    #expect(exact.contains("1.000 [1.00, 1.00]"), "\(exact)")
    for name in ["loss", "perplexity", "normalizedMatch", "cut", "tokens/s"] {
      #expect(lines.contains { $0.hasPrefix(name) }, "\(name)")
    }
    #expect(lines.contains("Worst answers of echo"))
    #expect(lines.count { $0.hasPrefix("  answer") } == 3)
    let none = try eval(own, sample.package, "--worst", "0")
    #expect(!none.text.contains("Worst"))
    let narrow = try Tool.run(
      ["eval", own, sample.package, "--base", sample.base, "-n", "6", "--worst", "0"],
      environment: ["COLUMNS": "40"])
    #expect(narrow.text.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(narrow.text)")
  }

  /// A class of most lines makes figures look better than they are.
  @Test func whatAlwaysTheSameAnswerGetsIsSaid() throws {
    let lines = (0..<12).map { index in
      #"{"prompt": "\#(index)?", "answer": "\#(index < 9 ? "b" : "c\(index)")"}"# + "\n"
    }
    let most = try sample.folder.write(lines.joined(), to: "most.jsonl")
    let note =
      "the right answer of 9 of 12 lines is 'b': always answering that makes exactMatch 0.750\n"
    #expect(try eval(most, sample.package).errorText.contains(note))
    #expect(try !eval(most, sample.package, "--limit", "9").errorText.contains("always answering"))
    #expect(try !eval(data, sample.package).errorText.contains("always answering"))
  }

  /// Nothing takes the place of a device, and that is said before anything is measured.
  @Test func reportsAreFiles() throws {
    let pipe = sample.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let result = try eval(data, sample.package, "-o", pipe, "--force")
    #expect(result.status == 4 && result.text.isEmpty)
    #expect(
      result.errorText.hasPrefix("fmadapter: error: \(pipe): not a regular file"),
      "\(result.errorText)")
  }

  /// However many are answered at once, and whatever guesses.
  @Test func theSameComesOfAnyBatch() throws {
    let one = try json([data, sample.package, "--batch", "1"])
    let many = try json([data, sample.package, "--batch", "4"])
    for (first, second) in zip(Self.subjects(one), Self.subjects(many)) {
      #expect(first["figures"] == second["figures"])
      #expect(first["answers"] == second["answers"])
    }
    let drawn = try [1, 2].map { _ in
      try json([data, sample.package, "--temperature", "1", "--seed", "4"])
    }
    #expect(Self.answers(Self.subjects(drawn[0])[1]) == Self.answers(Self.subjects(drawn[1])[1]))
    #expect(Self.answers(Self.subjects(drawn[0])[1]) != Self.answers(Self.subjects(one)[1]))
  }

  /// What training holds out, this measures again: but for the halves that a package has.
  @Test func theLossIsThatOfTraining() throws {
    let package = sample.folder.path("mine.fmadapter")
    let training = try Tool.run(
      "train", data, "--valid", data, "--base", sample.base, "-o", package, "--threads", "1",
      "--steps", "12", "--rank", "2", "--tokens", "40", "--learning-rate", "0.02", "--json"
    ).expectSuccess()
    let last = try #require(training.text.split(separator: "\n").last)
    let end = try #require(try JSONDocument(parsing: Array(last.utf8)).root.object)
    let subjects = Self.subjects(try json([data, package]))
    for (subject, key) in zip(subjects, ["heldOutLossBefore", "heldOutLossAfter"]) {
      let stated = try #require(end[key]?.number?.double)
      let found = try #require(Self.figure(subject, "loss"))
      #expect(abs(found - stated) < 2e-3 * stated, "\(key) \(stated) \(found)")
      let perplexity = try #require(Self.figure(subject, "perplexity"))
      #expect(abs(perplexity - exp(found)) < 1e-9 * perplexity)
    }
    let above = subjects[1]["aboveBase"]?.object?["loss"]?.object?["value"]?.number?.double
    #expect(try #require(above) < 0)
  }

  @Test func severalAdaptersOrNone() throws {
    let other = sample.folder.path("other.fmadapter")
    let report = try json([data, sample.package, other, "--no-base", "--limit", "2", "--seed", "7"])
    #expect(report["settings"]?.object?["seed"]?.integer == 7)
    let subjects = Self.subjects(report)
    #expect(subjects.map { $0["name"]?.string } == ["echo", "other"])
    #expect(subjects.allSatisfy { $0["aboveBase"] == nil && $0["answers"]?.array?.count == 2 })
    #expect(report["data"]?.object?["measured"] == .integer(2))
    #expect(report["data"]?.object?["lines"] == .integer(6))
    let alone = try json([data, "--no-base"])
    #expect(Self.subjects(alone).map { $0["name"]?.string } == ["base"])
    #expect(alone["isComplete"] == .bool(true))
  }

  @Test func aSecondFileShowsWhatWasForgotten() throws {
    let outside = try sample.folder.write(
      "{\"text\": \"all else that there is\"}\n{\"prompt\": \"a\", \"answer\": \"b\"}\n",
      to: "outside.jsonl")
    let report = try json([data, sample.package, "--outside", outside])
    let subjects = Self.subjects(report)
    let losses = try subjects.map { try #require(Self.figure($0, "outside.loss")) }
    let forgotten = try #require(Self.figure(subjects[1], "forgotten"))
    #expect(abs(forgotten - (losses[1] - losses[0])) < 1e-9)
    #expect(Self.figure(subjects[0], "forgotten") == nil)
    #expect(Self.figure(subjects[1], "outside.exactMatch") != nil)
    #expect(subjects[1]["answersOutside"]?.array?.count == 2)
    try eval(
      data, sample.package, "--outside", outside, "--require", "forgotten<100", "--require",
      "outside.loss<=100", "--limit", "1"
    ).expectSuccess(saying: "forgotten<100 holds: echo has ")
    try eval(
      data, sample.package, "--outside", outside, "--require", "forgotten<-100"
    ).expectStatus(4)
  }

  @Test func requirementsDecideTheExitCode() throws {
    let own = try ownAnswers()
    let holds = try eval(own, sample.package, "--require", "exactMatch>=0.9").expectSuccess()
    #expect(holds.errorText.contains("exactMatch>=0.9 holds: echo has 1.000 [1.00, 1.00]\n"))
    let failed = try eval(
      data, sample.package, "--require", "exactMatch>=90%", "--require", "cut < 2", "--require",
      "normalizedMatch>0.5"
    ).expectStatus(4)
    let said =
      "fmadapter: error: exactMatch>=90% does not hold: echo has 0.000 [0.00, 0.00]\n"
      + "normalizedMatch>0.5 does not hold: echo has 0.000 [0.00, 0.00]\n"
    #expect(failed.errorText.hasSuffix(said), "\(failed.errorText)")
    // The report is there all the same.
    #expect(failed.text.contains("exactMatch"))
  }

  static let usage: [(words: [String], problem: String)] = [
    (
      ["--require", "accuracy>=0.9"],
      "there is no measure 'accuracy'; this file has loss, perplexity, exactMatch, normalizedMatch, cut"
    ),
    (
      ["--require", "schema>=0.9"],
      "nothing here can be measured by schema; this file has loss, perplexity, exactMatch, normalizedMatch, cut"
    ),
    (["--require", "forgotten<1"], "nothing here can be measured by forgotten"),
    (["--pattern", "("], "The pattern '(' has an open parenthesis at 1"),
    (["--record"], "--record needs an adapter"),
    (["echo", "--record"], "--record cannot write into 'echo', which is installed"),
    (["echo", "echo"], "an adapter is named twice"),
  ]

  @Test(arguments: usage) func linesThatAreWrongAreRefused(
    _ words: [String], _ problem: String
  ) throws {
    let result = try Tool.run(["eval", data] + words).expectStatus(2)
    #expect(result.errorText.hasPrefix("fmadapter: error: \(problem)"), "\(result.errorText)")
  }

  @Test(arguments: ["exactMatch", "exactMatch>=x", ">=0.9", "exactMatch=0.9", "a>=nan"])
  func aRequirementHasAForm(_ text: String) throws {
    try Tool.run("eval", data, "--require", text).expectStatus(
      2, saying: "a measure and a bound, such as exactMatch>=0.9")
  }

  /// Keys of JSON, which measures are called after, may have spaces.
  @Test func requirementsNameFieldsWithSpaces() throws {
    let line = #"{"prompt": "a", "answer": "{\"first name\": 1}"}"# + "\n"
    let path = try sample.folder.write(line, to: "spaces.jsonl")
    let result = try eval(path, "--require", " fields.first name >= 0 ").expectSuccess()
    #expect(result.errorText.contains("fields.first name >= 0  holds: base has 0.000"))
  }

  @Test func badFilesAreRefused() throws {
    func problem(_ text: String, _ words: String...) throws -> (Int32, String) {
      let path = try sample.folder.write(text, to: "bad.jsonl")
      let result = try Tool.run(["eval", path, "--base", sample.base] + words)
      #expect(result.text.isEmpty)
      return (result.status, result.errorText)
    }
    let path = sample.folder.path("bad.jsonl")
    #expect(
      try problem("") == (
        4,
        "fmadapter: error: \(path): there is nothing to measure in it; give lines with a prompt and an answer\n"
      ))
    #expect(
      try problem("{\"prompt\": \"a\", \"answer\": \"b\"}\n{\"prompt\": \"a\"}\n") == (
        4,
        "fmadapter: error: \(path): line 2: says nothing about the answer; give completion, answer, rule, schema or options\n"
      ))
    let data = try problem("nothing\n{\"prompt\": \"a\", \"completion\": \"\"}\n")
    #expect(data.0 == 4 && data.1.contains("line.json"), "\(data.1)")
    try Tool.run("eval", sample.folder.path("none.jsonl"), "--base", sample.base).expectStatus(3)
    let schema = try sample.folder.write("{\"type\": \"x\"}", to: "schema.json")
    try eval(self.data, "--schema", schema).expectStatus(
      4,
      error: "\(schema): The schema has the type 'x' at #, which there is not; "
        + "use object, array, string, integer, number, boolean or null")
  }

  @Test func anAdapterOfAnotherBaseIsRefused() throws {
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    try eval(data, other.package).expectStatus(6, saying: "is for the base dddd")
  }

  @Test func figuresAreRecordedInThePackage() throws {
    let own = try ownAnswers()
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.package + "/adapter_weights.bin"))
    try eval(own, sample.package, "--outside", data, "--record").expectSuccess(
      saying: "recorded in \(sample.package)\n")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: sample.package + "/metadata.json"))
    let metadata = try AdapterMetadata(parsing: Array(bytes), file: "metadata.json")
    let found = try #require(metadata.settings.evaluation?.object)
    #expect(found["adapter"]?.object?["exactMatch"]?.number?.double == 1)
    #expect(found["base"]?.object?["exactMatch"]?.number?.double == 0)
    #expect(found["intervals"]?.object?["loss"]?.array?.count == 2)
    #expect(found["lines"] == .integer(6) && found["set"] == .string("own.jsonl"))
    for (key, path) in [
      ("setSHA256", own), ("baseSHA256", sample.base), ("outsideSetSHA256", data),
      ("weightsSHA256", sample.package + "/adapter_weights.bin"),
    ] {
      #expect(found[key] == .string(try SHA256.hex(ofFile: path)), "\(key)")
    }
    let after = try Data(contentsOf: URL(fileURLWithPath: sample.package + "/adapter_weights.bin"))
    #expect(before == after && metadata.settings.alpha == 4 && metadata.author == "a test")
    try Tool.run("check", sample.package, "--base", sample.base).expectSuccess()
    let info = try Tool.run("info", sample.package).text
    #expect(info.contains("fmadapter.evaluation.adapter.exactMatch"), "\(info)")
  }

  /// Whoever reads the table may close the pipe before its end.
  @Test func figuresAreRecordedBeforeTheyArePrinted() throws {
    let words = ["eval", data, sample.package, "--base", sample.base, "--threads", "1", "--record"]
    let result = try Subprocess.run(
      "/bin/bash", ["-c", "\"$TOOL\" \"$@\" | true; exit ${PIPESTATUS[0]}", "bash"] + words,
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "TOOL": Tool.path])
    #expect(result.status == 128 + SIGTERM, "\(result.errorText)")
    #expect(try Tool.run("info", sample.package).text.contains("fmadapter.evaluation.adapter"))
  }

  /// What training held out stays beside what is measured later.
  @Test func theHeldOutLossStays() throws {
    let package = sample.folder.path("mine.fmadapter")
    try Tool.run(
      "train", data, "--valid", data, "--base", sample.base, "-o", package, "--steps", "2",
      "--rank", "2", "--learning-rate", "0.01"
    ).expectSuccess()
    for _ in 0..<2 { try eval(data, package, "--record", "--limit", "2").expectSuccess() }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: package + "/metadata.json"))
    let metadata = try AdapterMetadata(parsing: Array(bytes), file: "metadata.json")
    let found = metadata.settings.evaluation?.object
    #expect(found?["heldOutLoss"]?.object?["adapter"] != nil && found?["lines"] == .integer(2))
    #expect(metadata.settings.trainedOn != nil)
  }

  @Test func everyKindOfLineIsMeasured() throws {
    _ = try sample.folder.write(
      #"[{"type": "function", "function": {"name": "wake", "description": "Wakes.", "parameters": {"type": "object", "properties": {}}}}]"#,
      to: "tools.json")
    let lines = [
      #"{"prompt": "a", "rule": {"words": [0, 900]}, "task": "t", "group": "g"}"#,
      #"{"prompt": "b", "rule": {"exact": "never"}, "task": "u", "group": "g"}"#,
      #"{"prompt": "{options}?", "options": ["x", "y"], "answer": "y"}"#,
      #"{"prompt": "p", "chosen": "good", "rejected": "bad"}"#,
      #"{"prompt": "j", "answer": "{\"a\": 1}", "schema": {"type": "object"}}"#,
      #"{"prompt": "w", "tools": ["wake"], "rule": {"calls": []}}"#,
      #"{"prompt": "n", "tags": ["a"]}"#, #"{"text": "only to be foretold"}"#,
    ]
    let mixed = try sample.folder.write(lines.joined(separator: "\n"), to: "mixed.jsonl")
    let report = try json([mixed, "--pattern", "."])
    let figures = try #require(Self.subjects(report)[0]["figures"]?.object)
    #expect(
      Set(figures.keys) == [
        "loss", "perplexity", "exactMatch", "normalizedMatch", "validJSON", "fields", "fields.a",
        "schema", "rule", "rule.t", "rule.u", "rule.mixed", "groups", "pattern", "choice",
        "choiceBothWays", "choiceSwayed", "preferred", "margin", "cut", "oneRight",
      ])
    #expect(figures["choice"]?.object?["lines"] == .integer(1))
    #expect(figures["choiceBothWays"]?.object?["lines"] == .integer(1))
    #expect(figures["loss"]?.object?["lines"] == .integer(4))
    #expect(Self.figure(Self.subjects(report)[0], "rule.t") == 1)
    #expect(Self.figure(Self.subjects(report)[0], "groups") == 0)
  }

  @Test func aPromptWithoutRoomCountsAsWrong() throws {
    let long = String(repeating: "a", count: 400)
    let path = try sample.folder.write(
      "{\"prompt\": \"\(long)\", \"answer\": \"b\"}\n{\"prompt\": \"a\", \"answer\": \"b\"}\n",
      to: "long.jsonl")
    let result = try eval(path, "--json").expectSuccess(
      saying: "1 prompt without room for an answer, which count as wrong",
      "1 line is longer than the context of 256 tokens: its loss is of its beginning alone")
    let report = try #require(try JSONDocument(parsing: Array(result.output)).root.object)
    let figures = Self.subjects(report)[0]["figures"]?.object
    #expect(figures?["exactMatch"]?.object?["lines"] == .integer(2))
    #expect(figures?["loss"]?.object?["lines"] == .integer(1))
  }

  /// Ctrl-C shows what there is by then.
  @Test func whatWasMeasuredStays() throws {
    let lines = (0..<60).map { #"{"prompt": "\#($0)?", "completion": "\#($0)!"}"# + "\n" }
    let many = try sample.folder.write(lines.joined(), to: "many.jsonl")
    let output = sample.folder.path("cut.json")
    let terminal = try PseudoTerminal(
      ["eval", many, sample.package, "--base", sample.base, "-n", "200", "-o", output, "--record"]
        + ["--report", sample.folder.path("cut.html")],
      environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "answers"))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(terminal.screen.contains("stopped after "), "\(terminal.screen)")
    #expect(terminal.screen.contains("exactMatch"))
    let report = try JSONDocument(
      parsing: Array(Data(contentsOf: URL(fileURLWithPath: output)))
    ).root.object
    #expect(report?["isComplete"] == .bool(false))
    let answered = Self.subjects(try #require(report)).map { subject in
      subject["answers"]?.array?.count { $0.object?["answer"] != nil } ?? 0
    }
    #expect(answered.count == 2 && answered[1] < 60, "\(answered)")
    #expect(report?["data"]?.object?["measured"]?.integer == answered.min())
    #expect(
      terminal.screen.contains("stopped after \(answered.reduce(0, +)) of 120 answers"),
      "\(answered) \(terminal.screen)")
    let page = try String(contentsOfFile: sample.folder.path("cut.html"), encoding: .utf8)
    #expect(page.contains("measured: base on \(answered[0]), echo on \(answered[1]) of 60 lines"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: sample.package + "/metadata.json"))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("evaluation"))
  }
}
