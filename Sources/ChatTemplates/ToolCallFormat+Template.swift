import Grammars
import JSON
import Tokenization

// How a template writes calls, found out by letting it write some.
extension ToolCallFormat {
  /// The format of a template; nil where it has no place for definitions, calls or results, or writes arguments otherwise
  /// than as JSON.
  init?(of renderer: ChatRenderer) {
    if let format = renderer.style.format,
      format.callMarks.contains(where: {
        renderer.tokenizer.token($0) == nil
      })
    {
      return nil
    }
    for argumentsAreText in [false, true] {
      // A template that writes an object in a way of its own would only copy a text.
      if argumentsAreText, Probe.text(1, renderer, argumentsAreText: false) != nil { return nil }
      guard let one = Probe(1, renderer, argumentsAreText) else { continue }
      let two = Probe(2, renderer, argumentsAreText)
      let fits =
        two.map { two in
          two.marks.starts(with: one.marks) && two.opening == one.opening
            && two.closing == one.closing && two.calls.allSatisfy { $0 == one.calls[0] }
        } ?? false
      self.init(
        marks: fits ? two?.marks ?? [] : one.marks, opening: one.opening, call: one.calls[0],
        separator: fits ? two?.separator : nil, closing: one.closing,
        argumentsAreText: argumentsAreText, isInAnswers: false)
      return
    }
    return nil
  }

  /// A chat with calls as a template writes it, taken apart.
  private struct Probe {
    private(set) var marks: [Token] = []
    private(set) var opening: [UInt8] = []
    private(set) var calls: [[Part]] = []
    private(set) var separator: [UInt8]?
    private(set) var closing: [UInt8] = []

    private static func call(_ index: Int) -> ChatToolCall {
      ChatToolCall(
        id: "probeid0\(index)", name: "probe_tool_\(index)",
        arguments: .object(["probe_key": .string("probe_value_\(index)")]))
    }
    private static let result = "probe_result"

    init?(_ count: Int, _ renderer: ChatRenderer, _ argumentsAreText: Bool) {
      let calls = (1...count).map(Self.call)
      guard let prompt = Self.text(0, renderer, argumentsAreText: argumentsAreText),
        let whole = Self.text(count, renderer, argumentsAreText: argumentsAreText),
        prompt.string.contains(calls[0].name), whole.string.contains(Self.result)
      else { return nil }
      let start = Self.startOfAnswer(in: whole, after: prompt)
      // What comes with the results is no part of the calls.
      let alone = Self.text(
        count, renderer, argumentsAreText: argumentsAreText, hasResults: false)
      let shared = alone.map { zip($0.bytes, whole.bytes).prefix { $0 == $1 }.count }
      let value = Self.range(of: "probe_value_\(count)", in: whole.bytes, from: start)
      guard let value else { return nil }
      // Alone, the last message may be shown otherwise.
      let end = shared.flatMap { $0 > value.upperBound ? $0 : nil } ?? whole.bytes.count
      var tokens: [Token] = []
      var predecessor = Tokenizer.Predecessor.text
      renderer.append(whole, start..<end, after: &predecessor, to: &tokens)
      read(tokens, calls, renderer)
      guard self.calls.count == count else { return nil }
    }

    /// A chat with `count` calls and their results as the template writes it; without any, up to where an answer starts.
    static func text(
      _ count: Int, _ renderer: ChatRenderer, argumentsAreText: Bool, hasResults: Bool = true
    ) -> SourcedText? {
      let calls = (1...max(count, 1)).map(call)
      var chat = renderer.instructed([ChatMessage(role: .user, content: "probe_question")])
      if count > 0 { chat.append(ChatMessage(calls: calls)) }
      if count > 0, hasResults {
        chat += calls.map { ChatMessage(resultOf: $0, content: result) }
      }
      var settings = ChatSettings()
      // The same ones in all probes, so that prompts are what the chats begin with.
      settings.tools = [call(1), call(2)].map(definition)
      settings.hasGenerationPrompt = count == 0
      settings.thinking = renderer.thinking
      return try? renderer.sourced(
        chat.map { $0.json(argumentsAreText: argumentsAreText) }, settings)
    }

    private static func definition(of call: ChatToolCall) -> JSONValue {
      let property: JSONObject = [
        "type": .string("string"), "description": .string("probe_description"),
      ]
      let parameters: JSONObject = [
        "type": .string("object"), "properties": .object(["probe_key": .object(property)]),
        "required": .array([.string("probe_key")]),
      ]
      return .object([
        "type": .string("function"),
        "function": .object([
          "name": .string(call.name), "description": .string("probe_description"),
          "parameters": .object(parameters),
        ]),
      ])
    }

    /// Where the answer starts that goes on after `prompt`; some templates end prompts with what answers are shown without.
    private static func startOfAnswer(in text: SourcedText, after prompt: SourcedText) -> Int {
      var start = zip(text.bytes, prompt.bytes).prefix { $0 == $1 }.count
      guard start < prompt.bytes.count else { return start }
      let ends = [UInt8(ascii: "\n"), UInt8(ascii: ">")]
      while start > 0, !ends.contains(text.bytes[start - 1]) { start -= 1 }
      return start
    }

