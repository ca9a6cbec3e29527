import Foundation
import JSON
import LanguageModels
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct PenaltiesTests {
  private func request(_ fields: String) throws -> GenerationRequest {
    let text = #"{"model": "m", "messages": [{"role": "user", "content": "a"}], \#(fields)}"#
    return try ChatCompletionsRequest(Array(text.utf8), answerLimit: 16).generation
  }

  @Test(
    arguments: [
      (#""repetition_penalty": 1.5"#, 1.5, Int.max), (#""repeat_penalty": 1.5"#, 1.5, nil),
      (#""repeat_penalty": 1.5, "repeat_last_n": 9"#, 1.5, 9),
      (#""repeat_penalty": 1.5, "repeat_last_n": -1"#, 1.5, Int.max),
      (#""repeat_penalty": 1.5, "repeat_last_n": 0"#, 1, 0), (#""repeat_last_n": 9"#, nil, 9),
      (#""top_k": 3"#, nil, nil),
    ] as [(String, Double?, Int?)])
  func eachPenaltyLooksBackAsItsInterfaceSays(
    _ fields: String, _ penalty: Double?, _ tokens: Int?
  ) throws {
    let request = try request(fields)
    #expect(request.sampling[.repetitionPenalty] == penalty)
    #expect(request.penalizedTokens == tokens)
  }

  @Test func biasesAreOfTokens() throws {
    let fields = #""logit_bias": {"5": -100, "7": 2.5}, "presence_penalty": 1"#
    let shifts = try request(fields).shifts
    #expect(shifts.biases == [5: -100, 7: 2.5] && shifts.presence == 1 && shifts.frequency == 0)
    let many = (0...1024).map { #""\#($0)": 1"# }.joined(separator: ", ")
    let error = #expect(throws: ServingError.self) { try request(#""logit_bias": {\#(many)}"#) }
    #expect(error?.field == "logit_bias")
  }

  private static let prompt = "The wind is in the trees and the"

  private func complete(
    _ fields: String, _ port: Int, limit: Int = 40
  ) throws -> JSONValue {
    let body = #"""
      {"model": "\#(ServedStore.baseName)", "prompt": "\#(Self.prompt)", "max_tokens": \#(limit), \#(fields)}
      """#
    let answer = try TestAnswer.of("POST", "/v1/completions", body, port: port)
    #expect(answer.status == 200, "\(answer.body)")
    return answer.json
  }

  private func tokens(of fields: String, _ port: Int, limit: Int = 40) throws -> [String] {
    let json = try complete(fields + #", "logprobs": 0"#, port, limit: limit)
    return try #require(json[path: "choices.0.logprobs.tokens"]?.array).compactMap(\.string)
  }

  @Test func penaltiesChangeWhatComesAgain() async throws {
    try await ServedStore().serving { port in
      /// The share of tokens that had come before.
      func repeated(_ fields: String) throws -> Double {
        let texts = try (0..<6).map { seed in
          try tokens(of: #""temperature": 1, "seed": \#(seed), \#(fields)"#, port)
        }
        let old = texts.reduce(0) { $0 + $1.count - Set($1).count }
        return Double(old) / Double(texts.reduce(0) { $0 + $1.count })
      }
      let usual = try repeated(#""presence_penalty": 0"#)
      #expect(try repeated(#""presence_penalty": 2, "frequency_penalty": 2"#) < usual)
      #expect(try repeated(#""frequency_penalty": -2"#) > usual)
      #expect(try repeated(#""repetition_penalty": 5"#) < usual)
    }
  }

  @Test func aTokenCanBeBannedAndForced() async throws {
    try await ServedStore().serving { port in
      let first = try tokens(of: #""seed": 1"#, port, limit: 1)
      let text = try #require(first.first)
      let asked = try TestAnswer.of(
        "POST", "/tokenize", #"{"content": "\#(text)"}"#, port: port)
      let token = try #require(asked.json[path: "tokens.0"]?.integer)
      let without = try tokens(of: #""logit_bias": {"\#(token)": -100}"#, port)
      #expect(!without.contains(text) && !without.isEmpty)
      let only = try tokens(of: #""logit_bias": {"\#(token)": 100}"#, port, limit: 5)
      #expect(only == [String](repeating: text, count: 5))
    }
  }

  @Test func aTokenThatIsNoneIsRefused() async throws {
    try await ServedStore().serving { port in
      let body = #"{"model": "afm-9m", "prompt": "a", "logit_bias": {"999999": 5}}"#
      let answer = try TestAnswer.of("POST", "/v1/completions", body, port: port)
      #expect(
        answer.status == 400 && answer.json[path: "error.param"]?.string == "logit_bias.999999")
      _ = try complete(#""seed": 1"#, port)
    }
  }

  /// Alone without guesses, alone with them, and beside others in shared passes.
  @Test func theTextIsTheSameBesideOthers() async throws {
    let fields = (0..<4).map { index in
      #"""
      "seed": \#(index), "temperature": \#(index % 2), "presence_penalty": 0.7,
      "frequency_penalty": 0.\#(index), "repeat_penalty": 1.1, "repeat_last_n": 20,
      "logit_bias": {"\#(100 + index)": 3}
      """#
    }
    try await ServedStore().serving { port in
      let alone = try fields.map { try complete($0, port)[path: "choices.0.text"]?.string }
      let unguessed = try fields.map { try tokens(of: $0, port).joined() }
      #expect(alone == unguessed)
      let beside = await withTaskGroup(of: (Int, String?).self) { group in
        for (index, fields) in fields.enumerated() {
          group.addTask {
            (index, (try? complete(fields, port))?[path: "choices.0.text"]?.string)
          }
        }
        return await group.reduce(into: [String?](repeating: nil, count: 4)) { $0[$1.0] = $1.1 }
      }
      #expect(beside == alone)
    }
  }
}
