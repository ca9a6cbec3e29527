import ChatTemplates
import LanguageModels
import TensorFiles

/// Options of the commands that generate text.
enum AnswerOptions {
  static let instructions = Option(
    "--instructions", .text, "What the model is to do or to be, before the first message")
  static let temperature = Option(
    "--temperature", short: "-t", .number(0...2),
    "0, the default, always takes the likeliest token; higher is more varied")
  static let topK = Option(
    "--top-k", .integer(0...1_000_000), "Choose among this many tokens; 0 for all")
  static let topP = Option(
    "--top-p", .number(0.01...1), "Choose among the likeliest tokens that make up this share")
  static let minP = Option(
    "--min-p", .number(0...1), "Leave out tokens below this share of the likeliest one")
  static let repetitionPenalty = Option(
    "--repetition-penalty", .number(1...100), "Make recent tokens less likely; 1 changes nothing")
  static let seed = Option("--seed", .seed, "Same seed, same text")
  static let maximumTokens = Option(
    "--max-tokens", short: "-n", .integer(1...1_000_000),
    "Longest answer, in tokens; 512 unless given")
  static let chatFormat = Option(
    "--chat-format", .word("format", ChatFormat.allCases.map(\.rawValue)),
    "How messages become a prompt; read from the base unless given")

  static let all: [any OptionDeclaration] = [
    instructions, temperature, topK, topP, minP, repetitionPenalty, seed, maximumTokens, chatFormat,
  ]

  /// How tokens are to be chosen.
  static func sampling(_ arguments: ParsedArguments) -> GenerationOptions {
    GenerationOptions(
      temperature: Double(arguments.value(temperature) ?? 0), topK: arguments.value(topK) ?? 0,
      topP: Double(arguments.value(topP) ?? 1), minP: Double(arguments.value(minP) ?? 0),
      repetitionPenalty: Double(arguments.value(repetitionPenalty) ?? 1),
      seed: arguments.value(seed), maximumTokens: arguments.value(maximumTokens) ?? 512)
  }

  /// The format that was stated, or else the one that the base's own template is.
  static func style(_ arguments: ParsedArguments, _ model: LanguageModel) throws -> ChatStyle {
    let (metadata, file) = (model.file.metadata, model.path)
    guard let name = arguments.value(chatFormat), let format = ChatFormat(rawValue: name) else {
      return try ChatStyle(metadata, file: file)
    }
    return try ChatStyle(format, metadata, file: file)
  }
}
