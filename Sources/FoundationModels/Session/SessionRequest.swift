import ChatTemplates
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
