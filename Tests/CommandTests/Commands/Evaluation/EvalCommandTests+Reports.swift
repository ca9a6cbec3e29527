import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

// The files that `eval` writes.
extension EvalCommandTests {
  @Test func reportsGoWhereTheyCan() throws {
    let over = try eval(data, "-o", data).expectStatus(2)
    #expect(
      over.errorText.hasPrefix(
        "fmadapter: error: \(data) is a file that is read; give the report another name\n"),
      "\(over.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: data)).count > 100)
    try eval(data, "--report", "/nowhere/x.html").expectStatus(
      3,
      error: "/nowhere: there is no such folder to write the report to")
    let folder = try eval(data, "--report", sample.package)
    #expect(folder.status == 2 && folder.errorText.contains("is a folder"))
    let within = sample.package + "/metadata.json"
    let own = try eval(data, sample.package, "-o", within, "--force")
    #expect(own.status == 2 && own.errorText.contains("\(within) is a file that is read"))
    let page = try sample.folder.write("mine", to: "page.html")
    let there = try eval(data, "--limit", "1", "--report", page).expectStatus(2)
    #expect(
      there.errorText.hasPrefix(
        "fmadapter: error: \(page) exists already; give another path, or --force to replace it\n"),
      "\(there.errorText)")
    #expect(try String(contentsOfFile: page, encoding: .utf8) == "mine")
    try eval(data, "--limit", "1", "--report", page, "--force").expectSuccess()
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<html"))
  }

  /// A figure that rounds to its bound is shown as it is, and one of a single line has no interval.
  @Test func figuresShowWhereTheyStand() throws {
    let lines = (0..<3).map {
      #"{"prompt": "a", "rule": {"words": [\#($0 == 0 ? 900 : 0), 999]}}"# + "\n"
    }
    let path = try sample.folder.write(lines.joined(), to: "thirds.jsonl")
    try eval(path, "--require", "rule>=0.667").expectStatus(4, saying: "has 0.6666666666666666 [")
    let one = try eval(path, "--limit", "1").expectSuccess()
    let rule = one.text.split(separator: "\n").first { $0.hasPrefix("rule") }
    #expect(rule?.split(separator: " ") == ["rule", "0.000"], "\(one.text)")
  }

  /// Whoever measures again has to know what was said beside the data.
  @Test func whatFiguresFollowFromIsTold() throws {
    let schema = try sample.folder.write(#"{ "type": "object" }"#, to: "any.schema.json")
    let output = sample.folder.path("conditions.json")
    try eval(
      data, sample.package, "--record", "-o", output, "--instructions", "Be brief.", "--limit", "2",
      "--schema", schema, "--pattern", "a", "--kv", "f32", "--outside", data
    ).expectSuccess()
    func object(_ path: String) throws -> JSONObject? {
      try JSONDocument(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))).root.object
    }
    let metadata = try object(sample.package + "/metadata.json")
    let own = metadata?["creatorDefined"]?.object?["fmadapter"]?.object
    let wanted: JSONObject = [
      "instructions": .string("Be brief."), "limit": .integer(2), "pattern": .string("a"),
      "kv": .string("f32"),
      "schemaSHA256": .string(SHA256.hex(Array(#"{"type": "object"}"#.utf8))),
    ]
    for found in [try object(output)?["settings"]?.object, own?["evaluation"]?.object] {
      for member in wanted.members { #expect(found?[member.key] == member.value, "\(member.key)") }
      #expect(found?["chatFormat"] == nil && found?["temperature"] != nil)
    }
    #expect(own?["evaluation"]?.object?["outsideLines"] == .integer(2))
  }

  /// Lines that draw with one seed would answer alike, and be one answer that is counted often.
  @Test func linesAreDrawnEachForItself() throws {
    let lines = String(repeating: "{\"prompt\": \"a\", \"answer\": \"b\"}\n", count: 8)
    let path = try sample.folder.write(lines, to: "same.jsonl")
    let result = try eval(path, "--temperature", "1", "--seed", "3", "--json").expectSuccess()
    let report = try JSONDocument(parsing: Array(result.output)).root.object
    let answers = report?["subjects"]?.array?.first?.object?["answers"]?.array ?? []
    let found = answers.compactMap { value -> (seed: String, answer: String)? in
      guard let seed = value.object?["seed"], let answer = value.object?["answer"]?.string else {
        return nil
      }
      return (seed.string ?? seed.line, answer)
    }
    #expect(Set(found.map(\.seed)).count == 8 && Set(found.map(\.answer)).count > 1, "\(found)")
    let first = try #require(found.first)
    let prompts = try sample.folder.write("{\"prompt\": \"a\"}\n", to: "one.jsonl")
    let again = try Tool.run(
      "run", "--no-adapter", "--base", sample.base, "--input", prompts, "-n", "6",
      "--temperature", "1", "--seed", first.seed)
    let row = try JSONDocument(parsing: Array(again.output)).root.object
    #expect(row?["answer"]?.string == first.answer)
  }

  @Test func namesOfAnyLengthStandApartFromTexts() throws {
    let ids = ["a", "triage-00001", String(repeating: "long-", count: 20) + "end"]
    let lines = ids.map {
      "{\"id\": \"\($0)\", \"prompt\": \"p?\", \"answer\": [\"x\", \"y\"]}\n"
    }
    let path = try sample.folder.write(lines.joined(), to: "ids.jsonl")
    let result = try Tool.run(
      ["eval", path, "--base", sample.base, "-n", "6"], environment: ["COLUMNS": "60"]
    ).expectSuccess()
    let shown = result.text.split(separator: "\n").drop { !$0.hasPrefix("Worst") }.dropFirst()
    let width = 60 / 3
    #expect(shown.count == 9)
    for line in shown {
      #expect(line.dropFirst(2 + width).hasPrefix("  ") && line.count <= 60, "\(line)")
    }
    #expect(result.text.contains("\n  triage-00001          p?\n"), "\(result.text)")
    #expect(
      result.text.contains("-end  p?\n") && result.text.contains("  right                 x | y\n"))
  }

  @Test func whatIsNotReadIsTold() throws {
    let path = try sample.folder.write(
      "{\"prompt\": \"p\", \"answer\": \"a\", \"ruel\": 1, \"source\": \"x\"}\n", to: "keys.jsonl")
    let result = try eval(path).expectSuccess()
    let told = [
      "\(path): line 1: 'ruel' is not read; did you mean 'rule'?\n",
      "\(path): not read: 'source' (1 line)\n",
    ]
    for text in told { #expect(result.errorText.contains(text), "\(result.errorText)") }
    #expect(
      try eval(path, "--json").errorText.contains(
        #"'ruel' is not read", "remedy": "did you mean 'rule'?"}"#))
  }

  @Test func filesTellAllAndObeyNothing() throws {
    let lines = (0..<3).map {
      "{\"prompt\": \"<script>\($0)</script>\\u001b[2J\", \"answer\": \"<b>&\"}\n"
    }
    let hostile = try sample.folder.write(lines.joined(), to: "hostile.jsonl")
    let (page, output) = (sample.folder.path("report.html"), sample.folder.path("report.json"))
    let result = try eval(hostile, sample.package, "--report", page, "-o", output).expectSuccess()
    #expect(Hostile.found(in: result.output) == [])
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.hasPrefix("<!DOCTYPE html>") && html.contains("</html>"))
    #expect(html.contains("&lt;script&gt;0&lt;/script&gt;") && html.contains("&lt;b&gt;&amp;"))
    for forbidden in ["<script", "<b>", "://", "\u{1B}"] { #expect(!html.contains(forbidden)) }
    for shown in ["exactMatch", "<svg", "line 1", "echo", "base signature"] {
      #expect(html.contains(shown), "\(shown)")
    }
    let report = try JSONDocument(
      parsing: Array(Data(contentsOf: URL(fileURLWithPath: output)))
    ).root.object
    #expect(report?["measures"]?.object?["loss"] != nil)
    #expect(report?["data"]?.object?["sha256"] == .string(try SHA256.hex(ofFile: hostile)))
  }

  /// A signal that ends the program leaves the time to tell what was measured, here as long as nobody reads more than a pipe
  /// holds.
  @Test func whatWasMeasuredIsToldAtASignal() throws {
    let many = try sample.folder.write(SampleBase.examples(2000), to: "many.jsonl")
    let pipe = sample.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let terminal = try PseudoTerminal(
      ["-c", "exec \"$0\" \"$@\" > '\(pipe)'", Tool.path, "eval", many, sample.package, "--json"]
        + ["--base", sample.base, "-n", "200", "--no-base"],
      program: "/bin/sh", environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    let reader = FileHandle(fileDescriptor: open(pipe, O_RDONLY), closeOnDealloc: true)
    #expect(terminal.wait(for: "answers"))
    terminal.interrupt(SIGTERM)
    #expect(terminal.wait(for: "telling what was measured"))
    let told = try JSONDocument(parsing: Array(reader.readDataToEndOfFile())).root.object
    #expect(told?["isComplete"] == .bool(false))
    #expect(terminal.finish() == 143)
  }

  /// Whether it would have gone on is asked of the model.
  @Test func anAnswerThatJustFitsIsNotCut() throws {
    func answers(_ limit: Int) throws -> [Int: (tokens: Int, isCut: Bool)] {
      let report = try Tool.run(
        "eval", data, "--base", sample.base, "--threads", "1", "--temperature", "2", "--seed", "1",
        "-n", "\(limit)", "--json"
      ).expectSuccess()
      let root = try #require(try JSONDocument(parsing: Array(report.output)).root.object)
      return (Self.subjects(root)[0]["answers"]?.array ?? []).reduce(into: [:]) { found, value in
        guard let line = value.object?["line"]?.integer,
          let tokens = value.object?["tokens"]?.integer,
          let cut = value.object?["scores"]?.object?["cut"]?.number?.double
        else { return }
        found[line] = (tokens, cut == 1)
      }
    }
    let long = try answers(180)
    let (line, whole) = try #require(long.first { !$1.isCut && $1.tokens > 1 }, "\(long)")
    let fitting = try #require(try answers(whole.tokens)[line])
    #expect(fitting.tokens == whole.tokens && !fitting.isCut)
    let cut = try #require(try answers(whole.tokens - 1)[line])
    #expect(cut.tokens == whole.tokens - 1 && cut.isCut)
  }
}
