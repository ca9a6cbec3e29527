import Adapters
import AdapterTraining
import ChatTemplates
import TensorFiles

/// All that a training is made of, as the file beside its package has it.
struct TrainingSettings {
  static let format = "fmadapter.training.1"

  var data: String
  var dataSHA256: String?
  var valid: String?
  /// Share of the examples that is held out where there is no file for that.
  var heldOut = 0.1
  /// The base as it was named; nil for the one in use.
  var base: String?
  /// The chat format, where it is not the base's own.
  var chatFormat: String?
  /// The adapter to start from.
  var from: String?
  var patience = 6
  var name: String?
  var author = ""
  var description = ""
  var license = ""
  var version: String?
  var suffixes = false
  /// Content hash of the package that the training went on with, and replaced.
  var goesOnWith: String?
  /// Nil before the data is known.
  var options: TrainingOptions?

  init(data: String) { self.data = data }

  /// Reads the file at `path`.
  ///
  /// - Throws: `Failure` where it is missing, or none that a training wrote.
  init(path: String) throws {
    let bytes = try FileSystem.read(path, limit: 1 << 20)
    func refused(_ problem: String) -> Failure {
      Failure(
        .invalid,
        "\(path): \(problem)\(remedy: "give a file that 'fmadapter train' wrote beside a package")")
    }
    guard let object = (try? JSONDocument(parsing: bytes))?.root.object else {
      throw refused("is not a JSON object")
    }
    guard object["format"]?.string == Self.format, let data = object["data"]?.string else {
      throw refused("is no configuration of a training")
    }
    self.data = data
    dataSHA256 = object["dataSHA256"]?.string
    valid = object["valid"]?.string
    heldOut = object["heldOut"]?.number?.double ?? heldOut
    guard (0..<1).contains(heldOut) else { throw refused("the share held out is \(heldOut)") }
    base = object["base"]?.string
    chatFormat = object["chatFormat"]?.string
    from = object["from"]?.string
    patience = object["patience"]?.integer ?? patience
    name = object["name"]?.string
    author = object["author"]?.string ?? ""
    description = object["description"]?.string ?? ""
    license = object["license"]?.string ?? ""
    version = object["packageVersion"]?.string
    if let chatFormat, ChatFormat(rawValue: chatFormat) == nil {
      throw refused("the chat format is '\(chatFormat)', which is none")
    }
    if let version, AdapterVersion(version) == nil {
      throw refused("the version of the package is '\(version)', which is none")
    }
    guard (0...1000).contains(patience) else { throw refused("the patience is \(patience)") }
    suffixes = object["suffixes"] == .bool(true)
    goesOnWith = object["goesOnWith"]?.string
    do {
      options = try object["options"]?.object.map { try TrainingOptions(json: $0) }
    } catch let error as TrainingError {
      throw refused("\(error.text.problem)")
    }
  }

  var json: JSONValue {
    var object: JSONObject = ["format": .string(Self.format), "data": .string(data)]
    object["dataSHA256"] = dataSHA256.map(JSONValue.string)
    object["valid"] = valid.map(JSONValue.string)
    object["heldOut"] = .decimal(heldOut)
    object["base"] = base.map(JSONValue.string)
    object["chatFormat"] = chatFormat.map(JSONValue.string)
    object["from"] = from.map(JSONValue.string)
    object["patience"] = .integer(patience)
    object["name"] = name.map(JSONValue.string)
    object["author"] = .string(author)
    object["description"] = .string(description)
    object["license"] = .string(license)
    object["packageVersion"] = version.map(JSONValue.string)
    object["suffixes"] = .bool(suffixes)
    object["goesOnWith"] = goesOnWith.map(JSONValue.string)
    object["options"] = (options?.json).map(JSONValue.object)
    object["tool"] = .string("fmadapter \(programVersion)")
    return .object(object)
  }

  /// Writes the file at `path`.
  func write(to path: String) throws {
    try AtomicFile.write(Array((json.text + "\n").utf8), to: path)
  }
}
