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

/// A part of a rendered chat.
enum ChatSegment: Equatable, Sendable {
  /// The begin token of the vocabulary.
  case begin
  /// The end token of the vocabulary.
  case end
  /// A special token by its text.
  case mark(String)
  /// Text of the format or of a message.
  case text(String)
}

extension ChatFormat {
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

  /// What stands before the first turn; `addsBegin` is what the file says of plain texts.
  func opening(addsBegin: Bool) -> [ChatSegment] {
    switch self {
    case .afm: [.end]
    case .llama2: []
    case .llama3, .gemma: [.begin]
    case .chatML, .phi3: addsBegin ? [.begin] : []
    }
  }

  /// The turns of `messages` in checked order, each with its end.
  ///
  /// Sources: the templates that the models were published with.
  func turns(_ messages: [ChatMessage]) -> [ChatSegment] {
    switch self {
    case .afm: messages.flatMap(afmTurn)
    case .chatML: chatMLTurns(messages)
    case .llama2: llama2Turns(messages)
    case .llama3: messages.flatMap(llama3Turn)
    case .gemma: gemmaTurns(messages)
    case .phi3: messages.flatMap(phi3Turn)
    }
  }

  /// What an answer follows.
  var answerStart: [ChatSegment] {
    switch self {
    case .afm: [.mark("<turn_start>"), .text(" assistant"), .mark("<n>")]
    case .chatML: [.mark("<|im_start|>"), .text("assistant\n")]
    case .llama2: []
    case .llama3: llama3Head("assistant")
    case .gemma: [.mark("<start_of_turn>"), .text("model\n")]
    case .phi3: [.mark("<|assistant|>"), .text("\n")]
    }
  }

  /// An answer between `answerStart` and `answerEnd`.
  func answer(_ content: String) -> [ChatSegment] {
    switch self {
    case .afm, .chatML, .phi3: [.text(content)]
    case .llama2: [.text(" \(trimmed(content)) ")]
    case .llama3, .gemma: [.text(trimmed(content))]
    }
  }

  /// What follows an answer before the next turn, or ends it when it was cut short.
  var answerEnd: [ChatSegment] {
    switch self {
    case .afm: [.mark("<turn_end>")]
    case .chatML: [.mark("<|im_end|>"), .text("\n")]
    case .llama2: [.end]
    case .llama3: [.mark("<|eot_id|>")]
    case .gemma: [.mark("<end_of_turn>"), .text("\n")]
    case .phi3: [.mark("<|end|>"), .text("\n")]
    }
  }
}

extension ChatFormat {
  private func afmTurn(_ message: ChatMessage) -> [ChatSegment] {
    [
      .mark("<turn_start>"), .text(" \(message.role.rawValue)"), .mark("<n>"),
      .text(message.content), .mark("<turn_end>"),
    ]
  }

  /// Tool results are turns of the user, as in the templates of Qwen; those in a row share one.
  private func chatMLTurns(_ messages: [ChatMessage]) -> [ChatSegment] {
    var segments: [ChatSegment] = []
    for (index, message) in messages.enumerated() {
      guard message.role == .tool else {
        segments += [
          .mark("<|im_start|>"), .text("\(message.role.rawValue)\n\(message.content)"),
          .mark("<|im_end|>"), .text("\n"),
        ]
        continue
      }
      if index == 0 || messages[index - 1].role != .tool {
        segments += [.mark("<|im_start|>"), .text("user")]
      }
      segments.append(.text("\n<tool_response>\n\(message.content)\n</tool_response>"))
      if index + 1 == messages.count || messages[index + 1].role != .tool {
        segments += [.mark("<|im_end|>"), .text("\n")]
      }
    }
    return segments
  }

  private func llama2Turns(_ messages: [ChatMessage]) -> [ChatSegment] {
    var system = ""
    var segments: [ChatSegment] = []
    for message in messages {
      switch message.role {
      case .system: system = "<<SYS>>\n\(message.content)\n<</SYS>>\n\n"
      case .user, .tool:
        segments += [.begin, .text("[INST] \(trimmed(system + message.content)) [/INST]")]
        system = ""
      case .assistant: segments += [.text(" \(trimmed(message.content)) "), .end]
      }
    }
    return segments
  }

  private func llama3Turn(_ message: ChatMessage) -> [ChatSegment] {
    let role = message.role == .tool ? "ipython" : message.role.rawValue
    return llama3Head(role) + [.text(trimmed(message.content)), .mark("<|eot_id|>")]
  }

  private func llama3Head(_ role: String) -> [ChatSegment] {
    [.mark("<|start_header_id|>"), .text(role), .mark("<|end_header_id|>"), .text("\n\n")]
  }

  /// Instructions are a part of the first turn of the user, as in the template of Gemma 3.
  private func gemmaTurns(_ messages: [ChatMessage]) -> [ChatSegment] {
    var system = ""
    var segments: [ChatSegment] = []
    for message in messages {
      if message.role == .system {
        system = message.content + "\n\n"
        continue
      }
      let role = message.role == .assistant ? "model" : "user"
      segments += [
        .mark("<start_of_turn>"), .text("\(role)\n\(system)\(trimmed(message.content))"),
        .mark("<end_of_turn>"), .text("\n"),
      ]
      system = ""
    }
    return segments
  }

  private func phi3Turn(_ message: ChatMessage) -> [ChatSegment] {
    [
      .mark("<|\(message.role.rawValue)|>"), .text("\n\(message.content)"), .mark("<|end|>"),
      .text("\n"),
    ]
  }
}

/// The text without white space at its ends, as templates trim it.
private func trimmed(_ text: String) -> String {
  let scalars = text.unicodeScalars
  func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || (0x1C...0x1F).contains(scalar.value)
  }
  guard let first = scalars.firstIndex(where: { !isSpace($0) }),
    let last = scalars.lastIndex(where: { !isSpace($0) })
  else { return "" }
  return String(scalars[first...last])
}