    private mutating func read(
      _ tokens: [Token], _ calls: [ChatToolCall], _ renderer: ChatRenderer
    ) {
      let tokenizer = renderer.tokenizer
      var coded: [UInt8] = []
      var stops: [Int] = []
      for token in tokens {
        if renderer.stopTokens.contains(token) { stops.append(coded.count) }
        let bytes = tokenizer.bytes(of: token)
        guard bytes.isEmpty || tokenizer.isMark(token) else {
          coded += bytes
          continue
        }
        if !marks.contains(token) { marks.append(token) }
        guard let index = marks.firstIndex(of: token), index < GrammarConstraint.markLimit else {
          // Those of results, which come later, are no part of calls.
          break
        }
        coded.append(GrammarConstraint.markByte + UInt8(index))
      }
      guard let holes = Self.holes(calls, in: coded, stops),
        let last = holes.last?.last?.range.upperBound
      else { return }
      let end = stops.first { $0 >= last } ?? coded.count
      take(coded, holes, upTo: end)
    }

    private mutating func take(_ coded: [UInt8], _ holes: [[Hole]], upTo end: Int) {
      var place = 0
      for (index, parts) in holes.enumerated() {
        guard let first = parts.first, let last = parts.last else { return }
        let before = Array(coded[place..<first.range.lowerBound])
        if index == 0 { opening = Array(before.drop(while: Tokenizer.isSpace)) }
        if index == 1 { separator = before }
        var call: [Part] = []
        place = first.range.lowerBound
        for hole in parts {
          if hole.range.lowerBound > place {
            call.append(.fixed(Array(coded[place..<hole.range.lowerBound])))
          }
          call.append(hole.part)
          place = hole.range.upperBound
        }
        calls.append(call)
        place = last.range.upperBound
      }
      closing = Array(coded[place..<end])
      while let byte = closing.last, Tokenizer.isSpace(byte) { closing.removeLast() }
      // Marks beyond the calls are not the format's.
      let used = (opening + (separator ?? []) + closing + calls.joined().flatMap(\.bytes))
        .filter { $0 >= GrammarConstraint.markByte }
      marks = Array(marks.prefix(used.max().map { Int($0 - GrammarConstraint.markByte) + 1 } ?? 0))
    }

    private struct Hole {
      let part: Part
      let range: Range<Int>
    }

    /// Where the parts of each call stand.
    private static func holes(
      _ calls: [ChatToolCall], in coded: [UInt8], _ stops: [Int]
    ) -> [[Hole]]? {
      var place = 0
      var found: [[Hole]] = []
      for (index, call) in calls.enumerated() {
        let next = calls.dropFirst(index + 1).first
        let limit = next.flatMap { range(of: $0.name, in: coded, from: place) }?.lowerBound
        guard let name = range(of: call.name, in: coded, from: place),
          let arguments = arguments(of: call, in: coded, from: place)
        else { return nil }
        var holes = [Hole(part: .name, range: name), Hole(part: .arguments, range: arguments)]
        let afterwards = max(name.upperBound, arguments.upperBound)
        // The result has the identity, too.
        let end =
          limit ?? stops.first { $0 >= afterwards }
          ?? range(of: result, in: coded, from: afterwards)?.lowerBound ?? coded.count
        if let id = range(of: call.id, in: Array(coded[..<end]), from: place) {
          holes.append(Hole(part: .id, range: id))
        }
        holes.sort { $0.range.lowerBound < $1.range.lowerBound }
        found.append(holes)
        place = holes.last?.range.upperBound ?? place
      }
      return found
    }

    private static func range(of text: String, in coded: [UInt8], from start: Int) -> Range<Int>? {
      let needle = Array(text.utf8)
      guard start + needle.count <= coded.count else { return nil }
      return (start...(coded.count - needle.count)).first { coded[$0...].starts(with: needle) }
        .map { $0..<($0 + needle.count) }
    }

    /// The JSON of the arguments, however it is spaced.
    private static func arguments(
      of call: ChatToolCall, in coded: [UInt8], from start: Int
    ) -> Range<Int>? {
      guard
        let value = range(
          of: call.arguments.object?["probe_key"]?.string ?? "", in: coded, from: start),
        let first = coded[start..<value.lowerBound].lastIndex(of: UInt8(ascii: "{")),
        let last = coded[value.upperBound...].firstIndex(of: UInt8(ascii: "}"))
      else { return nil }
      let text = Array(coded[first...last])
      guard (try? JSONDocument(parsing: text).root) == call.arguments else { return nil }
      return first..<(last + 1)
    }
  }
}

extension ToolCallFormat.Part {
  fileprivate var bytes: [UInt8] {
    if case .fixed(let bytes) = self { bytes } else { [] }
  }
}
