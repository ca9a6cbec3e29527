import JSON
import LanguageModels
import Tokenization

/// The answers to all prompts of a request, one after the other.
final class Completions {
  /// Begins the answers to a prompt; nil where the client has gone.
  typealias Begin = (GenerationRequest, GenerationPrompt) throws(ServingError) -> GenerationRun?

  let request: CompletionsRequest
  private let model: ServedModel
  private let prompts: [GenerationPrompt]
  private let begin: Begin
  private let id = "cmpl-\(RandomID.make())"
  private let created: Int
  private(set) var run: GenerationRun
  /// Prompts and answers before those that come now.
  private var (prompt, index) = (0, 0)
  private var usage = GenerationRun.Usage()
  private var logs: CompletionsLogs?

  /// - Throws: What is wrong with any of the prompts, or with the first answer; nil where the client has gone.
  init?(
    _ request: CompletionsRequest, _ model: ServedModel, begin: @escaping Begin
  ) throws(ServingError) {
    (self.request, self.model, self.begin) = (request, model, begin)
    prompts = try request.generations.map { generation throws(ServingError) in
      try GenerationPrompt(generation, model)
    }
    guard let run = try begin(request.generations[0], prompts[0]) else { return nil }
    (self.run, created) = (run, run.created)
    start()
  }

  private func start() {
    guard request.generations[prompt].likeliest != nil else { return }
    let count = text(of: prompt).unicodeScalars.count
    logs = CompletionsLogs(TokenLogs(tokenizer: model.base.tokenizer), offset: count)
  }

  /// A prompt as a text.
  private func text(of index: Int) -> String {
    if case .text(let text) = request.generations[index].prompt { return text }
    let bytes = model.base.tokenizer.bytes(of: prompts[index].tokens, special: true)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What an answer begins with.
  var opening: String { request.echoes ? text(of: prompt) : "" }

  /// Begins the next answer; false where there was the last one.
  func goOn() throws(ServingError) -> Bool {
    if try !run.goOn() {
      usage.add(run.usage)
      guard run.current.end != nil, prompt + 1 < prompts.count,
        let next = try begin(request.generations[prompt + 1], prompts[prompt + 1])
      else { return false }
      prompt += 1
      run = next
    }
    index += 1
    start()
    return true
  }

  func object(_ choices: [JSONValue]) -> JSONObject {
    [
      "id": .string(id), "object": .string("text_completion"), "created": .integer(created),
      "model": .string(model.name), "choices": .array(choices),
    ]
  }

  /// The answer that comes now, or a piece of it.
  func choice(
    _ text: String, _ reports: [TokenReport], _ end: Generation.End? = nil
  ) -> JSONValue {
    .object([
      "index": .integer(index), "text": .string(text),
      "logprobs": logs?.json(reports) ?? .null,
      "finish_reason": .text(ChatCompletions.reason(end)),
    ])
  }

  var usageObject: JSONValue { ChatCompletions.usage(usage) }

  /// All answers, once they have come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    var choices: [JSONValue] = []
    repeat {
      var text = opening
      var reports: [TokenReport] = []
      while let piece = try run.next() {
        text += piece.text
        reports += piece.reports
      }
      guard let end = run.current.end else { return nil }
      choices.append(choice(text, reports, end))
    } while try goOn()
    guard choices.count == prompts.count * request.count else { return nil }
    var object = object(choices)
    object["usage"] = usageObject
    return object
  }
}

extension GenerationRun.Usage {
  /// Adds what another run has taken.
  mutating func add(_ other: Self) {
    prompt += other.prompt
    cached += other.cached
    generated += other.generated
    thought += other.thought
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
