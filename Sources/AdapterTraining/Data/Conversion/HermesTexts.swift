import ChatTemplates
import JSON
import SystemFiles

/// Messages whose texts have tools, calls and results between marks, as the sets and templates of Hermes and Qwen write them: what
/// stands between marks becomes what it says, as templates write the marks themselves.
///
/// A text whose marks hold anything else stays as it is.
struct HermesTexts {
  /// What begins definitions of tools, a call, and a result.
  static let marks = ["<tools>", "<tool_call>", "<tool_response>"]

  /// The messages, of which those with several results are several.
  private(set) var messages: [JSONValue] = []
  /// The tools beside the messages; those of the instructions where no others are given.
  private(set) var tools: JSONValue?

  init(_ messages: [JSONValue], tools: JSONValue? = nil) {
    self.tools = tools
    let isTold = tools != nil || messages.contains { $0.object?["tools"] != nil }
    for message in messages {
      guard let object = message.object, let text = object["content"]?.string,
        text.utf8.contains(UInt8(ascii: "<"))
      else {
        self.messages.append(message)
        continue
      }
      switch message.role {
      case "system":
        let (rest, found) = Self.instructions(text)
        if !isTold { self.tools = found ?? self.tools }
        if !rest.isEmpty { self.messages.append(.object(object.saying(rest))) }
      case "assistant": self.messages.append(.object(Self.calling(object, text)))
      case "tool", "user": self.messages += Self.results(object, text)
      default: self.messages.append(message)
      }
    }
  }

  /// A message of the assistant whose text ends with calls.
  private static func calling(_ message: JSONObject, _ text: String) -> JSONObject {
    guard message["tool_calls"] == nil, let (said, blocks) = blocks(in: text, "tool_call"),
      !blocks.isEmpty
    else { return message }
    var calls: [JSONValue] = []
    for block in blocks {
      let found = PythonLiteral.values(in: block)?.flatMap { $0.array ?? [$0] }.map(call) ?? []
      guard !found.isEmpty, !found.contains(nil) else { return message }
      calls += found.compactMap(\.self)
    }
    var message = message.saying(said.trimmed)
    message["tool_calls"] = .array(calls)
    return message
  }

  private static func call(_ value: JSONValue) -> JSONValue? {
    guard let function = value.object?.toolFunction, let name = function["name"],
      name.string != nil
    else { return nil }
    let arguments = function["arguments"] ?? function["parameters"] ?? .object([:])
    return .object(["function": .object(["name": name, "arguments": arguments])])
  }

  /// A message that holds nothing but results, as one for each.
  private static func results(_ message: JSONObject, _ text: String) -> [JSONValue] {
    guard let (said, blocks) = blocks(in: text, "tool_response"), !blocks.isEmpty, said.isBlank
    else { return [.object(message)] }
    return blocks.map { block in
      var result = message.saying(block.trimmed)
      result["role"] = .string("tool")
      return .object(result)
    }
  }

  /// What a text says before the first pair of these marks, and what stands between all of them; nil where it goes on behind one.
  ///
  /// The last one need not be closed.
  private static func blocks(
    in text: String, _ mark: String
  ) -> (said: Substring, blocks: [Substring])? {
    var (said, blocks, rest): (Substring, [Substring], Substring) = (text[...], [], text[...])
    while let start = rest.firstRange(of: "<\(mark)>") {
      let before = rest[..<start.lowerBound]
      if blocks.isEmpty { said = before } else if !before.isBlank { return nil }
      rest = rest[start.upperBound...]
      let end = rest.firstRange(of: "</\(mark)>")
      blocks.append(rest[..<(end?.lowerBound ?? rest.endIndex)])
      rest = rest[(end?.upperBound ?? rest.endIndex)...]
    }
    return blocks.isEmpty || rest.isBlank ? (said, blocks) : nil
  }
}

// Instructions that tell of tools.
extension HermesTexts {
  /// The instructions without what they say of tools and of how to call them, and the tools.
  private static func instructions(_ text: String) -> (rest: String, tools: JSONValue?) {
    var rest = text[...]
    while let end = rest.firstRange(of: "</tools>") {
      let before = rest[..<end.lowerBound]
      if let start = before.ranges(of: "<tools>").last,
        let tools = PythonLiteral.values(in: before[start.upperBound...])?
          .flatMap({ $0.array ?? [$0] }),
        !tools.isEmpty, tools.allSatisfy({ $0.object?.toolFunction["name"]?.string != nil })
      {
        let said =
          introduction(text[..<start.lowerBound]) + explanation(text[end.upperBound...])
        return (said.joined().trimmed, .array(tools))
      }
      rest = rest[end.upperBound...]
    }
    return (text, nil)
  }

  /// What stands before the tools, without the sentences that lead to them.
  private static func introduction(_ text: Substring) -> [Substring] {
    var said = sentences(text)
    if said.last?.trimmed.hasSuffix(":") ?? false { said.removeLast() }
    return said.filter { !hasMark($0) && !usual.contains($0.trimmed) }
  }

  /// What stands behind the tools, without how calls are to be written, which the marks of an example end.
  private static func explanation(_ text: Substring) -> [Substring] {
    let said = sentences(text)
    let marked = said.indices.filter { hasMark(said[$0]) }
    return said.indices.filter { index in
      guard let first = marked.first, let last = marked.last else { return true }
      let words = said[index].lowercased()
      return !(first...last).contains(index)
        && !["function call", "functioncall", "tool call"].contains { words.contains($0) }
    }.map { said[$0] }
  }

  /// What templates say before the tools, too.
  private static let usual: Set = [
    "# Tools", "You may call one or more functions to assist with the user query.",
  ]

  private static func hasMark(_ text: Substring) -> Bool {
    text.contains("<tool") || text.contains("</tool")
  }

  /// The sentences and lines of a text, each with the blanks behind it.
  private static func sentences(_ text: Substring) -> [Substring] {
    var (sentences, rest) = ([Substring](), text)
    while !rest.isEmpty {
      var before: Character?
      let end = rest.indices.first { index in
        defer { before = rest[index] }
        return before.map { $0 == "\n" || ".!?".contains($0) && rest[index].isWhitespace } ?? false
      }
      let next = end.map { rest[$0...].drop(while: \.isWhitespace).startIndex } ?? rest.endIndex
      if !rest[..<next].isBlank { sentences.append(rest[..<next]) }
      rest = rest[next...]
    }
    return sentences
  }
}

extension JSONObject {
  fileprivate func saying(_ text: String) -> JSONObject {
    var message = self
    message["content"] = .string(text)
    return message
  }
}
