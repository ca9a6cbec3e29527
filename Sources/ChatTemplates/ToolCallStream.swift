public import Tokenization

/// Parts an answer, token by token, into the text of it and calls.
public struct ToolCallStream: Sendable {
  private let renderer: ChatRenderer
  /// Nil where an answer is all text.
  private let format: ToolCallFormat?
  private var decoder: StreamingDecoder
  /// Tokens of calls, or of what may become some.
  private var held: [Token] = []
  private var isOpen = true
  private var progress: ToolCallProgress?
  private var news: [ToolCallPart] = []
  /// Whether the model is calling tools.
  public private(set) var isCalling = false

  /// An answer in a chat with the tools of `renderer`; where it may not call them, whatever it says is text.
  public init(_ renderer: ChatRenderer, _ calling: ToolCalling = .allowed) {
    (self.renderer, decoder) = (renderer, renderer.answerDecoder())
    let mayCall = !renderer.tools.isEmpty && calling != .disallowed
    format = mayCall ? renderer.toolCalls : nil
    progress = format.map { ToolCallProgress($0, renderer.tools) }
  }

  /// What has become known of calls since this was asked last; where calls begin with a special token, or any text is an answer, it stays
  /// so.
  public mutating func takeNews() -> [ToolCallPart] {
    defer { news = [] }
    return news
  }

  private mutating func note(_ coded: [UInt8]) { news += progress?.append(coded) ?? [] }

  /// The text that is known to be text now that `token` has come; may be empty.
  public mutating func append(_ token: Token) -> String {
    guard let format else { return decoder.append(token) }
    if isCalling {
      held.append(token)
      note(format.coded([token], renderer.tokenizer))
      return ""
    }
    if let trigger = format.trigger {
      guard token == trigger else { return decoder.append(token) }
      isCalling = true
      held = [token]
      note(format.coded(held, renderer.tokenizer))
      return decoder.finish()
    }
    guard isOpen else { return decoder.append(token) }
    held.append(token)
    let coded = format.coded(held, renderer.tokenizer)
    if coded.starts(with: format.opening) {
      isCalling = true
      note(coded)
    } else if !format.opening.starts(with: coded) {
      isOpen = false
      defer { held = [] }
      return held.reduce("") { $0 + decoder.append($1) }
    }
    return ""
  }

  /// The rest of the text, and the calls; nil where there are none, or where they are not whole.
  ///
  /// An answer that began as calls do and turned out to be none is all text. `makeID` gives each call an identity, unless the
  /// format has one.
  public mutating func finish(makeID: () -> String) -> (text: String, calls: [ChatToolCall]?) {
    guard let format, !held.isEmpty else { return (decoder.finish(), nil) }
    let coded = format.coded(held, renderer.tokenizer)
    if isCalling, let calls = format.calls(in: coded, of: renderer.tools, makeID: makeID) {
      return ("", calls)
    }
    // Calls that were cut stay calls: nobody wants to read half of one.
    guard format.trigger == nil || !isCalling else { return ("", nil) }
    isCalling = false
    return (held.reduce("") { $0 + decoder.append($1) } + decoder.finish(), nil)
  }
}
