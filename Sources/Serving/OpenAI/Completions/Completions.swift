import JSON
import LanguageModels
import Tokenization

/// The answers to all prompts of a request.
final class Completions {
  let request: CompletionsRequest
  let run: GenerationRun
  private let jobs: [GenerationRun.Job]
  private let id = "cmpl-\(RandomID.make())"
  private let fingerprint: String
  /// Of each answer; empty where it was not asked how likely tokens are.
  private var logs: [CompletionsLogs] = []

  /// The answers to `jobs`, which `run` does.
  init(_ request: CompletionsRequest, _ jobs: [GenerationRun.Job], _ run: GenerationRun) {
    (self.request, self.jobs, self.run) = (request, jobs, run)
    fingerprint = run.model.fingerprint
    guard jobs[0].request.likeliest != nil else { return }
    let tokens = TokenLogs(tokenizer: run.model.base.tokenizer)
    logs = jobs.map { CompletionsLogs(tokens, offset: text(of: $0).unicodeScalars.count) }
  }

  /// What is to be generated for each prompt, as often as it is asked for.
  ///
  /// - Throws: What is wrong with any of the prompts.
  static func jobs(
    _ request: CompletionsRequest, _ model: ServedModel
  ) throws(ServingError) -> [GenerationRun.Job] {
    var jobs: [GenerationRun.Job] = []
    for generation in request.generations {
      let prompt = try GenerationPrompt(generation, model)
      jobs += (0..<request.count).map { index in
        GenerationRun.Job(request: generation, prompt: prompt, index: index)
      }
    }
    return jobs
  }

  /// A prompt as a text.
  private func text(of job: GenerationRun.Job) -> String {
    if case .text(let text) = job.request.prompt { return text }
    let bytes = run.model.base.tokenizer.bytes(of: job.prompt.tokens, special: true)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What an answer begins with.
  func opening(of index: Int) -> String { request.echoes ? text(of: jobs[index]) : "" }

  func object(_ choices: [JSONValue]) -> JSONObject {
    [
      "id": .string(id), "object": .string("text_completion"), "created": .integer(run.created),
      "model": .string(run.model.name), "system_fingerprint": .string(fingerprint),
      "choices": .array(choices),
    ]
  }

  /// An answer, or a piece of it.
  func choice(
    _ index: Int, _ text: String, _ reports: [TokenReport], _ end: Generation.End? = nil
  ) -> JSONValue {
    .object([
      "index": .integer(index), "text": .string(text),
      "logprobs": logs.isEmpty ? .null : logs[index].json(reports),
      "finish_reason": .text(ChatCompletions.reason(end)),
    ])
  }

  var usage: JSONValue { ChatCompletions.usage(run.usage) }

  /// All answers, once they have come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    guard let answers = try run.whole() else { return nil }
    var object = object(
      answers.enumerated().map { index, answer in
        choice(index, opening(of: index) + answer.all.text, answer.all.reports, answer.end)
      })
    object["usage"] = usage
    return object
  }
}

/// How likely the tokens of an answer were, as completions tell it.
struct CompletionsLogs {
  private let logs: TokenLogs
  /// Characters before the next token, from the beginning of the prompt.
  private var offset: Int

  init(_ logs: TokenLogs, offset: Int) { (self.logs, self.offset) = (logs, offset) }

  mutating func json(_ reports: [TokenReport]) -> JSONValue {
    var (tokens, values, tops, offsets) = (
      [JSONValue](), [JSONValue](), [JSONValue](), [JSONValue]()
    )
    for report in reports {
      let bytes = logs.bytes(of: report.chosen)
      tokens.append(.string(String(decoding: bytes, as: UTF8.self)))
      values.append(TokenLogs.probability(of: report.chosen))
      tops.append(.object(top(report)))
      offsets.append(.integer(offset))
      // A character counts with its first byte.
      offset += bytes.count { $0 & 0xC0 != 0x80 }
    }
    return .object([
      "tokens": .array(tokens), "token_logprobs": .array(values), "top_logprobs": .array(tops),
      "text_offset": .array(offsets),
    ])
  }

  /// The likeliest tokens, and the one that came; of those that look the same the likeliest.
  private func top(_ report: TokenReport) -> JSONObject {
    var object: JSONObject = [:]
    for choice in report.likeliest + [report.chosen] {
      let text = String(decoding: logs.bytes(of: choice), as: UTF8.self)
      if object[text] == nil { object[text] = TokenLogs.probability(of: choice) }
    }
    return object
  }
}
