import Adapters
import ChatTemplates
import JSON
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles

/// How the answers of a file are made, which each of its lines says under `run`: no others join them.
struct RunRecord {
  /// What is as it is without options is left out.
  private(set) var json: JSONObject

  init(_ loaded: LoadedModel, _ settings: AnswerSettings, _ arguments: ParsedArguments) throws {
    // All of a file without a record would have to be read for its signature.
    let base = try loaded.contract?.signature ?? FileSystem.resolved(loaded.model.file.path)
    json = ["base": .string(base)]
    if !loaded.adapters.isEmpty {
      json["adapters"] = .array(
        loaded.adapters.map {
          .object([
            "identifier": .string($0.identifier),
            "contentHash": .string(String($0.contentHash.prefix(12))),
            "scale": .decimal($0.scale.asWritten),
          ])
        })
    }
    let (chosen, usual) = (settings.options, AnswerOptions.sampling(ParsedArguments()))
    add(AnswerOptions.temperature, chosen.temperature, unless: usual.temperature)
    add(AnswerOptions.topK, Double(chosen.topK), unless: Double(usual.topK))
    add(AnswerOptions.topP, chosen.topP, unless: usual.topP)
    add(AnswerOptions.minP, chosen.minP, unless: usual.minP)
    add(
      AnswerOptions.repetitionPenalty, chosen.repetitionPenalty, unless: usual.repetitionPenalty)
    add(AnswerOptions.seed, chosen.seed.map(JSONValue.seed))
    if chosen.maximumTokens != usual.maximumTokens {
      add(AnswerOptions.maximumTokens, .integer(chosen.maximumTokens))
    }
    add(AnswerOptions.chatFormat, arguments.value(AnswerOptions.chatFormat).map(JSONValue.string))
    if arguments.has(AnswerOptions.allowLoops) { add(AnswerOptions.allowLoops, .bool(true)) }
    if arguments.has(AnswerOptions.noThink) { add(AnswerOptions.noThink, .bool(true)) }
    add(ModelOptions.cache, arguments.value(ModelOptions.cache).map { .string($0.rawValue) })
    add(
      ToolOptions.maximumRounds, arguments.value(ToolOptions.maximumRounds).map(JSONValue.integer))
    add(ToolOptions.choice, arguments.value(ToolOptions.choice).map(JSONValue.string))
    // Texts of any length are told apart by their digests.
    add(AnswerOptions.instructions, arguments.value(AnswerOptions.instructions).map(Self.digest))
    add(AnswerOptions.schema, (settings.schema?.line).map(Self.digest))
    let tools = settings.tools.map { Self.digest("\($0.tool.definition.line) \($0.command)") }
    if !tools.isEmpty { add(ToolOptions.tool, .array(tools)) }
  }

  private mutating func add(_ option: any OptionDeclaration, _ value: JSONValue?) {
    json[String(option.name.dropFirst(2))] = value
  }

  private mutating func add(
    _ option: any OptionDeclaration, _ value: Double, unless usual: Double
  ) {
    if value != usual { add(option, .decimal(Float(value).asWritten)) }
  }

  private static func digest(_ text: String) -> JSONValue {
    .string(String(SHA256.hex(Array(text.utf8)).prefix(12)))
  }

  /// What `row` was made with that is other here; nil for a row that does not say.
  func differences(from row: JSONObject) -> [String]? {
    row["run"]?.object.map { Self.differences(json, $0) }
  }

  /// What two records of rows have that is other.
  static func differences(_ first: JSONObject, _ second: JSONObject) -> [String] {
    let names = first.keys + second.keys.filter { first[$0] == nil }
    return names.filter { first[$0]?.line != second[$0]?.line }
  }
}
