import JSON
import Tokenization

// Where an answer begins: where the text behind the message before it is no longer as prompts end.
extension WrittenChat {
  /// The answer from its start, of which the template shows `own`.
  func start(
    of index: Int, _ message: ChatMessage, _ own: Range<Int>?, from least: Int, isLast: Bool
  ) -> Answer {
    let gap = text.gap(before: index, own, from: least)
    func answer(behind length: Int) -> Answer {
      let start = max(least, gap.lowerBound + length)
      return Answer(cut: start, range: start..<start)
    }
    guard let prompt = text(of: objects[..<index], isPrompt: true)?.afterMessages else {
      return answer(behind: gap.count)
    }
    let shown = text[gap]
    let isThoughtful = own.map { text[$0].has(.thoughts) } ?? false
    if isThoughtful, !shown.hasPrefix(prompt) {
      // Some templates end prompts otherwise where there will be thoughts.
      let thinking = text(of: objects[..<index], isPrompt: true, thinking: true)?.afterMessages
      if let thinking, shown.hasPrefix(thinking) { return answer(behind: thinking.bytes.count) }
    }
    let shared = shown.sharedPrefix(with: prompt)
    var found = answer(behind: shared)
    let rest = shown[shared..<shown.bytes.count]
    let missing = prompt[shared..<prompt.bytes.count]
    let closing = closing(of: index, message, behind: prompt, missing, rest)
    guard !isThoughtful else {
      if closing != nil, rest.isEmpty { found.shown = missing }
      return found
    }
    found.shown = missing
    if let own, !missing.isEmpty, text[own].hasPrefix(missing) {
      // The text says itself what the prompt ends with.
      found.range = (own.lowerBound + missing.bytes.count)..<own.upperBound
    } else if !missing.trimmed().isEmpty, let place = rest.occurrences(of: missing).last {
      // What stands before it is spaced otherwise.
      found = answer(behind: shared + place + missing.bytes.count)
    } else if let closing {
      close(&found, closing, message, own, rest, isLast: isLast)
    } else {
      let both = missing.overlap(with: rest)
      found.range = (found.cut + both)..<(found.cut + both)
    }
    skipEmptyThoughts(&found, message, before: gap.upperBound)
    return found
  }

  /// What a model says that is left within thoughts by a prompt and thinks nothing.
  private struct Closing {
    /// What thoughts stand behind.
    var lead = ""
    var text: SourcedText
  }

  /// How thoughts end that the prompt has opened and the text does not show; nil where there are none.
  private func closing(
    of index: Int, _ message: ChatMessage, behind prompt: SourcedText, _ missing: SourcedText,
    _ rest: SourcedText
  ) -> Closing? {
    if !missing.isEmpty {
      if let text = closing(of: index, behind: prompt) { return Closing(text: text) }
    } else if !rest.isEmpty || ThoughtStream.thoughts(in: message.content) != nil {
      return nil
    }
    return ThoughtStream(after: prompt.string).closing.map { mark in
      Closing(
        lead: prompt.bytes.last == UInt8(ascii: "\n") ? "" : "\n",
        text: SourcedText("\n\(mark)\n\n", .template))
    }
  }

  /// How the template itself ends thoughts that begin behind a prompt: as it shows the answer when nothing follows, or once
  /// it has thoughts.
  private func closing(of index: Int, behind prompt: SourcedText) -> SourcedText? {
    if let alone = text(of: objects[...index]) {
      let own = alone.range(ofMessage: index)
      let gap = alone[alone.gap(before: index, own, from: 0)]
      let isThoughtful = own.map { alone[$0].has(.thoughts) } ?? true
      if !isThoughtful, gap.bytes.count > prompt.bytes.count, gap.hasPrefix(prompt) {
        return gap[prompt.bytes.count..<gap.bytes.count]
      }
    }
    guard var object = objects[index].object else { return nil }
    object["reasoning_content"] = .string("-")
    guard let thinking = text(of: objects[..<index] + [.object(object)]),
      let own = thinking.range(ofMessage: index),
      let thoughts = thinking.range(of: .message(index, .thoughts)),
      thoughts.lowerBound == own.lowerBound,
      let next = thinking.start(ofMessage: index, from: thoughts.upperBound)
    else { return nil }
    let before = thinking[thinking.gap(before: index, own, from: 0)]
    let end = thinking[thoughts.upperBound..<next]
    guard prompt.hasPrefix(before) else { return nil }
    // The prompt may end them itself.
    let more = prompt[before.bytes.count..<prompt.bytes.count].trimmed()
    return more.isEmpty || !end.trimmed().hasPrefix(more) ? end : nil
  }

