public import TensorFiles

/// The template that a base's chats are rendered with: its own, or one that comes with this library.
public struct ChatStyle: Sendable {
  /// The format whose template it is; nil for a base's own one.
  public let format: ChatFormat?
  /// Instructions for a chat without any, or nil; a base's own template has its own.
  public let defaultInstructions: String?
  private let template: JinjaTemplate
  /// For chats with tools, where the file has another one for them.
  private let toolTemplate: JinjaTemplate?
  /// The text of both.
  private let source: String

  /// The format by name; `template` is that of the file, if there is one.
  public init(_ format: ChatFormat, template: String? = nil) {
    self.format = format
    source = format.template
    toolTemplate = nil
    switch format {
    case .afm:
      defaultInstructions = "A conversation between a user and a helpful assistant."
    case .chatML:
      defaultInstructions = template.flatMap(Self.instructions)
    case .llama2, .llama3, .gemma, .phi3:
      defaultInstructions = nil
    }
    do { self.template = try JinjaTemplate(source) } catch {
      fatalError("The template of \(format.rawValue) is wrong: \(error)")
    }
  }

  /// The template `tokenizer.chat_template` of a file, and `tokenizer.chat_template.tool_use` for chats with tools, where
  /// there is one; `file` is its name in errors.
  ///
  /// - Throws: `ChatDefect.noTemplate`, `.brokenTemplate`, or `.unreadableTemplate` when it is not text.
  public init(_ metadata: GGUFMetadata, file: String) throws(ChatDefect) {
    guard let text = try Self.template(metadata) else { throw .noTemplate(file: file) }
    try self.init(template: text, forTools: Self.template(metadata, ".tool_use"), file: file)
  }

  /// A template that stands elsewhere, such as in a `chat_template.jinja`, and another for chats with tools where there is one;
  /// `file` is its name in errors.
  ///
  /// - Throws: `ChatDefect.brokenTemplate`.
  public init(template text: String, forTools: String? = nil, file: String) throws(ChatDefect) {
    if text == ChatFormat.afmShortTemplate {
      self.init(.afm)
    } else {
      do throws(JinjaError) { try self.init(own: text, forTools: forTools) } catch {
        throw .brokenTemplate(file: file, error)
      }
    }
  }

  private init(own template: String, forTools: String?) throws(JinjaError) {
    self.template = try JinjaTemplate(template)
    toolTemplate = try forTools.map { text throws(JinjaError) in try JinjaTemplate(text) }
    (source, format, defaultInstructions) = (template + (forTools ?? ""), nil, nil)
  }

  /// The template of a chat.
  func template(hasTools: Bool) -> JinjaTemplate {
    hasTools ? toolTemplate ?? template : template
  }

  /// The format named by the user, for a file whose template is missing or cannot be used.
  ///
  /// - Throws: `ChatDefect.unreadableTemplate` when the template in the file is not text.
  public init(
    _ format: ChatFormat, _ metadata: GGUFMetadata, file: String
  ) throws(ChatDefect) {
    self.init(format, template: try Self.template(metadata))
  }

  /// Whether the template has anything to do with `name`, such as `tools`.
  package func mentions(_ name: String) -> Bool { source.contains(name) }

  /// Whether the template has a place for definitions of tools.
  package var takesTools: Bool { mentions("tools") }

  private static func template(
    _ metadata: GGUFMetadata, _ name: String = ""
  ) throws(ChatDefect) -> String? {
    do { return try metadata.string("tokenizer.chat_template" + name) } catch {
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
