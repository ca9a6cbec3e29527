import FoundationModels

/// A model on a server that speaks Anthropic's Messages API: Anthropic's own, and llama.cpp and others of one's own.
///
/// The key goes out as `x-api-key`. Thoughts go back, with the proof of the server that made them, as it demands between calls of tools.
///
/// A level of reasoning lets the model think as it likes, with that effort. One that is a number, such as `.custom("4096")`, lets it think that many
/// tokens, 1,024 or more, which models before 4.6 want instead.
///
/// A value is asked for as a structured output. What those cannot hold an answer to, such as ranges and patterns, stands in descriptions, and the
/// session holds the value against it when it comes.
///
/// Source: Anthropic, "Messages", "Streaming messages", "Errors", "Structured outputs" and "Migrating to API version 2026-10-21", and its Python
/// package 2.12.0, which has the types of all events.
public struct MessagesModel: ServerModel {
  /// Tokens of an answer at most where nobody asks for another number, its thoughts among them: this interface wants to be told.
  ///
  /// A model that never writes as many refuses it; those of 2024 write 4,096 or 8,192.
  public var tokenLimit = 16_384
  /// Whether the server keeps what it has read for the next requests, for some minutes and at a price.
  public var cachesPrompts = false
  /// Which version of the interface is asked for; models of different versions share no connections.
  ///
  /// From this one on Anthropic's server refuses `temperature`, `top_p` and `top_k`; models up to 4.6 take them by `2023-06-01`.
  public var version = "2026-10-21"
  /// Which model of which server it is, and how it is asked.
  public var served: ServedModel

  /// A model with the settings of its own as they are by default.
  public init(_ served: ServedModel) { self.served = served }
}

extension MessagesModel {
  /// Asks servers over libcurl.
  public typealias Executor = ServerExecutor<Self>

  /// What requests and answers look like.
  public var form: ServerForm {
    ServerForm(
      interface: .messages, fields: ["anthropic-version: \(version)"], answer: MessagesAnswer.self
    ) { try MessagesRequest($0, self, $1).json }
  }
}
