import FoundationModels

/// A model on a server that speaks OpenAI's chat completions, as most servers do: hosted ones, and llama.cpp, vLLM, Ollama and others of
/// one's own.
///
/// The key is a bearer token; a level of reasoning goes out as `reasoning_effort`.
///
/// Source: OpenAI's API reference, "Chat completions"; the fields are those that the servers above share.
public struct ChatCompletionsModel: ServerModel {
  /// What the server calls the limit of tokens: newer ones `max_completion_tokens`, older ones `max_tokens`.
  public var tokenLimitName = "max_completion_tokens"
  /// Which model of which server it is, and how it is asked.
  public var served: ServedModel

  /// A model with the settings of its own as they are by default.
  public init(_ served: ServedModel) { self.served = served }
}

extension ChatCompletionsModel {
  /// Asks servers over libcurl.
  public typealias Executor = ServerExecutor<Self>

  /// What requests and answers look like.
  public var form: ServerForm {
    ServerForm(interface: .chatCompletions, answer: ChatAnswer.self) { request, _ in
      try ChatRequest(request, self).json
    }
  }
}
