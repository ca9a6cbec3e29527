import ChatTemplates
import Tokenization

extension ExampleRenderer {
  /// Texts that are special tokens of the base and its chat format.
  var marks: [String] {
    let tokens = [tokenizer.beginToken, tokenizer.endToken].compactMap(\.self)
    let names = tokens.map {
      String(decoding: tokenizer.bytes(of: $0, special: true), as: UTF8.self)
    }
    return (chat.style.format.texts + names).filter { $0.utf8.count > 2 }
  }

  /// Texts that are special tokens of any known chat format.
  static let knownMarks = ChatFormat.allCases.flatMap(\.texts) + ["<s>", "</s>", "<|endoftext|>"]
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
