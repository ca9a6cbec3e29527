import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct CompletionsRoutesTests {
  private func ask(_ fields: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of(
      "POST", "/v1/completions", #"{"model": "\#(ServedStore.baseName)", \#(fields)}"#, port: port)
  }

  private func texts(_ answer: TestAnswer) -> [String] {
    (answer.json[path: "choices"]?.array ?? []).compactMap { $0[path: "text"]?.string }
  }

  /// What a stream has for each answer, and why each has ended.
  private func streamed(_ answer: TestAnswer) -> (texts: [Int: String], ends: [Int: [String]]) {
    var (texts, ends) = ([Int: String](), [Int: [String]]())
    for event in answer.events.map({ JSONValue.object($0) }) {
      guard let choice = event[path: "choices.0"] else { continue }
      let index = choice[path: "index"]?.integer ?? -1
      texts[index, default: ""] += choice[path: "text"]?.string ?? ""
      if let end = choice[path: "finish_reason"]?.string { ends[index, default: []].append(end) }
    }
    return (texts, ends)
  }

  @Test func aTextIsContinued() async throws {
    try await ServedStore(adapters: []).serving { port in
      let answer = try ask(#""prompt": "Once upon a time", "max_tokens": 5"#, port)
      #expect(answer.status == 200)
      let json = answer.json
      #expect(json[path: "object"]?.string == "text_completion")
      #expect(json[path: "choices.0.logprobs"] == .null)
      #expect(json[path: "usage.completion_tokens"]?.integer ?? 9 <= 5)
      let text = texts(answer)[0]
      let echo = try ask(#""prompt": "Once upon a time", "max_tokens": 5, "echo": true"#, port)
      #expect(texts(echo) == ["Once upon a time" + text])
      let stream = try ask(
        #""prompt": "Once upon a time", "max_tokens": 5, "echo": true, "stream": true"#, port)
      #expect(streamed(stream).texts == [0: "Once upon a time" + text])
      #expect(stream.body.hasSuffix("data: [DONE]\n\n"))
    }
  }

  @Test func eachPromptHasItsAnswers() async throws {
    let fields =
      #""prompt": ["One day", "The sky is blue"], "n": 2, "max_tokens": 3, "temperature": 1, "seed": 4"#
    try await ServedStore(adapters: []).serving { port in
      let whole = try ask(fields, port)
      let indexes = whole.json[path: "choices"]?.array?.map { $0[path: "index"]?.integer }
      #expect(indexes == [0, 1, 2, 3])
      let alone = try ask(
        #""prompt": "The sky is blue", "n": 2, "max_tokens": 3, "temperature": 1, "seed": 4"#, port)
      #expect(Array(texts(whole).suffix(2)) == texts(alone))
      let answer = try ask(
        fields + #", "stream": true, "stream_options": {"include_usage": true}"#, port)
      let (texts, ends) = streamed(answer)
      #expect((0..<4).map { texts[$0] } == self.texts(whole))
      #expect((0..<4).allSatisfy { ends[$0]?.count == 1 })
      let usage = answer.events.last?["usage"]
      for key in ["prompt_tokens", "completion_tokens", "total_tokens"] {
        #expect(usage?[path: key]?.integer == whole.json[path: "usage.\(key)"]?.integer)
      }
    }
  }

  @Test func tokensArePrompts() async throws {
    try await ServedStore(adapters: []).serving { port in
      let json = try ask(#""prompt": [[5, 6, 7], [8]], "max_tokens": 1"#, port).json
      #expect(json[path: "usage.prompt_tokens"]?.integer == 4)
      #expect(json[path: "choices"]?.array?.count == 2)
    }
  }

  @Test(arguments: [0, 2]) func tokensComeWithTheirProbabilities(_ count: Int) async throws {
    let fields = #""prompt": "Once upon", "max_tokens": 4, "logprobs": \#(count)"#
    try await ServedStore(adapters: []).serving { port in
      let answer = try ask(fields, port)
      let logs = try #require(answer.json[path: "choices.0.logprobs"])
      let tokens = try #require(logs[path: "tokens"]?.array).compactMap(\.string)
      #expect(tokens.joined() == texts(answer)[0])
      let offsets = logs[path: "text_offset"]?.array?.compactMap(\.integer) ?? []
      var next = "Once upon".count
      for (token, offset) in zip(tokens, offsets) {
        #expect(offset == next)
        next += token.unicodeScalars.count
      }
      #expect(offsets.count == tokens.count)
      #expect(logs[path: "token_logprobs"]?.array?.count == tokens.count)
      let tops = try #require(logs[path: "top_logprobs"]?.array)
      #expect(tops.allSatisfy { $0.object?.members.count == max(1, count) })
      let parts = try ask(fields + #", "stream": true"#, port).events.compactMap {
        JSONValue.object($0)[path: "choices.0.logprobs.tokens"]?.array
      }
      #expect(parts.flatMap { $0 }.compactMap(\.string) == tokens)
    }
  }

  @Test(
    arguments: [
      (#""prompt": [-1]"#, "prompt[0]", nil), (#""prompt": [[1], [9999999]]"#, "prompt[1][0]", nil),
      (#""prompt": []"#, "prompt", nil),
      (
        #""prompt": ["a", "\#(String(repeating: "many words ", count: 4000))"]"#, "prompt[1]",
        "context_length_exceeded"
      ),
    ] as [(String, String, String?)])
  func whatIsWrongIsNamedBeforeAnyAnswer(
    _ prompt: String, _ field: String, _ code: String?
  ) async throws {
    try await ServedStore(adapters: []).serving { port in
      for stream in ["false", "true"] {
        let answer = try ask(prompt + #", "stream": \#(stream)"#, port)
        #expect(answer.status == 400)
        #expect(answer.json[path: "error.param"]?.string == field)
        #expect(answer.json[path: "error.code"]?.string == code)
      }
    }
  }
}
