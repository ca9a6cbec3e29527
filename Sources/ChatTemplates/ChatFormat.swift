/// How a model expects turns to be marked up; its raw value is its name on the command line.
///
/// Each is a template that comes with this library, for bases whose files have none.
public enum ChatFormat: String, Sendable, CaseIterable {
  /// Apple's format, version 6: `<turn_start> user<n>…<turn_end>`.
  case afm
  /// `<|im_start|>user`, a new line, `…<|im_end|>`.
  case chatML = "chatml"
  /// `[INST] … [/INST]`.
  case llama2
  /// `<|start_header_id|>user<|end_header_id|>`, an empty line, `…<|eot_id|>`.
  case llama3
  /// `<start_of_turn>user`, a new line, `…<end_of_turn>`.
  case gemma
  /// `<|user|>`, a new line, `…<|end|>`.
  case phi3

  /// All names, for messages.
  public static var names: String {
    allCases.map(\.rawValue).joined(separator: ", ")
  }
}

extension ChatFormat {
  /// What each template of a format contains, and what none does; other templates are of no known format.
  private static let signs: [(format: ChatFormat, all: [String], none: [String])] = [
    (.afm, ["<turn_start>", "<turn_end>"], []),
    (.chatML, ["<|im_start|>", "<|im_end|>"], ["<|im_sep|>"]),
    (.llama3, ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"], []),
    (.gemma, ["<start_of_turn>", "<end_of_turn>"], []),
    (.phi3, ["<|user|>", "<|assistant|>", "<|end|>"], []),
    (.llama2, ["[INST]", "[/INST]", "<<SYS>>"], []),
  ]

  /// The format that a template is of, or nil when it is of none or looks like several.
  ///
  /// It is for people to read; a base's own template is rendered whatever it is like.
  public init?(template: String) {
    let fitting = Self.signs.filter { sign in
      sign.all.allSatisfy { template.contains($0) } && !sign.none.contains { template.contains($0) }
    }
    guard let first = fitting.first, fitting.count == 1 else { return nil }
    self = first.format
  }
}

extension ChatFormat {
  /// What stands behind a message whose answer has to follow a JSON schema, given on one line.
  ///
  /// Source: Apple's tamm, which writes Python's `None` for a missing name or description.
  public static func schemaText(name: String?, description: String?, schema: String) -> String {
    "\n\nresponse format in json.\nname: \(name ?? "None")\n"
      + "description: \(description ?? "None")\nschema: \(schema)"
  }

  /// The special tokens that the format needs.
  package var marks: [String] {
    switch self {
    case .afm: ["<turn_start>", "<turn_end>", "<n>"]
    case .chatML: ["<|im_start|>", "<|im_end|>"]
    case .llama2: []
    case .llama3: ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    case .gemma: ["<start_of_turn>", "<end_of_turn>"]
    case .phi3: ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]
    }
  }

  /// Special tokens around the calls of tools in an answer, which a vocabulary may lack.
  package var callMarks: [String] {
    self == .afm ? ["<executable_start>", "<executable_end>"] : []
  }
}
