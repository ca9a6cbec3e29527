import ChatTemplates
import FoundationEssentials
import JSON
import LanguageModels
import Tokenization

/// What chat completions and their streams have in common.
struct ChatCompletions {
  let run: GenerationRun
  let id = "chatcmpl-\(RandomID.make())"
  private let fingerprint: String
  let logs: TokenLogs?

  init(_ run: GenerationRun, likeliest: Int?) {
    self.run = run
    fingerprint = run.model.fingerprint
    logs = likeliest.map { _ in TokenLogs(tokenizer: run.model.base.tokenizer) }
  }

  func object(_ kind: String, _ choices: [JSONValue]) -> JSONObject {
    [
      "id": .string(id), "object": .string(kind), "created": .integer(run.created),
      "model": .string(run.model.name), "system_fingerprint": .string(fingerprint),
      "choices": .array(choices),
    ]
  }

  static func usage(_ usage: GenerationRun.Usage) -> JSONValue {
    .object([
      "prompt_tokens": .integer(usage.prompt), "completion_tokens": .integer(usage.generated),
      "total_tokens": .integer(usage.total),
      "prompt_tokens_details": .object(["cached_tokens": .integer(usage.cached)]),
      "completion_tokens_details": .object(["reasoning_tokens": .integer(usage.thought)]),
    ])
  }

  /// Why an answer has ended; nil where it was given up.
  static func reason(_ end: Generation.End?) -> String? {
    switch end {
    case .finished, .stopped: "stop"
    case .length: "length"
    case .calls: "tool_calls"
    case nil: nil
    }
  }

  static func call(_ name: String, _ arguments: String) -> JSONObject {
    [
      "id": .string("call_\(RandomID.make())"), "type": .string("function"),
      "function": .object(["name": .string(name), "arguments": .string(arguments)]),
    ]
  }

  /// All answers, once they have come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    guard let answers = try run.whole() else { return nil }
    var object = object("chat.completion", answers.enumerated().map { choice($1, index: $0) })
    object["usage"] = Self.usage(run.usage)
    return object
  }

  private func choice(_ answer: WholeAnswer, index: Int) -> JSONValue {
    let (text, thought) = (answer.all.text, answer.all.thought)
    var message: JSONObject = [
      "role": .string("assistant"), "content": .string(text), "refusal": .null,
      "annotations": .array([]),
    ]
    if !thought.isEmpty {
      message["reasoning_content"] = .string(thought)
      message["reasoning"] = .string(thought)
    }
    let calls = answer.calls
    if !calls.isEmpty {
      if text.isEmpty { message["content"] = .null }
      message["tool_calls"] = .array(calls.map { .object(Self.call($0.name, $0.arguments)) })
    }
    return .object([
      "index": .integer(index), "message": .object(message),
      "logprobs": logs?.json(answer.all.reports) ?? .null,
      "finish_reason": .text(Self.reason(answer.end)),
    ])
  }
}

/// How likely tokens were, as chat completions tell it.
struct TokenLogs {
  let tokenizer: Tokenizer

  func json(_ reports: [TokenReport]) -> JSONValue {
    .object(["content": .array(tokens(reports)), "refusal": .null])
  }

  /// One object for each token.
  func tokens(_ reports: [TokenReport]) -> [JSONValue] {
    reports.map { report in
      var object = self.object(report.chosen)
      object["top_logprobs"] = .array(report.likeliest.map { .object(self.object($0)) })
      return .object(object)
    }
  }

  private func object(_ choice: TokenReport.Choice) -> JSONObject {
    let bytes = bytes(of: choice)
    return [
      "token": .string(String(decoding: bytes, as: UTF8.self)),
      "logprob": Self.probability(of: choice), "bytes": .array(bytes.map { .integer(Int($0)) }),
    ]
  }

  func bytes(of choice: TokenReport.Choice) -> [UInt8] {
    tokenizer.bytes(of: choice.token, special: true)
  }

  static func probability(of choice: TokenReport.Choice) -> JSONValue {
    // Least of all numbers, as JSON has no infinity.
    .number(JSONNumber(max(Double(choice.logProbability), -9999)))
  }
}

/// Identities that nobody guesses.
enum RandomID {
  static func make() -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return String((0..<24).map { _ in digits[Int.random(in: digits.indices)] })
  }
}
