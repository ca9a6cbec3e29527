import ChatTemplates
import Grammars
import LanguageModels

/// What a response has to be like, and how its text becomes content.
struct ResponseForm: Sendable {
  /// Makes the constraint of one response, for which it needs the vocabulary of the open model.
  ///
  /// The response may end where the constraint allows one of `renderer.stopTokens`.
  typealias ConstraintMaker =
    @Sendable (_ model: BaseModel, _ renderer: ChatRenderer) throws -> any TokenConstraint

  /// Whether the text has to be parsed.
  var isStructured = true
  /// What the text has to be like; nil for any.
  var schema: GenerationSchema?
  /// Decides which tokens may come; nil for any.
  var constraint: ConstraintMaker?
  /// The content of a response, or of the part of it that has come.
  var read: @Sendable (_ text: String) throws -> GeneratedContent
  /// The pieces that a response is in the transcript.
  var segments: @Sendable (_ text: String) -> [Transcript.Segment]
}

extension ResponseForm {
  /// Reads a whole response, which could have `limit` tokens, as a value of `type`.
  ///
  func check<Content: Generable>(
    _ text: String, is type: Content.Type, limit: Int?
  ) throws(GeneratedContent.ParsingError) {
    let reply = SessionReply(text: text, entries: [], limit: limit)
    _ = try LanguageModelSession.Response<Content>(reply, self)
  }

  /// The text of a model that no grammar has held to the schema, with properties in their order.
  ///
  /// - Throws: For a text that the schema does not allow.
  func conforming(_ text: String) throws(GeneratedContent.ParsingError) -> String {
    guard let schema else { return text }
    func fail(_ reason: String) -> GeneratedContent.ParsingError {
      GeneratedContent.ParsingError(rawContent: text, debugDescription: reason)
    }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw fail(
        "The model was to answer as the schema '\(schema.name)' says, but wrote nothing.")
    }
    guard let content = try? GeneratedContent(json: text.unfenced) else {
      throw fail("The model was to answer as the schema '\(schema.name)' says, but wrote no JSON.")
    }
    // What was cut is told by who reads the content.
    guard content.isComplete else { return text }
    guard schema.accepts(content) else {
      throw fail("The model's answer is not what the schema '\(schema.name)' allows: \(text)")
    }
    return content.ordered(by: schema).jsonString
  }

  /// Any text.
  static let text = ResponseForm(
    isStructured: false, constraint: nil, read: { GeneratedContent($0) },
    segments: { [Transcript.Segment](text: $0) })
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
      schema: schema,
      constraint: { model, renderer in
        try GrammarConstraint(
          schema.grammar(), tokenizer: model.tokenizer(), stopTokens: renderer.stopTokens)
      },
      read: { try GeneratedContent(json: $0.unfenced, id: id) },
      segments: { text in
        guard let content = try? GeneratedContent(json: text) else {
          return [Transcript.Segment](text: text)
        }
        return [.structure(Transcript.StructuredSegment(source: format.name, content: content))]
      })
  }
}

extension String {
  /// The text without a fence of Markdown around it, as far as it has come: models that no grammar holds put one around JSON.
  fileprivate var unfenced: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }), self[start...].hasPrefix("```")
    else { return self }
    guard let line = self[start...].firstIndex(where: \.isNewline) else { return "" }
    let inner = self[line...]
    guard let end = inner.lastIndex(where: { !$0.isWhitespace }), inner[...end].hasSuffix("```")
    else { return String(inner) }
    return String(inner[...end].dropLast(3))
  }
}
