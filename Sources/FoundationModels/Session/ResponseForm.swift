import ChatTemplates
import Grammars
import LanguageModels

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
