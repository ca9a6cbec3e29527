import AdapterTraining
import Adapters
import ChatTemplates
import JSON
import LanguageModels
import SystemFiles

/// All that a training is made of, as the file beside its package has it.
struct TrainingSettings {
  var data: String
  var dataSHA256: String?
  var valid: String?
  var validSHA256: String?
  /// Share of the examples that is held out where there is no file for that.
  var heldOut = 0.1
  /// Which those were, see ``TrainingData/heldOutLines``: another version of the program may choose others.
  var heldOutSHA256: String?
  /// The base as it was named; nil for the one in use.
  var base: String?
  var baseSignature: String?
  /// The chat format, where it is not the base's own.
  var chatFormat: String?
  /// The adapter to start from.
  var from: String?
  /// Its content hash.
  var fromSHA256: String?
  var patience = 6
  var name: String?
  var author = ""
  var description = ""
  var license = ""
  var version: String?
  var suffixes = false
  /// Content hash of the package that the training went on with, and replaced.
  var goesOnWith: String?
  /// Options of a file that leaves some of them to the data.
  var someOptions: JSONObject?
  /// All options; nil before the data is known.
  var options: TrainingOptions?

  init(data: String) { self.data = data }

  /// Reads the file at `path`.
  ///
  /// - Throws: `Failure` where it is missing, none that a training wrote, or has a setting that is none.
  init(path: String) throws {
    let file = try TrainingSettingsReader(path: path)
    guard let data = try file.text("data") else {
      throw file.missing("data", "the path of a data set")
    }
    self.data = data
    dataSHA256 = try file.text("dataSHA256")
    valid = try file.text("valid")
    validSHA256 = try file.text("validSHA256")
    heldOut =
      try file.value("heldOut", "a share from 0 up to 1") {
        $0.number.map(\.double).flatMap { (0..<1).contains($0) ? $0 : nil }
      } ?? heldOut
    heldOutSHA256 = try file.text("heldOutSHA256")
    base = try file.text("base")
    baseSignature = try file.text("baseSignature")
    let formats = ChatFormat.allCases.map(\.rawValue)
    chatFormat = try file.value("chatFormat", formats.choice) {
      $0.string.flatMap { formats.contains($0) ? $0 : nil }
    }
    from = try file.text("from")
    fromSHA256 = try file.text("fromSHA256")
    patience =
      try file.value("patience", "an integer from 0 to 1000") {
        $0.integer.flatMap { (0...1000).contains($0) ? $0 : nil }
      } ?? patience
    name = try file.text("name")
    author = try file.text("author") ?? ""
    description = try file.text("description") ?? ""
    license = try file.text("license") ?? ""
    version = try file.value("packageVersion", "a version such as \"1.2.0\"") {
      $0.string.flatMap { AdapterVersion($0) == nil ? nil : $0 }
    }
    suffixes = try file.value("suffixes", "true or false", \.bool) ?? false
    goesOnWith = try file.text("goesOnWith")
    someOptions = try file.options()
    if let written = someOptions, TrainingOptions.isWhole(written) {
      options = try TrainingOptions(json: written)
      someOptions = nil
    }
  }

  /// Looks beside the file at `path` for what is not where its paths say, seen from the working folder; `data` stands in for that of
  /// the file.
  ///
  /// - Throws: `Failure` where the data is at neither place.
  mutating func find(beside path: String, data given: String?) throws {
    func found(_ name: String) -> String {
      guard !name.hasPrefix("/"), !Library.exists(name) else { return name }
      let beside = FilePath.join(FilePath.parent(of: path), name)
      return Library.exists(beside) ? beside : name
    }
    valid = valid.map(found)
    // Names of what is installed are no paths.
    base = base.map { Library.isPath($0) ? found($0) : $0 }
    from = from.map { Library.isPath($0) ? found($0) : $0 }
    data = given ?? found(data)
    guard given == nil, !Library.exists(data) else { return }
    let problem =
      data.hasPrefix("/") ? "is not there" : "is neither in the working folder nor beside this file"
    throw Failure(
      .notFound,
      "\(path): the data “\(data)” \(problem)"
        + "\(remedy: "give the path of the data, too, or work in the folder of that training")")
  }

  /// Takes note of what the training reads, and warns of what is not what the settings were written for.
  ///
  /// Without `start`, a package that the training goes on with is what it was.
  mutating func recognize(
    _ read: TrainingData, _ model: BaseModel, _ start: Adapter?, _ terminal: Terminal
  ) throws {
    let isSameData = dataSHA256 == read.digest
    func same(_ known: String?, _ found: String?, _ problem: String) -> String? {
      if let known, let found, known != found {
        terminal.warn("\(problem) of the training whose settings are used")
      }
      return found
    }
    dataSHA256 = same(
      dataSHA256, read.digest, "\(read.path) has other bytes than the data")
    validSHA256 = same(
      validSHA256, read.heldOutDigest, "\(valid ?? "") has other bytes than the held-out file")
    if isSameData, read.heldOutPath == nil, heldOutSHA256 != nil {
      _ = same(heldOutSHA256, read.heldOutLines ?? "", "the held-out examples are not those")
    }
    heldOutSHA256 = read.heldOutLines
    baseSignature = same(
      baseSignature, try model.signature(), "the base is not \(baseSignature ?? ""), which was that"
    )
    guard let start else { return }
    fromSHA256 = same(
      fromSHA256, start.contentHash, "\(from ?? "") is another adapter than at the start")
  }

  var json: JSONValue {
    var object: JSONObject = [
      "format": .string(TrainingSettingsReader.format), "data": .string(data),
    ]
    object["dataSHA256"] = dataSHA256.map(JSONValue.string)
    object["valid"] = valid.map(JSONValue.string)
    object["validSHA256"] = validSHA256.map(JSONValue.string)
    object["heldOut"] = .decimal(heldOut)
    object["heldOutSHA256"] = heldOutSHA256.map(JSONValue.string)
    object["base"] = base.map(JSONValue.string)
    object["baseSignature"] = baseSignature.map(JSONValue.string)
    object["chatFormat"] = chatFormat.map(JSONValue.string)
    object["from"] = from.map(JSONValue.string)
    object["fromSHA256"] = fromSHA256.map(JSONValue.string)
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

extension JSONValue {
  fileprivate var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
}
