import Foundation
import FoundationModels
import JSON

/// Makes events of a session of what a server sends in answer to one request.
protocol ServerAnswer: Sendable {
  typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Event = LanguageModelExecutorGenerationChannel.Event

  init(_ asked: AskedServer)

  /// What a piece of the answer says.
  ///
  /// - Throws: ``ServerFault`` for an error that the server sends instead, or ``ModelServerError``.
  mutating func take(_ piece: ServerPiece) throws -> [Event]

  /// What is left when nothing more comes.
  ///
  /// - Throws: `LanguageModelError.refusal`, `.guardrailViolation`, or ``ModelServerError/cut(server:reason:)``.
  mutating func finish() throws -> [Event]
}

/// A piece of a server's answer.
enum ServerPiece: Sendable {
  case json(JSONObject)
  /// The mark of the end, where there is one.
  case done
}

extension ServerAnswer {
  /// The event of a usage whose numbers stand below these names; what is no count of tokens was not told.
  static func usage(
    _ usage: JSONObject, read: [[String]], cached: [String], written: [String], thought: [String]
  ) -> Event {
    func count(_ path: [String]) -> Int {
      path.reduce(JSONValue.object(usage)) { $0?.object?[$1] }?.tokenCount ?? 0
    }
    return .response(
      action: .updateUsage(
        input: Channel.Usage.Input(
          totalTokenCount: read.map(count).reduce(0, +), cachedTokenCount: count(cached)),
        output: Channel.Usage.Output(
          totalTokenCount: count(written), reasoningTokenCount: count(thought))))
  }

  /// More of the arguments of a call; nothing at all begins it.
  static func arguments(_ text: String, of call: (id: String, name: String)) -> Event {
    .toolCalls(
      action: .toolCall(
        id: call.id, name: call.name,
        action: .appendArguments(text, tokenCount: text.isEmpty ? 0 : 1)))
  }

  /// Arguments as a text: some servers send the object itself.
  static func arguments(_ said: JSONValue?) -> String {
    said?.string ?? said?.object.map { JSONValue.object($0).line } ?? ""
  }

  /// The transcript says who answered, with each call and each text, or with an empty text where there is neither; `more` is
  /// what the server says of a text.
  static func who(
    calls: [(id: String, name: String)], texts: [(entryID: String, more: [String: String])],
    _ metadata: [String: String]
  ) -> [Event] {
    var events: [Event] = calls.map { call in
      .toolCalls(
        action: .toolCall(id: call.id, name: call.name, action: .updateMetadata(metadata)))
    }
    let isSilent = calls.isEmpty && texts.isEmpty
    for text in isSilent ? [(UUID().uuidString, [:])] : texts {
      var values: [String: any Sendable & Codable & Equatable] = metadata
      values["assetIDs"] = [metadata["model"] ?? ""]
      for (key, value) in text.more { values[key] = value }
      events.append(.response(entryID: text.entryID, action: .updateMetadata(values)))
    }
    return events
  }

  static func refusal(_ explanation: String, _ server: String) -> LanguageModelError {
    .refusal(
      LanguageModelError.Refusal(
        explanation: explanation,
        debugDescription: "\(server) sent a refusal instead of an answer."))
  }

  static func filtered(_ server: String) -> LanguageModelError {
    .guardrailViolation(
      LanguageModelError.GuardrailViolation(
        debugDescription: "A filter of \(server) ended the answer."))
  }
}

extension JSONValue {
  /// Tokens of an answer at most: with what lies beyond, nobody could calculate.
  private static let mostTokens = 1 << 40

  /// The number as a count of tokens, also where it is written with a fraction that is none; nil for what cannot be one.
  var tokenCount: Int? {
    number.flatMap { Int(exactly: $0.double) }.flatMap {
      (0...Self.mostTokens).contains($0) ? $0 : nil
    }
  }
}
