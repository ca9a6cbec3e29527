import Adapters
import ChatTemplates
import Tokenization

/// The marks of a chat format that texts of an example should not have.
struct Marks: Sendable {
  private let turns: MarkFinder
  private let tools: MarkFinder

  /// Those of the format of `renderer`; without one, of any.
  init(_ renderer: ExampleRenderer?) {
    turns = MarkFinder(renderer?.marks ?? ExampleRenderer.knownMarks)
    tools = MarkFinder(renderer?.toolMarks ?? HermesTexts.marks)
  }

  /// Marks of turns in answers, and the first one of tools in any text, which the format writes itself.
  func findings(_ example: TrainingExample, _ place: Finding.Place) -> [Finding] {
    let messages = example.messages.enumerated()
    let answers = messages.compactMap { index, message -> Finding? in
      guard message.role == .assistant, let mark = turns.first(in: message.content) else {
        return nil
      }
      return Finding(
        .marksInAnswer, at: place,
        "The answer in message \(index + 1) has the text \(mark), which looks like a mark of a chat format."
      )
    }
    let told = messages.lazy.compactMap { index, message -> Finding? in
      guard let mark = tools.first(in: message.content) else { return nil }
      return Finding(
        .toolMarks, at: place,
        "Message \(index + 1) has the text \(mark), which the chat format writes around what it says of tools."
      )
    }.first
    return answers + [told].compactMap(\.self)
  }
}

/// Finds texts that look like marks of a chat format.
private struct MarkFinder: Sendable {
  let marks: [String]
  /// For each byte, whether a mark begins with it.
  private let openings: [Bool]

  init(_ marks: [String]) {
    self.marks = marks
    let first = Set(marks.compactMap(\.utf8.first))
    openings = (0...UInt8.max).map(first.contains)
  }

  /// The mark that stands first in `text`.
  func first(in text: String) -> String? {
    guard text.utf8.contains(where: { openings[Int($0)] }) else { return nil }
    let text = Array(text.utf8)
    for (index, byte) in text.enumerated() where openings[Int(byte)] {
      let rest = text[index...]
      if let mark = marks.first(where: { rest.starts(with: $0.utf8) }) { return mark }
    }
    return nil
  }
}

extension ExampleRenderer {
  /// Texts that are special tokens of the base and its chat format.
  fileprivate var marks: [String] {
    let tokens = [tokenizer.beginToken, tokenizer.endToken].compactMap(\.self)
    let names = tokens.map {
      String(decoding: tokenizer.bytes(of: $0, special: true), as: UTF8.self)
    }
    return ((chat.style.format?.texts ?? chat.marks) + names).filter { $0.utf8.count > 2 }
  }

  /// Marks around tools, calls and results that the chat format writes.
  fileprivate var toolMarks: [String] { HermesTexts.marks.filter(chat.style.mentions) }

  /// Texts that are special tokens of any known chat format.
  fileprivate static let knownMarks =
    ChatFormat.allCases.flatMap(\.texts) + ["<s>", "</s>", "<|endoftext|>"]
}

extension ChatFormat {
  /// The texts that mark turns, those of Llama 2 included, which are no tokens.
  fileprivate var texts: [String] {
    switch self {
    case .llama2: ["[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"]
    case .llama3: marks + ["<|begin_of_text|>"]
    case .afm, .chatML, .gemma, .phi3: marks + callMarks
    }
  }
}
