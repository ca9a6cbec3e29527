import AdapterStore
import JSON
import Kernels
import LanguageModels
import SystemFiles

/// A model that is known to have a layout which runs here, for those who look for one.
struct SuggestedModel: Equatable {
  /// What it is installed by, in small letters.
  let shortName: String
  let name: String
  /// `OWNER/REPO` on the hub; nil where none is known that has the file.
  let repository: String?
  /// `OWNER/REPO` on the hub of the model that the file was made of.
  let original: String
  /// The one file that is meant; nil where the hub says at installation which ones there are.
  let file: PinnedFile?
  let architecture: Architecture
  let parameters: Int
  /// Type of the weights that `memory` is of.
  let type: TensorType
  let license: String
  let goodFor: String
  /// Whether this very model was run with this program.
  let isRunHere: Bool

  /// Bytes of the weights: those of its file, else bits a weight of the type times parameters.
  var weights: Int { file?.size ?? parameters / type.blockLength * type.blockBytes }

  /// Bytes that it needs before it has read a word.
  var memory: Int { MachineMemory.need(ofWeights: weights) }

  /// What is typed to get it.
  var command: String {
    "fmadapter base install \(shortName)\(repository == nil ? " --from PATH" : "")"
  }

  /// Size and licence, as whoever is asked reads them.
  var terms: String { "\(Figures.size(weights)), \(license)" }

  /// Where the hub has it: one file of one commit where that is known, else the repository.
  var reference: String? {
    repository.map { repository in
      let place = file.flatMap { file in file.revision.map { "@\($0)/\(file.name)" } }
      return "hf:\(repository)\(place ?? "")"
    }
  }

  /// The one of several files that has the weights of `type`; nil where none or more than one says so in its name.
  func choice(among choices: [HubChoice]) -> HubChoice? {
    let word = type == .q4_K ? "q4_k_m" : type.name.lowercased()
    let found = choices.filter { FilePath.name(of: $0.path).lowercased().contains(word) }
    return found.count == 1 ? found[0] : nil
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

  /// The one to begin with: the smallest, which has adapters that come with the program.
  static var first: SuggestedModel { all[0] }

  /// The model that `text` names, in any case of letters; a file or folder of that name here goes first.
  static func named(_ text: String) -> SuggestedModel? {
    guard !Library.exists(text) else { return nil }
    return all.first { $0.shortName == text.lowercased() }
  }

  /// Nil unless everything is there.
  private init?(_ value: JSONValue) {
    guard let object = value.object,
      let shortName = object["shortName"]?.string, let name = object["name"]?.string,
      let architecture = object["architecture"]?.string.flatMap(Architecture.init(rawValue:)),
      let parameters = object["parameters"]?.integer, parameters > 0,
      let type = object["type"]?.string.flatMap({ name in
        TensorType.allCases.first { $0.name == name }
      }),
      let license = object["license"]?.string, let goodFor = object["goodFor"]?.string,
      let original = object["original"]?.string
    else { return nil }
    self.original = original
    (self.shortName, self.name) = (shortName, name)
    (self.architecture, self.parameters, self.type) = (architecture, parameters, type)
    (self.license, self.goodFor) = (license, goodFor)
    repository = object["repository"]?.string
    file = object["file"].flatMap(PinnedFile.init)
    isRunHere = object["runHere"] == .bool(true)
    guard repository != nil || file != nil, (object["file"] == nil) == (file == nil) else {
      return nil
    }
  }

  /// Headings of the table that a narrow terminal has room for.
  static let narrow = ["NAME", "WEIGHTS", "MEMORY", "LICENCE", "HERE"]

  /// The table for people, with what fits into `memory`.
  static func table(_ models: [SuggestedModel], _ memory: MachineMemory?) -> TextTable {
    var table = TextTable(
      headings: ["NAME", "WEIGHTS", "TYPE", "MEMORY", "LICENCE", "GOOD FOR", "FILE", "HERE"],
      rightAligned: [1])
    table.rows = models.map { model in
      let isTooMuch = memory.map { !$0.fits(model.weights) } ?? false
      return [
        model.shortName, Self.count(model.parameters), model.type.name,
        Figures.size(model.memory) + (isTooMuch ? ", too much" : ""), model.license, model.goodFor,
        model.source, model.isRunHere ? "run here" : "not run",
      ]
    }
    return table
  }

  /// What says which bytes are meant.
  private var source: String {
    guard file != nil else { return "as the hub lists" }
    return repository == nil ? "pinned, --from" : "pinned"
  }

  /// Such as `135 M` or `1.7 B`.
  private static func count(_ parameters: Int) -> String {
    parameters < 1_000_000_000
      ? "\(parameters / 1_000_000) M"
      : Figures.fixed(Double(parameters) / 1e9, 1) + " B"
  }

  func json(_ memory: MachineMemory?) -> JSONValue {
    .object([
      "shortName": .string(shortName), "name": .string(name), "reference": .text(reference),
      "command": .string(command), "architecture": .string(architecture.rawValue),
      "parameters": .integer(parameters), "type": .string(type.name), "size": .integer(weights),
      "sha256": .text(file?.sha256), "memory": .integer(self.memory), "license": .string(license),
      "goodFor": .string(goodFor), "fits": memory.map { .bool($0.fits(weights)) } ?? .null,
      "runHere": .bool(isRunHere),
    ])
  }
}
