import AdapterStore
import Adapters
import Kernels
import LanguageModels
import TensorFiles

/// A model that is known to have a layout which runs here, for those who look for one.
struct SuggestedModel: Equatable {
  let name: String
  /// `OWNER/REPO` on the hub.
  let repository: String
  /// Whether its weights are converted, as there is no GGUF file of its makers.
  let converts: Bool
  let architecture: Architecture
  let parameters: Int
  /// Type of the weights that `memory` is of.
  let type: TensorType
  let license: String
  let goodFor: String
  /// Where it was run and how fast, in words; nil while nobody here has.
  let runHere: String?

  /// Bytes of the weights: bits a weight of the type times parameters.
  var weights: Int { parameters / type.blockLength * type.blockBytes }

  /// Bytes that it needs before it has read a word.
  var memory: Int { MachineMemory.need(ofWeights: weights) }

  /// What is typed to get it.
  var command: String {
    let conversion = converts ? " --type \(type.name.lowercased())" : ""
    return "fmadapter base install hf:\(repository)\(conversion)"
  }
}

extension SuggestedModel {
  /// The table that comes with the program, the smallest first.
  static let all: [SuggestedModel] = {
    let root = try? JSONDocument(parsing: PackageResources.suggested_models_json).root
    guard let models = root?.object?["models"]?.array?.map(SuggestedModel.init),
      !models.contains(nil)
    else { preconditionFailure("suggested-models.json is broken") }
    return models.compactMap(\.self)
  }()

  /// Nil unless everything is there.
  private init?(_ value: JSONValue) {
    guard let object = value.object,
      let name = object["name"]?.string, let repository = object["repository"]?.string,
      let architecture = object["architecture"]?.string.flatMap(Architecture.init(rawValue:)),
      let parameters = object["parameters"]?.integer, parameters > 0,
      let type = object["type"]?.string.flatMap({ name in
        TensorType.allCases.first { $0.name == name }
      }),
      let license = object["license"]?.string, let goodFor = object["goodFor"]?.string
    else { return nil }
    (self.name, self.repository, self.architecture) = (name, repository, architecture)
    (self.parameters, self.type, self.license) = (parameters, type, license)
    self.goodFor = goodFor
    converts = object["converts"] == .bool(true)
    runHere = object["runHere"]?.string
  }

  /// The table for people, with what fits into `memory`.
  static func table(_ models: [SuggestedModel], _ memory: MachineMemory?) -> TextTable {
    var table = TextTable(
      headings: ["MODEL", "WEIGHTS", "TYPE", "MEMORY", "LICENCE", "GOOD FOR", "HERE", "INSTALL"],
      rightAligned: [1])
    table.rows = models.map { model in
      let isTooMuch = memory.map { !$0.fits(model.weights) } ?? false
      return [
        model.name, Self.count(model.parameters), model.type.name,
        Figures.size(model.memory) + (isTooMuch ? ", too much" : ""), model.license, model.goodFor,
        model.runHere ?? "not run", model.reference,
      ]
    }
    return table
  }

  /// What follows `base install`.
  private var reference: String { String(command.dropFirst("fmadapter base install ".count)) }

  /// Such as `135 M` or `1.7 B`.
  private static func count(_ parameters: Int) -> String {
    parameters < 1_000_000_000
      ? "\(parameters / 1_000_000) M"
      : Figures.fixed(Double(parameters) / 1e9, 1) + " B"
  }

  func json(_ memory: MachineMemory?) -> JSONValue {
    .object([
      "name": .string(name), "reference": .string("hf:" + repository),
      "command": .string(command), "architecture": .string(architecture.rawValue),
      "parameters": .integer(parameters), "type": .string(type.name), "size": .integer(weights),
      "memory": .integer(self.memory), "license": .string(license), "goodFor": .string(goodFor),
      "fits": memory.map { .bool($0.fits(weights)) } ?? .null, "runHere": .text(runHere),
    ])
  }
}
