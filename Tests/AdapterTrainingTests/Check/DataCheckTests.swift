import ChatTemplates
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct DataCheckTests {
  private static func check(_ files: String..., limit: Int = 1000) throws -> [String] {
    let folder = try TemporaryDirectory()
    var paths: [String] = []
    for (index, text) in files.enumerated() {
      paths.append(try folder.write(text, to: "\(index)"))
    }
    var check = DataCheck()
    check.lineLimit = limit
    return try check.run(paths).findings.map { finding in
      "\(finding.rule) \(finding.place.line ?? 0)@\(finding.place.offset ?? 0): \(finding.message)"
        .replacing(folder.path + "/", with: "")
    }
  }

  private static func pair(_ prompt: String, _ answer: String) -> String {
    #"{"prompt": "\#(prompt)", "completion": "\#(answer)"}"# + "\n"
  }

  @Test func aGoodFileHasNoFindings() throws {
    #expect(try Self.check(Self.pair("Q", "A") + Self.pair("Q", "B") + Self.pair("R", "A")).isEmpty)
  }

  /// Where answers are the names of classes, two to one prompt are one too many.
  @Test func contradictionsAreNamedWhereAnswersAreFew() throws {
    let labels = (0..<20).map { Self.pair("\($0)?", $0 % 2 == 0 ? "A" : "B") }.joined()
    let more = Self.pair("3?", "A") + Self.pair("4?", "B") + Self.pair("5?", "B")
    #expect(
      try Self.check(labels + more) == [
        "example.duplicate 23@\(labels.utf8.count + 2 * 36): The same example stands on line 6.",
        "prompt.disputed 21@0: 2 examples ask what stands before with another answer, this one on line 4.",
      ])
    // Texts of their own may be several to a prompt.
    let texts = (0..<20).map { Self.pair("\($0)?", "answer \($0)") }.joined()
    #expect(try Self.check(texts + Self.pair("3?", "A")).isEmpty)
  }

  @Test(arguments: ["", "\n\n"]) func anEmptyFileIsRefused(_ text: String) throws {
    #expect(try Self.check(text).last == "file.empty 0@0: The file has no examples.")
  }

  /// Labels of 0 and 1 are truth values where no other stands beside them.
  @Test(arguments: ["1", "\"1\"", "true", "null"]) func wrongAnswersAreNamed(
    _ other: String
  ) throws {
    func line(_ prompt: String, _ label: String) -> String {
      #"{"prompt": "\#(prompt)", "completion": "A", "label": \#(label)}"# + "\n"
    }
    let text = line("Q", "0") + line("R", other)
    let found = try Self.check(text)
    #expect(
      found.first
        == "example.not-to-learn 1@0: The label is 0: the answer is not to be learnt.")
    #expect(
      try Self.check(text + line("S", "2")) == [
        "example.ignored-key 1@0: The key 'label' is not read, here or on later lines."
      ])
  }

  @Test func aFileOfBadLinesIsNotCalledEmpty() throws {
    #expect(try Self.check("{\n").count == 1)
  }

  @Test func repeatedExamplesAreNamedInAnyForm() throws {
    let found = try Self.check(
      Self.pair("Q", "A")
        + #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]"#)
    #expect(
      found == [
        "example.duplicate 2@35: The same example stands on line 1.",
        "forms.mixed 2@35: The examples are of several forms: 'completion' on line 1; 'list' on line 2.",
      ])
  }

  @Test func pairsThatContradictEachOtherAreNamed() throws {
    func line(_ chosen: String, _ rejected: String) -> String {
      #"{"prompt": "Q", "chosen": "\#(chosen)", "rejected": "\#(rejected)"}"# + "\n"
    }
    #expect(try Self.check(line("A", "B") + line("A", "C") + line("C", "B")).isEmpty)
    #expect(
      try Self.check(line("A", "B") + line("B", "A")) == [
        "pair.opposed 2@48: The pair on line 1 has the same answers the other way round."
      ])
    let found = try Self.check(line("A", "B"), line("B", "A"))
    #expect(
      found.first
        == "pair.opposed 1@0: The pair on line 1 of 0 has the same answers the other way round.")
    #expect(
      try Self.check(Self.pair("R", "A") + line("A", "B")).map { $0.prefix { $0 != ":" } }
        == ["forms.mixed 2@35"])
  }

  /// One line may be a mistake, and so may all others.
  @Test func theLinesOfEachFormAreNamed() throws {
    let pair = #"{"prompt": "Q", "chosen": "A", "rejected": "B"}"# + "\n"
    let singles = (0..<7).map { Self.pair("\($0)", "A") }
    let found = try Self.check(
      singles.prefix(2).joined() + pair + singles.dropFirst(2).joined() + "{\"text\": \"x\"}\n")
    #expect(
      found == [
        "forms.mixed 3@70: The examples are of several forms: 'completion' on lines 1, 2, 4, 5, 6 and 2 more; "
          + "'preference' on line 3; 'text' on line 9."
      ])
  }

  @Test func examplesThatLeakAreNamed() throws {
    let found = try Self.check(
      Self.pair("Q", "A") + Self.pair("R", "B"), Self.pair("S", "A") + Self.pair("R", "B"))
    #expect(found == ["example.leaked 2@35: The same example stands on line 2 of 0."])
  }

  @Test func promptsThatLeakAreCounted() throws {
    let found = try Self.check(
      Self.pair("Q", "A") + Self.pair("R", "B"), Self.pair("Q", "B") + Self.pair("R", "C"))
    #expect(
      found == [
        "prompt.leaked 1@0: 2 examples ask what stands in 0 with another answer, this one on line 1."
      ])
  }

  @Test func templatesThatLeakAreCounted() throws {
    let found = try Self.check(
      Self.pair("Turn on the light in the hall", "A") + Self.pair("What is new?", "B"),
      Self.pair("Who are you?", "C") + Self.pair("Turn on the radio in the hall", "D")
        + Self.pair("Turn on the light in the garage", "E"))
    #expect(
      found == [
        "template.leaked 2@0: 2 of 3 examples are made like examples of 0, this one like that on line 1."
      ])
  }

  @Test func someInstructionsAreReportedOnce() throws {
    let plain = #"[{"role": "user", "content": "#
    let tail = #"}, {"role": "assistant", "content": "A"}]"# + "\n"
    let system = #"[{"role": "system", "content": "S"}, {"role": "user", "content": "#
    let found = try Self.check(
      plain + #""1""# + tail + system + #""2""# + tail + plain + #""3""# + tail)
    #expect(
      found == [
        "instructions.mixed 2@74: The example has a system message, that on line 1 has none."
      ])
  }

  @Test func linesBeyondTheLimitAreNamed() throws {
    let found = try Self.check(Self.pair("Q", String(repeating: "x", count: 100)), limit: 50)
    #expect(found == ["line.too-long 1@0: The line has 134 bytes, more than the limit."])
  }

  @Test func lineEndsOfOtherSystemsAreNotedOnce() throws {
    let text = (Self.pair("Q", "A") + Self.pair("R", "B")).replacing("\n", with: "\r\n")
    #expect(try Self.check(text) == ["line.crlf 1@0: Lines end with CR and LF."])
  }

  @Test func keysThatAreNotReadAreNotedOnceAFile() throws {
    let line =
      #"{"task": "x", "messages": [{"role": "user", "content": "N"}, {"role": "assistant", "content": "A"}]}"#
    let found = try Self.check(
      line.replacing("N", with: "1") + "\n" + line.replacing("N", with: "2") + "\n")
    #expect(
      found.map { $0.prefix { $0 != ":" } } == ["example.ignored-key 1@0", "example.first-key 1@0"])
  }

  @Test func marksInAnswersAreNamed() throws {
    let found = try Self.check(Self.pair("What is <|im_end|>?", "It is <|im_end|>."))
    #expect(
      found == [
        "answer.marks 1@0: The answer in message 2 has the text <|im_end|>, "
          + "which looks like a mark of a chat format."
      ])
  }

  /// Where the format writes them itself.
  @Test(
    arguments: [
      (nil, true), (ChatFormat.chatML, true), (.llama3, false), (.phi3, false),
    ] as [(ChatFormat?, Bool)]) func marksOfToolsInTextsAreNamed(
      _ format: ChatFormat?, _ isNamed: Bool
    ) throws
  {
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      Self.pair("Q", "<tool_call>{}</tool_call>") + Self.pair("What is <tool_response>?", "R"),
      to: "x")
    var check = DataCheck()
    check.renderer = try format.map { try RenderingFixture.renderer($0) }
    let found = try check.run([path]).findings.map { "\($0.rule): \($0.message)" }
    let expected = [("2", "<tool_call>"), ("1", "<tool_response>")].map { index, mark in
      "message.tool-marks: Message \(index) has the text \(mark), which the chat format writes around what it says of tools."
    }
    #expect(found == (isNamed ? expected : []))
  }

  /// The same on every line, and said of the first.
  @Test func aSchemaThatCannotBeReadIsNotedOnce() throws {
    let line =
      #"{"messages": [{"role": "user", "content": "N"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], "#
      + #""tools": [{"name": "f", "parameters": {"type": "dict"}}]}"# + "\n"
    let found = try Self.check(
      line.replacing("N", with: "1") + line.replacing("N", with: "2"))
    #expect(found.map { $0.prefix { $0 != ":" } } == ["schema.unchecked 1@0"])
  }

  @Test func aThousandOfARuleAreNamed() throws {
    let found = try Self.check(Self.pair("Q", "A") + String(repeating: "{\n", count: 1003))
    #expect(found.count == 1001)
    #expect(found.last == "check.limit 0@0: 3 further findings of line.json are left out.")
  }

  @Test(arguments: [10, 11, 2000])
  func aFileThatIsWrittenOtherwiseIsNamedOnce(_ count: Int) throws {
    let rows = (0..<count).map { "Where is order \($0)?,returns\n" }.joined()
    let first = "line.json 1@0: The line is not JSON: found 'W', expected a value."
    let found = try Self.check(rows)
    #expect(found.count == (count == 10 ? 10 : 2) && found.first == first, "\(found)")
    // Beside an example each is a line of its own.
    #expect(try Self.check(rows + Self.pair("Q", "A")).count == min(count, 1001))
    guard count > 10 else { return }
    #expect(
      found.last == "file.empty 0@0: The file has no examples: other lines are no JSON, either.")
  }

  /// As a table that Excel saved in the code page of its system, and a data set in another encoding.
  @Test(arguments: ["prompt,completion\n", ""])
  func aFileInAnotherEncodingIsNamedOnce(_ head: String) throws {
    let folder = try TemporaryDirectory()
    let rows = Array(repeating: Array("{\"Gr".utf8) + [0xFC, 0x0A], count: 11).joined()
    let found = try DataCheck().run([folder.write(Array(head.utf8) + rows, to: "a")]).findings
    #expect(found.map(\.rule) == [head.isEmpty ? "line.utf8" : "line.json", "file.empty"])
    #expect(found.last?.message.hasSuffix("other lines are no JSON in UTF-8, either.") == true)
    #expect(found.last?.remedy.contains("from its encoding") == true)
  }

  /// Whose lines are no text or no JSON, or neither.
  @Test(arguments: [
    (Array("PAR1\u{15}\n\n\u{15}".utf8), "a Parquet file"),
    (Array("PK\u{3}\u{4}\n".utf8) + [0xFF, 0x0A], "a workbook or another ZIP archive"),
  ])
  func aFileThatIsNoTextIsNamedOnce(_ bytes: [UInt8], _ kind: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(bytes, to: "a.jsonl")
    let other = try folder.write(Self.pair("Q", "A"), to: "b.jsonl")
    for paths in [[path], [path, other]] {
      let found = try DataCheck().run(paths).findings
      #expect(found.map(\.rule) == ["file.empty"], "\(found)")
      #expect(found.first?.message == "The file is \(kind).")
    }
    let error = #expect(throws: EvaluationError.self) { try EvaluationSet(path: path) }
    guard case .data(.refused(let report))? = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(report.findings.map(\.message) == ["The file is \(kind)."])
  }

  @Test func aReportIsRefusedForErrorsOnly() throws {
    let folder = try TemporaryDirectory()
    let good = try folder.write(Self.pair("Q", "A") + "\n" + Self.pair("Q", "A"), to: "good")
    let report = try DataCheck().run([good])
    #expect(report.isAccepted)
    #expect(report.findings.count { $0.severity == .warning } == 2)
    #expect(report.files == [.init(path: good, examples: 2)])
    #expect(try DataSet(path: good).examples.map(\.line) == [1, 3])
    let bad = try folder.write(Self.pair("Q", ""), to: "bad")
    #expect(try !DataCheck().run([good, bad]).isAccepted)
    #expect(
      throws: DataSetError.refused(try DataCheck().run([bad]))
    ) { try DataSet(path: bad) }
  }

  /// Lines are looked at by several threads, a block after the other, and told in their order.
  @Test func aLongFileIsToldInItsOrder() throws {
    let folder = try TemporaryDirectory()
    let lines = (1...1500).map { line in
      switch line % 100 {
      case 0: Self.pair("same", "\(line / 1000)")
      case 7: "{\n"
      case 60: Self.pair("\(line)?", "<turn_end>")
      case 90: Self.pair("\(line)?", String(repeating: "long ", count: 40))
      default: Self.pair("\(line)?", "\(line)!")
      }
    }
    let path = try folder.write(lines.joined(), to: "x")
    var check = DataCheck()
    check.renderer = try RenderingFixture.renderer()
    check.contextLength = 60
    check.threads = 1
    let alone = try check.run([path])
    check.threads = 5
    #expect(try check.run([path]) == alone)
    #expect(alone.files == [.init(path: path, examples: 1485)])
    let expected = (1...1500).compactMap { line -> String? in
      switch line % 100 {
      case 0 where ![100, 1000].contains(line): "example.duplicate \(line)"
      case 7: "line.json \(line)"
      case 60: "answer.marks \(line)"
      case 90: "tokens.context \(line)"
      default: nil
      }
    }
    #expect(alone.findings.map { "\($0.rule) \($0.place.line ?? 0)" } == expected)
  }

  @Test func partsOfASetAreNotHeldOut() throws {
    let folder = try TemporaryDirectory()
    let texts = [
      Self.pair("Q", "A"), Self.pair("R", "B") + Self.pair("Q", "A"), Self.pair("Q", "A"),
    ]
    let paths = try texts.enumerated().map { try folder.write($1, to: "\($0)") }
    let sets = [
      DataParts(name: "x", paths: Array(paths[..<2])), .init(name: "y", paths: [paths[2]]),
    ]
    var check = DataCheck()
    for size in [Int.max, 0] {
      check.sizeToReadTwice = size
      let report = try check.run(sets)
      #expect(
        report.findings.map { "\($0.rule) \($0.place.file) \($0.place.line ?? 0): \($0.message)" }
          == [
            "example.duplicate \(paths[1]) 2: The same example stands on line 1 of \(paths[0]).",
            "example.leaked \(paths[2]) 1: The same example stands on line 1 of \(paths[0]).",
          ])
      #expect(report.files.map(\.examples) == [1, 2, 1])
    }
  }

  @Test func aMissingFileIsAnError() throws {
    #expect(throws: DataSetError.self) { try DataCheck().run(["/nowhere/x.jsonl"]) }
    let folder = try TemporaryDirectory()
    let good = try folder.write(Self.pair("Q", "A"), to: "good")
    #expect(throws: DataSetError.cancelled) { try DataCheck().run([good], isCancelled: { true }) }
  }

  @Test func examplesAreHeldAgainstTheContext() throws {
    var check = DataCheck()
    check.renderer = try RenderingFixture.renderer()
    check.contextLength = 30
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      Self.pair("Hello!", "Hi") + Self.pair("Hello!", String(repeating: "Hi ", count: 40))
        + Self.pair(String(repeating: "Hi ", count: 40), "Hi"), to: "x")
    let pair = try folder.write(
      #"{"prompt": "Q", "chosen": "Hi", "rejected": "\#(String(repeating: "Hi ", count: 40))"}"#,
      to: "pair")
    #expect(try check.run([pair]).findings.map(\.rule) == ["tokens.context"])
    let found = try check.run([path]).findings
    #expect(found.map(\.rule) == ["tokens.context", "tokens.context"])
    #expect(found.first?.message == "The example has 66 tokens, the context of the base 30.")
    #expect(found.last?.message.hasSuffix("; none of its answers begins within it.") == true)
  }

  /// The format has no thoughts, so an answer would be learnt as if nobody had thought.
  @Test func thoughtsThatAreNotLearntAreNamed() throws {
    func line(_ answer: String) -> String {
      #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"\#(answer)}]"#
    }
    func messages(_ line: String) throws -> [String] {
      var check = DataCheck()
      check.renderer = try RenderingFixture.renderer(.chatML)
      let folder = try TemporaryDirectory()
      return try check.run([folder.write(line, to: "x")]).findings.map(\.message)
    }
    let thoughts =
      "The thoughts of the answer in message 2 are not learnt, as the base's template leaves them out there; "
      + "the answer is learnt without them."
    #expect(try messages(line(#", "reasoning_content": "T""#)) == [thoughts])
    #expect(try messages(line("")).isEmpty)
    let pair = #"""
      {"prompt": "Q", "chosen": "A", "rejected": [{"role": "assistant", "content": "B", "reasoning": "T"}]}
      """#
    #expect(try messages(pair) == [thoughts])
    let ignored = String(line(#", "weight": 0, "thinking": "T""#).dropLast())
    #expect(
      try messages(
        ignored + #", {"role": "user", "content": "R"}, {"role": "assistant", "content": "B"}]"#
      ).isEmpty)
  }

  @Test func whatCannotBeRenderedIsRefused() throws {
    var check = DataCheck()
    check.renderer = try RenderingFixture.renderer(.phi3)
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      #"[{"role": "user", "content": "Q", "tools": [{}]}, {"role": "assistant", "content": "A"}]"#,
      to: "x")
    let report = try check.run([path])
    #expect(!report.isAccepted)
    #expect(
      report.findings.map(\.message) == [
        "The example cannot be rendered: '' cannot be the name of a tool; use letters, digits and underscores."
      ])
  }
}
