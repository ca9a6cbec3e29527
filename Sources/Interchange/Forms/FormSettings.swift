import Adapters
import JSON
import SystemFiles

/// The settings of a folder, read with the place of every defect.
struct FormSettings {
  let path: String
  let object: JSONObject
  /// In front of the names of keys in messages.
  private var prefix = ""

  /// Reads `adapter_config.json` in `folder`.
  init(folder: String) throws(InterchangeError) {
    path = FilePath.join(folder, ForeignForm.configurationName)
    let (file, limit) = (path, 8 << 20)
    let bytes = try filing { () throws(FileError) in
      try FileSystem.read(file, limit: limit)
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(
        parsing: bytes, limit: limit, values: JSONDocument.valueLimit, keepsNonFinite: true)
    } catch {
      throw .notSettings(path: path, problem: "line \(error.line): \(error)")
    }
    guard let object = document.root.object else {
      throw .notSettings(path: path, problem: "it is \(document.root.kind)")
    }
    self.object = object
    if let twice = document.duplicates.first { throw bad(twice.path, "stands twice") }
  }

  private init(_ path: String, _ object: JSONObject, prefix: String) {
    (self.path, self.object, self.prefix) = (path, object, prefix)
  }

  /// The value of `key`; nil where it is missing or null.
  subscript(key: String) -> JSONValue? { object[key].flatMap { $0 == .null ? nil : $0 } }

  /// The settings under `key`, which has to be there.
  func part(_ key: String) throws(InterchangeError) -> FormSettings {
    guard let value = self[key] else { throw bad(key, "is missing") }
    guard let object = value.object else { throw bad(key, "is \(value.kind), not an object") }
    return FormSettings(path, object, prefix: "\(prefix)\(key).")
  }

  func bad(_ key: String, _ problem: String) -> InterchangeError {
    .setting(path: path, key: prefix + key, problem: problem)
  }

  func unsupported(_ key: String, _ feature: String) -> InterchangeError {
    .unsupported(path: path, key: prefix + key, feature: feature)
  }

  /// A finite number that is not zero.
  func number(_ key: String) throws(InterchangeError) -> Double {
    guard let value = self[key] else { throw bad(key, "is missing") }
    return try number(value, key)
  }

  func number(_ value: JSONValue, _ key: String) throws(InterchangeError) -> Double {
    guard let number = value.number?.double else {
      throw bad(key, "is \(value.kind), not a number")
    }
    guard number.isFinite, number != 0 else {
      throw bad(key, "is \(number == 0 ? "0, so that the adapter changes nothing" : "not finite")")
    }
    return number
  }

  func rank(_ value: JSONValue?, _ key: String) throws(InterchangeError) -> Int {
    guard let value else { throw bad(key, "is missing") }
    guard let rank = value.integer, rank > 0 else {
      throw bad(key, "is not a whole number above 0")
    }
    return rank
  }

  /// A truth value; false where it is missing.
  func flag(_ key: String) throws(InterchangeError) -> Bool {
    switch self[key] {
    case nil: return false
    case .bool(let value): return value
    case .some(let value): throw bad(key, "is \(value.kind), not a boolean")
    }
  }
}

extension JSONValue {
  /// Whether a setting with this value is as if it were not there.
  var saysNothing: Bool {
    switch self {
    case .null, .bool(false): true
    case .array(let values): values.isEmpty
    case .object(let object): object.isEmpty
    case .string(let text): text.isEmpty
    default: false
    }
  }
}
