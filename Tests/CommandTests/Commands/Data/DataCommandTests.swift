import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct DataCommandTests {
  private let sample: SampleBase

  init() throws { sample = try SampleBase() }

  private static func pair(_ prompt: String, _ answer: String) -> String {
    "{\"prompt\": \"\(prompt)\", \"completion\": \"\(answer)\"}\n"
  }

  private func write(_ text: String, to name: String = "x.jsonl") throws -> String {
    try sample.folder.write(text, to: name)
  }

  @Test func aGoodFileIsAccepted() throws {
    let file = try write(Self.pair("Q", "A") + Self.pair("R", "B"))
    let result = try Tool.run("data", "check", file, "--base", sample.base).expectSuccess()
    #expect(result.text == "\(file): accepted, 2 examples, no findings\n")
    #expect(result.errorText.isEmpty)
  }

  @Test func everyFindingIsReportedInOneRun() throws {
    let file = try write(Self.pair("Q", "") + "{\n" + Self.pair("Q", "A") + Self.pair("Q", "A"))
    let result = try Tool.run("data", "check", file).expectStatus(4)
    #expect(result.text.contains("error    answer.empty"))
    // Lines break where the path of the file lets them.
    let words = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("line 2, byte 35"))
    #expect(result.text.contains("error    line.json"))
    #expect(result.text.contains("warning  example.duplicate"))
    #expect(words.hasSuffix("x.jsonl: refused, 2 examples, 2 errors, 1 warning"))
    #expect(
      result.errorText
        == "no base is in use, so tokens are not counted; name one with --base\n")
  }

  @Test func findingsAreJSONToo() throws {
    let file = try write(String(repeating: Self.pair("Q", "A"), count: 2))
    let long = try write(Self.pair("Q", String(repeating: "A", count: 300)), to: "long.jsonl")
    let report = try Tool.run("data", "check", file, long, "--base", sample.base, "--json")
      .expectSuccess().object()
    #expect(report["accepted"] as? Bool == true)
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(
      findings.map { $0["rule"] as? String }
        == ["example.duplicate", "tokens.context", "prompt.leaked"])
    let place = try #require(findings[0]["place"] as? [String: Any])
    #expect(place["line"] as? Int == 2)
    #expect(place["offset"] as? Int == 35)
  }

  @Test func findingsAreSARIFToo() throws {
    let file = try write(String(repeating: Self.pair("Q", "A"), count: 3), to: "a b.jsonl")
    let log = try Tool.run("data", "check", file, "--base", sample.base, "--sarif")
      .expectSuccess().object()
    #expect(log["version"] as? String == "2.1.0")
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let driver = (run["tool"] as? [String: [String: Any]])?["driver"]
    let rules = try #require(driver?["rules"] as? [[String: Any]])
    #expect(rules.map { $0["id"] as? String } == ["example.duplicate"])
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.map { $0["level"] as? String } == ["warning", "warning"])
    let location = (results[1]["locations"] as? [[String: [String: [String: Any]]]])?.first
    let place = try #require(location?["physicalLocation"])
    #expect(place["region"]?["startLine"] as? Int == 3)
    let path = file.replacing(" ", with: "%20")
    #expect(place["artifactLocation"]?["uri"] as? String == "file://\(path)")
    try Tool.run("data", "check", file, "--json", "--sarif").expectStatus(2)
  }

  @Test func statisticsCountTokensOfTheBase() throws {
    let file = try write(Self.pair("Q", "AB") + Self.pair("R", "B"))
    let result = try Tool.run(
      "data", "stats", file, "--base", sample.base, environment: ["LC_ALL": "C"]
    ).expectSuccess()
    // <s><|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nAB<|im_end|>\n in bytes and marks.
    #expect(
      result.text == """
        \(file)
        examples  2 (completion 2)
        messages  user 2, assistant 2
        learnt    5 of 49 tokens, 10.2 %

        EACH EXAMPLE   MIN  MEDIAN  P95  MAX  TOTAL
        answers          1       1    1    1      2
        characters       2       2    3    3      5
        tokens          24      24   25   25     49
        tokens learnt    2       2    3    3      5

                                 @@
          examples by length, 1 to 25 tokens; the highest bar is 1 example

        """)
    let report = try Tool.run("data", "stats", file, "--json").object()
    let first = try #require((report["files"] as? [[String: Any]])?.first)
    #expect(first["examples"] as? Int == 2)
    #expect(first["tokens"] is NSNull)
    #expect((first["characters"] as? [String: Int])?["total"] == 5)
  }

  @Test func splitSaysWhatItKeptTogether() throws {
    let things = ["lamp", "coat", "drum", "tent", "clock"]
    let templates = [
      "Please send me the bill for my THING", "How long does it take to mend a THING",
    ]
    func run(_ count: Int, _ more: String...) throws -> ProcessResult {
      let lines = templates.prefix(count).flatMap { template in
        things.map { Self.pair(template.replacing("THING", with: $0), "A") }
      }
      return try Tool.run(
        ["data", "split", try write(lines.joined()), "--held-out", "50%", "--force", "-o"]
          + [sample.folder.path("out")] + more)
    }
    let two = try run(2)
    #expect(
      two.errorText
        == "5 examples to train on, 5 held out\n2 families of like examples, each on one side; the largest has 5, such as lines 1 and 2\n"
    )
    let json = try run(2, "--json").text
    #expect(json.contains("\n        \"count\": 2,\n"), "\(json)")
    try run(1).expect(
      saying:
        "1 family of like examples, too few for whole ones to be held out; the largest has 5, such as lines 1 and 2: some stand on both sides"
    )
  }

  @Test func splitWritesBothFilesOnce() throws {
    let lines = (0..<20).map { Self.pair("\($0)", "A") }
    let file = try write(lines.joined())
    let folder = sample.folder.path("out")
    let result = try Tool.run(
      "data", "split", file, "--held-out", "20%", "--seed", "3", "-o", folder
    ).expectSuccess()
    #expect(result.text == "\(folder)/train.jsonl\n\(folder)/valid.jsonl\n")
    #expect(
      result.errorText
        == "16 examples to train on, 4 held out\nno two examples are made alike\n")
    let train = try String(contentsOfFile: folder + "/train.jsonl", encoding: .utf8)
    let valid = try String(contentsOfFile: folder + "/valid.jsonl", encoding: .utf8)
    #expect(lines.filter { train.contains($0) != valid.contains($0) }.count == 20)
    try Tool.run("data", "split", file, "-o", folder).expectStatus(
      2, saying: "train.jsonl: exists already")
    try Tool.run("data", "split", file, "-o", folder, "--force").expectSuccess()
    try Tool.run("data", "split", file).expectStatus(2)
    try Tool.run("data", "split", file, "-o", folder, "--held-out", "100%").expectStatus(2)
  }

  @Test func aSetMayBeInParts() throws {
    let folder = sample.folder.path("set")
    for part in 0..<3 {
      let lines = (0..<8).map {
        Self.pair("Ask \("ABC".dropFirst(part).prefix(1)) for thing \($0)", "A")
      }
      _ = try sample.folder.write(lines.joined(), to: "set/\(part).jsonl")
    }
    let out = sample.folder.path("halves")
    let result = try Tool.run("data", "split", folder, "--held-out", "30%", "-o", out)
    #expect(
      result.errorText.contains(
        "such as line 1 of \(folder)/0.jsonl and line 2 of \(folder)/0.jsonl"),
      "\(result.errorText)")
    try Tool.run("data", "check", folder).expectSuccess()
    #expect(try Tool.run("data", "stats", folder).text.contains("24"))
    try Tool.run("data", "split", folder, "\(folder)/1.jsonl", "-o", out).expectStatus(
      2, saying: "\(folder)/1.jsonl: is the same file as \(folder)/1.jsonl; give it once")
    try Tool.run("data", "convert", "-", folder).expectStatus(2, saying: "standard input")
    try Tool.run("data", "split", folder, "-o", folder + "/").expectStatus(
      2, saying: "\(folder)/: what is written there would be parts of the set")
    _ = try sample.folder.write("", to: "set/3.parquet")
    try Tool.run("data", "stats", folder).expectStatus(
      2, saying: "\(folder)/3.parquet: is no data set by its name")
    try FileManager.default.createDirectory(
      atPath: out + "/none", withIntermediateDirectories: true)
    try Tool.run("data", "stats", out + "/none").expectStatus(3, saying: "has no data set")
  }

  @Test func splitRefusesBadFilesWithAllFindings() throws {
    let file = try write("{\n[]\n")
    let result = try Tool.run("data", "split", file, "-o", sample.folder.path("out")).expectStatus(
      4)
    #expect(result.errorText.contains("line.json"))
    #expect(result.errorText.contains("answer.missing"))
    #expect(!FileManager.default.fileExists(atPath: sample.folder.path("out")))
  }

  @Test func convertTellsWhatItLeftOutAndDidNotRead() throws {
    let lines = [
      #"{"id": 1, "prompt": "Q", "completion": "A", "label": true}"#,
      #"{"id": 2, "prompt": "Q", "completion": "B", "label": false}"#,
      #"{"id": 3, "prompt": "Q"}"#,
    ]
    let file = try write(lines.joined(separator: "\n"))
    let output = sample.folder.path("out.jsonl")
    let report = try Tool.run("data", "convert", file, "--skip", "-o", output, "--json")
      .expectSuccess().object()
    #expect(report["examples"] as? Int == 1 && report["skipped"] as? Int == 1)
    #expect(report["notToLearn"] as? Int == 1 && report["unread"] as? [String: Int] == ["id": 3])
    #expect(report["unreadIsCut"] as? Bool == false)
    let keys = (1...101).map { "\"key\($0)\": 1" }.joined(separator: ", ")
    let cut = try Tool.run(
      "data", "convert", "-", "-o", sample.folder.path("many.jsonl"), "--json",
      input: #"{"prompt": "Q", "completion": "A", \#(keys)}"#
    ).object()
    #expect(cut["unreadIsCut"] as? Bool == true && (cut["unread"] as? [String: Int])?.count == 100)
    let piped = try Tool.run(
      "data", "convert", "-", "--skip", input: lines.joined(separator: "\n"))
    #expect(
      piped.errorText
        == "1 example, 1 not to be learnt (label or weight), 1 left out\nnot read: 'id' (3 records)\n"
    )
    #expect(try piped.text == String(contentsOfFile: output, encoding: .utf8))
    let others = (0..<101).map { "\"k\($0)\": 1" }.joined(separator: ", ")
    let told = try Tool.run(
      "data", "convert", "-", input: "[{\"prompt\": \"Q\", \"completion\": \"A\", \(others)}]")
    #expect(told.errorText.hasSuffix("'k11' (1 record) and others\n"))
    try Tool.run("data", "convert", "-", input: "a,b\n1,2\n").expectStatus(
      4, saying: "standard input: the first record has 'a', 'b'")
  }

  @Test func renderShowsWhatIsLearnt() throws {
    let file = try write(Self.pair("Q", "A") + Self.pair("R", "B\\nC"))
    let result = try Tool.run("data", "render", file, "--line", "2", "--base", sample.base)
    #expect(
      result.text == """
        line 2: 26 tokens, 4 learnt
          <s><|im_start|>user\\n
          R<|im_end|>\\n
          <|im_start|>assistant\\n
        > B\\n
        > C<|im_end|>
          \\n

        """)
    let all = try Tool.run("data", "render", file, "--base", sample.base)
    #expect(all.text.hasPrefix("line 1: 24 tokens, 2 learnt\n"))
    #expect(all.text.contains("\n\nline 2: 26 tokens"))
  }

  @Test func renderedTokensAreJSONToo() throws {
    let file = try write(Self.pair("Q", "A"))
    let entry = try Tool.run("data", "render", file, "--json", "--base", sample.base).object()
    let tokens = try #require(entry["tokens"] as? [Int])
    let mask = try #require(entry["mask"] as? [Int])
    #expect(tokens.count == mask.count && entry["line"] as? Int == 1)
    #expect(zip(tokens, mask).filter { $1 == 1 }.map(\.0) == [68, 260])
    #expect((entry["text"] as? String)?.hasSuffix("assistant\nA<|im_end|>\n") == true)
  }

  @Test func renderNeedsALineThatIsThere() throws {
    let file = try write(Self.pair("Q", "A") + "\n{\n")
    func render(_ line: Int) throws -> ProcessResult {
      try Tool.run("data", "render", file, "--line", "\(line)", "--base", sample.base)
    }
    try render(1).expectSuccess()
    for line in [2, 4] {
      try render(line).expectStatus(3, saying: "there is no example on line \(line)")
    }
    try render(3).expectStatus(4, saying: "line.json")
    try Tool.run("data", "render", file, "--base", sample.base).expectStatus(4)
  }

  @Test func filesThatAreNotThere() throws {
    for command in ["check", "stats"] {
      let result = try Tool.run("data", command, "/nowhere/x.jsonl").expectStatus(3)
      #expect(result.text.isEmpty)
    }
  }

  @Test func aDataSetCannotSteerTheTerminal() throws {
    let file = try write(Self.pair("\\u001b[2J", "\\u001b[2J") + "{\"\\u001b[2J\": 1}\n")
    #expect(try !Tool.run("data", "check", file).output.contains(0x1B))
    let good = try write(Self.pair("\\u001b[2J", "A\\u001b[2J"), to: "good.jsonl")
    let rendered = try Tool.run("data", "render", good, "--base", sample.base).expectSuccess()
    #expect(!rendered.output.contains(0x1B))
  }
}