  /// Puts thoughts, or their end alone, before an answer that the text has from `rest` on.
  private func close(
    _ answer: inout Answer, _ closing: Closing, _ message: ChatMessage, _ own: Range<Int>?,
    _ rest: SourcedText, isLast: Bool
  ) {
    let embedded = ThoughtStream.thoughts(in: message.content) ?? ""
    let isShown = own.map { text[$0].contains(SourcedText(embedded, .data)) } ?? false
    let thoughts = message.thoughts ?? (isShown ? "" : embedded)
    var end = closing.text
    let start = answer.range.lowerBound
    if end.hasSuffix(rest) {
      end = end[0..<(end.bytes.count - rest.bytes.count)]
    } else if rest.trimmed() == end.trimmed() {
      end = SourcedText()
    }
    if start < text.bytes.count, Tokenizer.isSpace(text.bytes[start]) { end = end.trimmedEnd() }
    var said = SourcedText(closing.lead, .template)
    // Later prompts show without thoughts what was said before.
    if isLast { said.append(thoughts, .message(0, .thoughts)) }
    said.append(end)
    if isLast || thoughts.isEmpty { answer.said = said } else { answer.shown.append(said) }
  }

  /// Takes marks that the template writes where it leaves thoughts out from what is learnt: nobody thought nothing.
  private func skipEmptyThoughts(
    _ answer: inout Answer, _ message: ChatMessage, before end: Int
  ) {
    let start = answer.range.lowerBound
    guard message.thoughts != nil, answer.said.isEmpty, start < end,
      let length = ThoughtStream.lengthOfEmptyThoughts(in: text[start..<end].string)
    else { return }
    answer.shown.append(text[start..<(start + length)])
    answer.range = (start + length)..<(start + length)
  }
}

extension ChatRenderer {
  /// Bytes that prompts end with, and some more for marks that end thoughts and turns.
  func longestOpening() -> Int {
    let question = ChatMessage(role: .user, content: "-").json(argumentsAreText: false)
    let function: JSONObject = [
      "name": .string("-"), "description": .string("-"),
      "parameters": .object(["type": .string("object"), "properties": .object([:])]),
    ]
    let tool = JSONValue.object(["type": .string("function"), "function": .object(function)])
    let lengths = [[], [tool]].map { tools in
      var settings = ChatSettings()
      settings.tools = tools
      return (try? sourced([question], settings))?.afterMessages.bytes.count ?? 0
    }
    return 2 * (lengths.max() ?? 0) + 64
  }
}

extension SourcedText {
  /// Whether some of it is such a part of messages.
  fileprivate func has(_ part: TextSource.Part) -> Bool {
    runs.contains { $0.source.part == part }
  }

  /// What stands between the message before an answer and what the answer says at `own`.
  fileprivate func gap(before index: Int, _ own: Range<Int>?, from least: Int) -> Range<Int> {
    var (start, lower) = (0, 0)
    for run in runs {
      if let message = run.source.message {
        if start >= own?.lowerBound ?? .max || (own == nil && message > index && start >= least) {
          return lower..<start
        }
        lower = run.end
      }
      start = run.end
    }
    return lower..<bytes.count
  }

  /// The part behind all that messages say.
  fileprivate var afterMessages: SourcedText {
    var (end, start) = (0, 0)
    for run in runs {
      if run.source.message != nil { end = run.end }
      start = run.end
    }
    return self[end..<start]
  }

  /// The first part from a source.
  fileprivate func range(of source: TextSource) -> Range<Int>? {
    guard let index = runs.firstIndex(where: { $0.source == source }) else { return nil }
    return (index > 0 ? runs[index - 1].end : 0)..<runs[index].end
  }

  /// Where a message says something behind the byte `least`.
  fileprivate func start(ofMessage index: Int, from least: Int) -> Int? {
    zip([0] + runs.map(\.end), runs).first { $0 >= least && $1.source.message == index }?.0
  }

  /// The text without white space at its end.
  fileprivate func trimmedEnd() -> SourcedText {
    self[0..<(bytes.lastIndex { !Tokenizer.isSpace($0) }.map { $0 + 1 } ?? 0)]
  }

  /// Bytes at the end that another text begins with.
  fileprivate func overlap(with next: SourcedText) -> Int {
    let most = min(bytes.count, next.bytes.count)
    return (0...most).last { bytes.suffix($0).elementsEqual(next.bytes.prefix($0)) } ?? 0
  }

  /// Bytes at the start that two texts share, without a mark of which only a part is shared.
  fileprivate func sharedPrefix(with other: SourcedText) -> Int {
    let shared = zip(bytes, other.bytes).prefix { $0 == $1 }.count
    guard shared < other.bytes.count else { return shared }
    let marks: [(Character, Character)] = [("<", ">"), ("[", "]")]
    for (open, close) in marks {
      let start = bytes[..<shared].lastIndex { $0 == open.asciiValue }
      if let start, !bytes[start..<shared].contains(where: { $0 == close.asciiValue }) {
        return start
      }
    }
    return shared
  }
}
