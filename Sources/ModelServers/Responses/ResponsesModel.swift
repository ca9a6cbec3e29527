import FoundationModels

/// A model on a server that speaks OpenAI's Responses API: OpenAI's own, and llama.cpp, vLLM and others of one's own.
///
/// It does what ``ChatCompletionsModel`` does, and what that interface has no place for: thoughts go back to the server that made them, so that a
/// model that thinks does not begin anew after each call of a tool. The server is asked to store nothing; the transcript is the session's. The key is a
/// bearer token; a level of reasoning goes out as the `effort` of `reasoning`.
///
/// Source: OpenAI's API reference, "Responses", and its Python package 3.54.0, which has the types of all events.
public struct ResponsesModel: ServerModel {
  /// How thoughts are told where the server keeps them to itself: `auto`, `concise` or `detailed`; nil for not at all.
  public var reasoningSummary: String?
  /// Which model of which server it is, and how it is asked.
  public var served: ServedModel

  /// A model with the settings of its own as they are by default.
  public init(_ served: ServedModel) { self.served = served }
}

extension ResponsesModel {
  /// Asks servers over libcurl.
  public typealias Executor = ServerExecutor<Self>

  /// What requests and answers look like.
  public var form: ServerForm {
    ServerForm(interface: .responses, answer: ResponsesAnswer.self) {
      try ResponsesRequest($0, self, $1).json
    }
  }
}
