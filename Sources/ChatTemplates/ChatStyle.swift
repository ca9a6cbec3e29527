public import TensorFiles

/// The chat format of a base, and what its template says when nobody gives instructions.
public struct ChatStyle: Sendable, Equatable {
  /// How turns are marked up.
  public let format: ChatFormat
  /// Instructions for a chat without any, or nil.
  public let defaultInstructions: String?

  /// The format by name; `template` is that of the file, if there is one.
  public init(_ format: ChatFormat, template: String? = nil) {
    self.format = format
    switch format {
    case .afm:
      defaultInstructions = "A conversation between a user and a helpful assistant."
    case .chatML:
      defaultInstructions = template.flatMap(Self.instructions)
    case .llama2, .llama3, .gemma, .phi3:
      defaultInstructions = nil
    }
  }

  /// Recognises the format of `tokenizer.chat_template`; `file` is its name in errors.
  ///
  /// - Throws: `ChatDefect.noTemplate`, `.unknownTemplate`, or `.unreadableTemplate` when it is not text.
  public init(_ metadata: GGUFMetadata, file: String) throws(ChatDefect) {
    guard let template = try Self.template(metadata) else { throw .noTemplate(file: file) }
    guard let format = ChatFormat(template: template) else {
      throw .unknownTemplate(file: file)
    }
    self.init(format, template: template)
  }

  /// The format named by the user, for a file whose template is missing or of no known format.
  ///
  /// - Throws: `ChatDefect.unreadableTemplate` when the template in the file is not text.
  public init(
    _ format: ChatFormat, _ metadata: GGUFMetadata, file: String
  ) throws(ChatDefect) {
    self.init(format, template: try Self.template(metadata))
  }

  private static func template(_ metadata: GGUFMetadata) throws(ChatDefect) -> String? {
    do { return try metadata.string("tokenizer.chat_template") } catch {
      throw .unreadableTemplate(error)
    }
  }

  /// The text of a system turn that a ChatML template spells out, as that of Qwen 2.5 does.
  private static func instructions(_ template: String) -> String? {
    let (start, end) = ("<|im_start|>system\\n", "<|im_end|>")
    for part in pieces(of: template, between: start, and: end) {
      // Quotes and braces are code of the template, not text.
      if !part.isEmpty, !part.contains(where: { "'\"{}\\".contains($0) }) { return part }
    }
    return nil
  }

  private static func pieces(of text: String, between start: String, and end: String) -> [String] {
    let text = Array(text.utf8)
    var pieces: [String] = []
    for index in text.indices where text[index...].starts(with: start.utf8) {
      let rest = text[(index + start.utf8.count)...]
      guard let stop = rest.indices.first(where: { rest[$0...].starts(with: end.utf8) }) else {
        break
      }
      pieces.append(String(decoding: rest[..<stop], as: UTF8.self))
    }
    return pieces
  }
}
