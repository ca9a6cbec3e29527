import JSON
import Tokenization

/// A chat with its answers as a template writes it, in which the places of answers are found by whose every byte is.
struct WrittenChat {
  /// An answer in the text, and what a model is shown and says of it besides.
  struct Answer {
    /// Where the text before it ends.
    var cut: Int
    /// The part of the text that is learnt, up to the mark that ends it.
    var range: Range<Int>
    /// What prompts have before it and the text has not.
    var shown = SourcedText()
    /// What is said between that and the text.
    var said = SourcedText()
    /// What ends it, where the text has nothing behind it.
    var end = SourcedText()
  }

  let renderer: ChatRenderer
  /// The messages of the chat, as the template can show them.
  let messages: [ChatMessage]
  /// The messages as the template takes them.
  let objects: [JSONValue]
  let tools: [JSONValue]
  let text: SourcedText
  /// Messages that stand before those of the chat.
  let shift: Int

  /// Messages as the template writes them; nil where it refuses them.
  func text(
    of messages: some Sequence<JSONValue>, isPrompt: Bool = false, thinking: Bool? = nil
  ) -> SourcedText? {
    var settings = ChatSettings()
    (settings.tools, settings.hasGenerationPrompt) = (tools, isPrompt)
    settings.thinking = thinking
    return try? renderer.sourced(Array(messages), settings)
  }

  /// Where the answer `message`, which has an index in the chat, stands behind the byte `least`; nil where the template leaves
  /// it out.
  func answer(
    _ message: ChatMessage, at place: Int, from least: Int, isLast: Bool
  ) -> Answer? {
    let index = place + shift
    // Results may name the calls that they are the results of.
    let alone = message.toolCalls.isEmpty ? nil : text(of: objects[...index])
    let calls = alone?.count(.message(index, .calls)) ?? .max
    let own = text.range(of: index, from: least, calls: calls)
    let isEmpty =
      SourcedText(message.content, .data).trimmed().isEmpty && message.toolCalls.isEmpty
    guard own != nil || isEmpty else { return nil }
    var answer = start(of: index, message, own, from: least, isLast: isLast)
    let end = max(own?.upperBound ?? 0, answer.range.lowerBound)
    let mark = renderer.endMark(of: index, in: text, from: end)
    answer.range = answer.range.lowerBound..<(mark ?? end)
    guard mark == nil else { return answer }
    let rest = text[end..<text.bytes.count]
    let closed = alone?.ending(of: index, calls)
    for ending in [ending(of: index, message, calls), closed].compactMap(\.self) {
      if ending.hasPrefix(rest) { answer.end = ending[rest.bytes.count..<ending.bytes.count] }
      guard ending.hasPrefix(rest) || rest.hasPrefix(ending) else { continue }
      let length = min(rest.bytes.count, ending.bytes.count)
      answer.range = answer.range.lowerBound..<(end + length)
      break
    }
    return answer
  }

  /// What stands behind an answer up to the mark that ends it, when the chat goes on.
  private func ending(of index: Int, _ message: ChatMessage, _ calls: Int) -> SourcedText? {
    let next =
      message.toolCalls.first.map { ChatMessage(resultOf: $0, content: "-") }
      ?? ChatMessage(role: .user, content: "-")
    let going = text(of: objects[...index] + [next.json(argumentsAreText: false)])
    guard let going, let own = going.range(of: index, from: 0, calls: calls),
      let mark = renderer.endMark(of: index, in: going, from: own.upperBound)
    else { return nil }
    return going[own.upperBound..<mark]
  }
}

extension SourcedText {
  /// What stands behind the calls of the last message, but for white space.
  fileprivate func ending(of index: Int, _ calls: Int) -> SourcedText? {
    guard let own = range(of: index, from: 0, calls: calls) else { return nil }
    let end = bytes.lastIndex { !Tokenizer.isSpace($0) }.map { $0 + 1 } ?? bytes.count
    return self[own.upperBound..<max(own.upperBound, end)]
  }

  /// Bytes from a source.
  fileprivate func count(_ source: TextSource) -> Int {
    var (start, count) = (0, 0)
    for run in runs {
      if run.source == source { count += run.end - start }
      start = run.end
    }
    return count
  }

  /// Where the first text of a message stands behind the byte `least`, up to what another one says or beyond `calls` bytes of
  /// calls.
  fileprivate func range(of index: Int, from least: Int, calls: Int) -> Range<Int>? {
    var found: Range<Int>?
    var (start, left) = (0, calls)
    for run in runs {
      defer { start = run.end }
      guard run.end > least, let message = run.source.message else { continue }
      guard message == index else {
        if found == nil { continue } else { break }
      }
      if run.source.part == .calls {
        guard left >= run.end - start else { break }
        left -= run.end - start
      }
      found = (found?.lowerBound ?? start)..<run.end
    }
    return found
  }
}

extension ChatRenderer {
  /// The end of the first token that ends answers, unless another message comes before it.
  func endMark(of index: Int, in text: SourcedText, from start: Int) -> Int? {
    endMarkRange(of: index, in: text, from: start)?.upperBound
  }

  /// The start of that token.
  func startOfEndMark(of index: Int, in text: SourcedText, from start: Int) -> Int? {
    endMarkRange(of: index, in: text, from: start)?.lowerBound
  }

  private func endMarkRange(
    of index: Int, in text: SourcedText, from start: Int
  ) -> Range<Int>? {
    let marks = stopTexts
    for offset in start..<text.bytes.count {
      let source = text.source(at: offset)
      if let message = source.message, message != index { return nil }
      guard source.isTemplate else { continue }
      let found = marks.filter { text.bytes[offset...].starts(with: $0) }.map(\.count).max()
      if let found { return offset..<(offset + found) }
    }
    return nil
  }
}
