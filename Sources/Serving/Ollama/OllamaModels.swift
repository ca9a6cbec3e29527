import Adapters
import ChatTemplates
import FoundationEssentials
import JSON
import Kernels
import LanguageModels
import TensorFiles

/// Models as Ollama's interface lists and describes them.
///
/// Source: Ollama's API reference, "List local models", "Show model information", "List running models".
struct OllamaModels {
  private let models: ServedModels

  init(_ models: ServedModels) { self.models = models }

  /// What is there.
  func installed() throws(ServingError) -> JSONValue {
    .object(["models": .array(try models.cards().map { .object(entry($0)) })])
  }

  /// What is open, for as long as the server runs or until others need its place.
  func open() throws(ServingError) -> JSONValue {
    let entries = try models.cards().filter(models.isOpen).map { card -> JSONValue in
      var object = entry(card)
      object["expires_at"] = .string("2262-01-01T00:00:00Z")
      object["size_vram"] = .integer(0)
      let base = models.openBase(signed: card.signature) ?? models.base
      object["context_length"] = .integer(base.contextLength)
      return .object(object)
    }
    return .object(["models": .array(entries)])
  }

  private func entry(_ card: ModelCard) -> JSONObject {
    let name = card.name + ModelName.usualTag
    return [
      "name": .string(name), "model": .string(name),
      "modified_at": .string(OllamaAnswer.date(card.installed)), "size": .integer(card.bytes),
      "digest": .string(card.digest),
      "details": .object(
        details(
          parent: card.parent, architecture: card.architecture,
          models.openBase(signed: card.signature))),
    ]
  }

  /// What is not known of a base that is not open stays empty.
  private func details(
    parent: String?, architecture: String, _ base: ServedBase?
  ) -> JSONObject {
    [
      "parent_model": .string(parent ?? ""), "format": .string("gguf"),
      "family": .string(architecture), "families": .array([.string(architecture)]),
      "parameter_size": .string(base?.parameterSize ?? ""),
      "quantization_level": .string(base?.quantization ?? ""),
    ]
  }

  /// All that is told of one model.
  func description(of model: ServedModel) throws(ServingError) -> JSONValue {
    let (base, file) = (model.base, model.base.model.file)
    let name = model.name.removingUsualTag
    let card = try models.cards().first { $0.name == name || $0.identity == name }
    let architecture = base.model.configuration.architecture.rawValue
    let parent = model.adapters.isEmpty ? nil : base.name
    var object: JSONObject = [
      "modelfile": .string("FROM \(name)\n"),
      "parameters": .string(Self.parameters(base.model.sampling(with: model.adapters))),
      "template": .string((try? file.metadata.string("tokenizer.chat_template")) ?? ""),
      "license": .string(
        card?.license ?? (try? file.metadata.string("general.license")) ?? ""),
      "details": .object(details(parent: parent, architecture: architecture, base)),
      "model_info": .object(Self.information(base, architecture)),
    ]
    let thinks: [JSONValue] = base.renderer.leavesThinking ? [.string("thinking")] : []
    object["capabilities"] = .array([.string("completion"), .string("tools")] + thinks)
    object["modified_at"] = .string(
      OllamaAnswer.date(card?.installed ?? Date(timeIntervalSince1970: 0)))
    return .object(object)
  }

  /// How tokens are drawn where a request does not say it, one on a line.
  private static func parameters(_ sampling: SamplingSettings) -> String {
    let names: [(String, SamplingSettings.Value)] = [
      ("temperature", .temperature), ("top_k", .topK), ("top_p", .topP), ("min_p", .minP),
      ("repeat_penalty", .repetitionPenalty),
    ]
    return names.compactMap { name, value in
      sampling[value].map { "\(name) \(JSONNumber($0).text)" }
    }.joined(separator: "\n")
  }

  /// The numbers that the file of a base has for its architecture.
  private static func information(_ base: ServedBase, _ architecture: String) -> JSONObject {
    let metadata = base.model.file.metadata
    var object: JSONObject = [
      "general.architecture": .string(architecture),
      "general.parameter_count": .integer(base.model.parameterCount),
    ]
    for key in metadata.keys where key.hasPrefix("\(architecture).") {
      if let number = metadata[key]?.integer {
        object[key] = .integer(number)
      } else if let number = metadata[key]?.float {
        object[key] = .number(JSONNumber(number))
      }
    }
    object["\(architecture).context_length"] = .integer(base.contextLength)
    return object
  }
}

extension BaseModel {
  var parameterCount: Int { file.tensors.reduce(0) { $0 + $1.count } }

  /// Such as `134.5M`.
  var parameterSize: String {
    let count = parameterCount
    let (unit, name) = count >= 1_000_000_000 ? (1_000_000_000, "B") : (1_000_000, "M")
    let tenths = (count * 10 + unit / 2) / unit
    return "\(tenths / 10).\(tenths % 10)\(name)"
  }

  /// The type of most weights, such as `Q4_1`.
  var quantization: String {
    let counts = Dictionary(grouping: file.tensors, by: \.type).mapValues {
      $0.reduce(0) { $0 + $1.count }
    }
    let type = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    return type.map { "\($0)".uppercased() } ?? ""
  }
}
