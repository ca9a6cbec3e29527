import ChatTemplates
import Grammars
import LanguageModels

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
