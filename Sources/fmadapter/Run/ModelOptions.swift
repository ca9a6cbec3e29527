import Adapters
import ChatTemplates
import Chats
import JSON
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles

/// Options of the commands that load a base, with adapters or without.
enum ModelOptions {
  static let base = Option(
    "--base", short: "-b", .base,
    "Signature or name of an installed base, or a GGUF file; without it the base in use")
  /// Of commands that need no base but the adapter's own.
  static let baseOfAdapter = Option(
    "--base", short: "-b", .base,
    "Signature or name of an installed base, or a GGUF file; without it the adapter's own")
  static let adapter = Option(
    "--adapter", short: "-a", .adapter, repeats: true,
    "Add an adapter: an installed name or identifier, or a package's path; may be given again")
  static let scale = Option(
    "--adapter-scale", .number(-10...10), repeats: true,
    "Strength of an adapter, 1 as trained; the first belongs to the first adapter")
  static let threads = Option(
    "--threads", .integer(1...256), "Worker threads (default: one per processor)")
  static let cache = Option(
    "--kv", .cacheFormat,
    "How keys and values are kept: f32, f16 or q8 (default: f16 over quantized weights)")
}

/// Where the proposals of an answer come from.
enum DraftChoice: Sendable, Equatable {
  /// Grammars, the conversation, and what the adapter brings.
  case auto
  /// Nowhere: a token a pass.
  case off
  /// That, and a model in a file.
  case file(String)

  /// What a session over `model` with `adapters` is to speculate with; nil for not at all.
  ///
  /// - Throws: what is wrong with the draft's file, or with it for this base.
  func speculation(
    for model: BaseModel, _ adapters: [AppliedAdapter], costs: PassCosts?
  ) throws -> Speculation? {
    switch self {
    case .auto: return try Speculation(adapters, for: model, costs: costs)
    case .off: return nil
    case .file(let path):
      var speculation = try Speculation(adapters, for: model, costs: costs)
      speculation.draft = try DraftModel(path: path, for: model)
      return speculation
    }
  }
}

extension ValueType where Value == DraftChoice {
  fileprivate static var draft: Self {
    Self(
      placeholder: "draft", expectation: "auto, off or a GGUF file", choices: ["auto", "off"],
      completion: .files
    ) {
      switch $0 {
      case "": nil
      case "auto": .auto
      case "off": .off
      default: .file($0)
      }
    }
  }
}

/// What becomes of a chat that is longer than the context.
enum ContextChoice: Sendable, Equatable {
  case rule(ContextRule)
  /// An error.
  case none

  var rule: ContextRule? { if case .rule(let rule) = self { rule } else { nil } }

  /// As it is typed.
  init?(_ text: String) {
    switch text {
    case "drop-oldest": self = .rule(.dropOldest)
    case "summarize": self = .rule(.summarize)
    case "none": self = .none
    default:
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] == "keep-last", let count = Int(parts[1]), count >= 0
      else { return nil }
      self = .rule(.keepLast(count))
    }
  }

  init(_ rule: ContextRule?) { self = rule.map(ContextChoice.rule) ?? .none }

  var text: String {
    switch self {
    case .rule(.dropOldest): "drop-oldest"
    case .rule(.summarize): "summarize"
    case .rule(.keepLast(let count)): "keep-last=\(count)"
    case .none: "none"
    }
  }
}

extension ValueType where Value == ContextChoice {
  fileprivate static var contextPolicy: Self {
    Self(
      placeholder: "policy", expectation: "drop-oldest, keep-last=COUNT, summarize or none",
      choices: ["drop-oldest", "keep-last=COUNT", "summarize", "none"],
      completion: .words(["drop-oldest", "keep-last=4", "summarize", "none"])
    ) { ContextChoice($0) }
  }
}

extension ValueType where Value == CacheFormat {
  fileprivate static var cacheFormat: Self {
    let names = CacheFormat.allCases.map(\.rawValue)
    return Self(
      placeholder: "format", expectation: "one of " + names.joined(separator: ", "),
      choices: names, completion: .words(names)
    ) { CacheFormat(rawValue: $0) }
  }
}

/// Options of the commands that generate text.
enum AnswerOptions {
  static let draft = Option(
    "--draft", .draft,
    "Guess ahead, which changes no text: auto, off, or a small GGUF file with the base's tokens that guesses too"
  )
  static let instructions = Option(
    "--instructions", .text, "What the model is to do or to be, before the first message")
  static let temperature = Option(
    "--temperature", short: "-t", .number(0...2),
    "How varied the answer is; 0 always takes the likeliest token (default: what the base or the adapter states, else 0)"
  )
  static let topK = Option(
    "--top-k", .integer(0...1_000_000), "Choose among this many tokens; 0 for all")
  static let topP = Option(
    "--top-p", .number(0.01...1), "Choose among the likeliest tokens that make up this share")
  static let minP = Option(
    "--min-p", .number(0...1), "Leave out tokens below this share of the likeliest one")
  static let repetitionPenalty = Option(
    "--repetition-penalty", .number(1...100), "Make recent tokens less likely; 1 changes nothing")
  static let allowLoops = Flag(
    "--allow-loops", "Do not end an answer in which the same words come again and again")
  static let seed = Option("--seed", .seed, "Same seed, same text")
  static let maximumTokens = Option(
    "--max-tokens", short: "-n", .integer(1...1_000_000),
    "Longest answer, in tokens (default: 512)")
  static let chatFormat = Option(
    "--chat-format", .word("format", ChatFormat.allCases.map(\.rawValue)),
    "How messages become a prompt (default: as the base says)")

  static let schema = Option(
    "--schema", .file, "Answer in JSON that fits the JSON Schema in this file, on one line")
  static let noThink = Flag(
    "--no-think", "Answer without thinking first, where the base's template leaves the choice")

  static let contextPolicy = Option(
    "--context-policy", .contextPolicy,
    "What is forgotten when a chat outgrows the context: drop-oldest (default), keep-last=COUNT, summarize, or none"
  )

  static let all: [any OptionDeclaration] = [
    instructions, schema, temperature, topK, topP, minP, repetitionPenalty, seed, maximumTokens,
    allowLoops, noThink, chatFormat, draft,
  ]

  /// How tokens are to be drawn, as far as the line says.
  static func asked(_ arguments: ParsedArguments) -> SamplingSettings {
    SamplingSettings { value in
      switch value {
      case .temperature: arguments.value(temperature).map { Double($0) }
      case .topK: arguments.value(topK).map { Double($0) }
      case .topP: arguments.value(topP).map { Double($0) }
      case .minP: arguments.value(minP).map { Double($0) }
      case .repetitionPenalty: arguments.value(repetitionPenalty).map { Double($0) }
      }
    }
  }

  /// How tokens are to be chosen: as the line says, and where it does not, as `stated`.
  static func sampling(
    _ arguments: ParsedArguments, or stated: SamplingSettings = SamplingSettings()
  ) -> SamplingOptions {
    var options = SamplingOptions(
      seed: arguments.value(seed), maximumTokens: arguments.value(maximumTokens) ?? 512)
    options.take(asked(arguments).over(stated))
    return options
  }

  /// The template of the format that was stated, or else the base's own.
  static func style(
    _ arguments: ParsedArguments, _ file: GGUFFile, or other: String? = nil
  ) throws -> ChatStyle {
    guard let name = arguments.value(chatFormat) ?? other, let format = ChatFormat(rawValue: name)
    else {
      return try ChatStyle(file.metadata, file: file.path)
    }
    return try ChatStyle(format, file.metadata, file: file.path)
  }
}
