import ChatTemplates
import Grammars
import LanguageModels

/// One prompt to a session, and what its response has to be like.
struct SessionRequest: Sendable {
  /// As it goes into the transcript.
  var prompt: Transcript.Prompt
  /// What the model reads right after the prompt, such as a schema; the transcript does not show it.
  var addition: String?
  /// What the response has to be like.
  var form: ResponseForm

  init(
    _ prompt: Prompt, _ options: GenerationOptions, addition: String? = nil,
    form: ResponseForm = .text
  ) {
    self.prompt = Transcript.Prompt(
      segments: [Transcript.Segment](text: prompt.text), options: options)
    (self.addition, self.form) = (addition, form)
  }

  var options: GenerationOptions { prompt.options }

  /// The prompt as the model reads it.
  var message: ChatMessage {
    let text = prompt.segments.text + (addition ?? "")
    return ChatMessage(role: .user, content: text)
  }
}

/// A request that has been let in, with what was said before it.
struct SessionTurn: Sendable {
  let request: SessionRequest
  let history: Transcript
  let prewarming: Task<Void, Never>?

  func waitForPrewarming() async {
    guard let prewarming else { return }
    await withTaskCancellationHandler {
      await prewarming.value
    } onCancel: {
      prewarming.cancel()
    }
  }
}

/// What a request came to.
struct SessionReply: Sendable {
  let text: String
  /// What the request has added to the transcript.
  let entries: ArraySlice<Transcript.Entry>
}

/// What a response has to be like, and how its text becomes content.
struct ResponseForm: Sendable {
  /// Makes the constraint of one response, for which it needs the vocabulary of the open model.
  ///
  /// The response may end where the constraint allows one of `renderer.stopTokens`.
  typealias ConstraintMaker =
    @Sendable (_ model: LanguageModel, _ renderer: ChatRenderer) throws -> any TokenConstraint

  /// Decides which tokens may come; nil for any.
  var constraint: ConstraintMaker?
  /// The content of a response, or of the part of it that has come.
  var read: @Sendable (_ text: String) throws -> GeneratedContent
  /// The pieces that a response is in the transcript.
  var segments: @Sendable (_ text: String) -> [Transcript.Segment]
}

extension ResponseForm {
  /// Reads a whole response as a value of `type`.
  ///
  /// - Throws: `GenerationError.decodingFailure`.
  func check<Content: Generable>(
    _ text: String, is type: Content.Type
  ) throws(LanguageModelSession.GenerationError) {
    _ = try LanguageModelSession.Response<Content>(SessionReply(text: text, entries: []), self)
  }

  /// Any text.
  static let text = ResponseForm(
    constraint: nil, read: { GeneratedContent($0) }, segments: { [Transcript.Segment](text: $0) })
}

extension ResponseForm {
  /// Content that follows the schema of `format`; plain text where that asks for no more than a text.
  init(_ format: Transcript.ResponseFormat) {
    let schema = format.schema
    if case .string(let string) = schema.root, string.values == nil, string.patterns.isEmpty {
      self = .text
      return
    }
    // One name for the whole response, so that its parts keep theirs from snapshot to snapshot.
    let id = GenerationID()
    self.init(
      constraint: { model, renderer in
        try GrammarConstraint(
          schema.grammar(), tokenizer: model.tokenizer(), stopTokens: renderer.stopTokens)
      },
      read: { try GeneratedContent(json: $0, id: id) },
      segments: { text in
        guard let content = try? GeneratedContent(json: text) else {
          return [Transcript.Segment](text: text)
        }
        return [.structure(Transcript.StructuredSegment(source: format.name, content: content))]
      })
  }
}

extension SessionRequest {
  /// A prompt whose response is to have `format`.
  init(
    _ prompt: Prompt, _ format: Transcript.ResponseFormat, includesSchema: Bool,
    _ options: GenerationOptions
  ) {
    // The text that adapters are trained with.
    let addition = ChatFormat.schemaText(
      name: format.name, description: format.schema.root.description,
      schema: format.schema.debugDescription)
    let form = ResponseForm(format)
    self.init(
      prompt, options, addition: includesSchema && form.constraint != nil ? addition : nil,
      form: form)
    self.prompt.responseFormat = format
  }
}
