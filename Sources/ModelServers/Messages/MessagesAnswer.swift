import Foundation
import FoundationModels
import JSON

/// Makes events of a session of what a server of the Messages API sends.
///
/// An answer is a list of blocks, each of which begins, grows and stops, one after the other.
struct MessagesAnswer: ServerAnswer {
  private struct Block {
    let type: String
    /// Of its entry in the transcript.
    let entryID: String
    var call: (id: String, name: String)?
    /// The arguments of a call, where they came with its beginning.
    var arguments = ""
    var signature = ""
    /// Whether something of it was handed out.
    var isBegun = false
  }

  private let asked: AskedServer
  private var blocks: [Int: Block] = [:]
  private var usage = JSONObject()
  private var stop: String?
  /// What the server says of a refusal, or what the model said before it.
  private var explanation: String?
  private var said = ""
  private var isDone = false
  /// Of the model that answers, which may have a longer one than was asked for.
  private var name: String

  init(_ asked: AskedServer) { (self.asked, name) = (asked, asked.model) }

  mutating func take(_ piece: ServerPiece) throws -> [Event] {
    // The interface has no mark of its own; servers that send that of others say with it that nothing more comes.
    guard case .json(let json) = piece else { return [] }
    if let error = json["error"], error != .null {
      throw ServerFault(status: 200, said: error, asked: asked)
    }
    guard let type = json["type"]?.string else {
      throw malformed("it has neither a type nor an error")
    }
    switch type {
    case "message_start":
      about(json["message"]?.object ?? JSONObject())
      return []
    case "content_block_start":
      return begin(json["content_block"]?.object ?? JSONObject(), at: try index(json))
    case "content_block_delta":
      return try grow(json["delta"]?.object ?? JSONObject(), at: try index(json))
    case "content_block_stop": return end(try index(json))
    case "message_delta":
      about(json["delta"]?.object ?? JSONObject())
      return counted(json["usage"]?.object)
    case "message_stop":
      isDone = true
      return []
    case "message": return whole(json)
    // Pings, and what is not known here.
    default: return []
    }
  }

  private func malformed(_ reason: String) -> ModelServerError {
    .malformed(server: asked.origin, interface: .messages, reason: reason)
  }

  /// The place of the block that an event is of.
  private func index(_ event: JSONObject) throws -> Int {
    let index = event["index"]?.integer ?? 0
    guard index >= 0 else { throw malformed("it has a block before the first") }
    return index
  }

  /// What is known of the answer as a whole.
  private mutating func about(_ message: JSONObject) {
    if let model = message["model"]?.string, !model.isEmpty { name = model }
    stop = message["stop_reason"]?.string ?? stop
    explanation = message["stop_details"]?.object?["explanation"]?.string ?? explanation
    for member in message["usage"]?.object?.members ?? [] { usage[member.key] = member.value }
  }

  /// The usage so far: what comes later replaces what came before.
  private mutating func counted(_ more: JSONObject?) -> [Event] {
    for member in more?.members ?? [] where member.value != .null {
      usage[member.key] = member.value
    }
    guard !usage.isEmpty else { return [] }
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
    return [
      Self.usage(
        usage, read: read.map { [$0] }, cached: ["cache_read_input_tokens"],
        written: ["output_tokens"], thought: ["output_tokens_details", "thinking_tokens"])
    ]
  }

  // MARK: - Blocks

  private mutating func begin(_ said: JSONObject, at index: Int) -> [Event] {
    let type = said["type"]?.string ?? ""
    // Texts in a row are one.
    let last = blocks[index - 1]
    let entryID = type == "text" && last?.type == type ? last?.entryID : nil
    var block = Block(type: type, entryID: entryID ?? UUID().uuidString)
    defer { blocks[index] = block }
    switch type {
    case "text": return text(said["text"]?.string, &block)
    case "thinking":
      block.signature = said["signature"]?.string ?? ""
      return thought(said["thinking"]?.string, &block)
    case "redacted_thinking":
      block.signature = said["data"]?.string ?? ""
      return []
    case "tool_use":
      guard let id = said["id"]?.string, let name = said["name"]?.string else { return [] }
      block.call = (id, name)
      if let input = said["input"]?.object, !input.isEmpty {
        block.arguments = JSONValue.object(input).line
      }
      return [Self.arguments("", of: (id, name))]
    default: return []
    }
  }

  private mutating func grow(_ delta: JSONObject, at index: Int) throws -> [Event] {
    guard var block = blocks[index] else { throw malformed("a block of it has no beginning") }
    defer { blocks[index] = block }
    switch delta["type"]?.string {
    case "text_delta": return text(delta["text"]?.string, &block)
    case "thinking_delta": return thought(delta["thinking"]?.string, &block)
    case "signature_delta": block.signature += delta["signature"]?.string ?? ""
    case "input_json_delta":
      guard let call = block.call, let piece = delta["partial_json"]?.string, !piece.isEmpty
      else { return [] }
      block.isBegun = true
      return [Self.arguments(piece, of: call)]
    default: break
    }
    return []
  }

  private mutating func text(_ text: String?, _ block: inout Block) -> [Event] {
    guard let text, !text.isEmpty else { return [] }
    block.isBegun = true
    said += text
    return [.response(entryID: block.entryID, action: .appendText(text, tokenCount: 1))]
  }

  private func thought(_ text: String?, _ block: inout Block) -> [Event] {
    guard let text, !text.isEmpty else { return [] }
    return [.reasoning(entryID: block.entryID, action: .appendText(text, tokenCount: 1))]
  }

  private func end(_ index: Int) -> [Event] {
    guard let block = blocks[index] else { return [] }
    if let call = block.call {
      return block.isBegun || block.arguments.isEmpty
        ? [] : [Self.arguments(block.arguments, of: call)]
    }
    guard !block.signature.isEmpty else { return [] }
    var metadata = asked.metadata(model: name)
    if block.type == "redacted_thinking" { metadata["kind"] = block.type }
    return [
      .reasoning(
        entryID: block.entryID,
        action: .updateSignature(Data(block.signature.utf8), tokenCount: 0)),
      .reasoning(entryID: block.entryID, action: .updateMetadata(metadata)),
    ]
  }

  // MARK: - The end

  /// The answer of a server that does not stream.
  private mutating func whole(_ message: JSONObject) -> [Event] {
    about(message)
    isDone = true
    var events: [Event] = []
    var blocks = message["content"]?.array ?? []
    // Some servers of others send a text where there is one block of it.
    if let text = message["content"]?.string {
      blocks = [.object(["type": .string("text"), "text": .string(text)])]
    }
    for (index, block) in blocks.enumerated() {
      events += begin(block.object ?? JSONObject(), at: index) + end(index)
    }
    return events + counted(nil)
  }

  mutating func finish() throws -> [Event] {
    if stop == "refusal" { throw Self.refusal(explanation ?? said, asked.origin) }
    guard isDone || stop != nil else {
      throw ModelServerError.cut(server: asked.origin, reason: "the stream has no end mark")
    }
    // Only servers with tools of their own do this, and they have to be asked to go on.
    guard stop != "pause_turn" else {
      throw ModelServerError.cut(server: asked.origin, reason: "the server has paused it")
    }
    let all = blocks.sorted { $0.key < $1.key }.map(\.value)
    var texts: [String] = []
    for block in all where block.type == "text" && block.isBegun && texts.last != block.entryID {
      texts.append(block.entryID)
    }
    return Self.who(
      calls: all.compactMap(\.call), texts: texts.map { ($0, [:]) },
      asked.metadata(model: name, stop: stop))
  }
}
