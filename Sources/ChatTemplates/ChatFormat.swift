/// How a model expects turns to be marked up; its raw value is its name on the command line.
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

  /// The format of a template, or nil when it is of none or looks like several.
  public init?(template: String) {
    let fitting = Self.signs.filter { sign in
      sign.all.allSatisfy { template.contains($0) } && !sign.none.contains { template.contains($0) }
    }
    guard let first = fitting.first, fitting.count == 1 else { return nil }
    self = first.format
  }
}

extension ChatFormat {
  /// What stands behind the instructions of a chat whose assistant may call tools; nil where the format has no place.
  ///
  /// `tools` are JSON objects, each on one line. Source: the template of Apple's tamm, version 6.
  public func toolsText(_ tools: [String]) -> String? {
    self == .afm ? "\nsystem tools: " + tools.joined(separator: "\n") : nil
  }

  /// What stands behind a message whose answer has to follow a JSON schema, given on one line.
  ///
  /// Source: Apple's tamm, which writes Python's `None` for a missing name or description.
  public static func schemaText(name: String?, description: String?, schema: String) -> String {
    "\n\nresponse format in json.\nname: \(name ?? "None")\n"
      + "description: \(description ?? "None")\nschema: \(schema)"
  }
}
