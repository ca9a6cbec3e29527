import JSON
import SystemFiles

/// The settings in a JSON file of a checkpoint, by name, with checks.
struct CheckpointSettings {
  let object: JSONObject
  let path: String

  init(_ object: JSONObject, path: String) {
    (self.object, self.path) = (object, path)
  }

  /// Reads an object of at most `limit` bytes.
  ///
  /// - Throws: `BaseModelError.base(.notJSON)`, `.base(.badSetting)` for a key that stands twice, of which programs take
  ///   the one or the other, or `.file`.
  init(path: String, limit: Int = 1 << 20) throws(BaseModelError) {
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(path, limit: limit) } catch { throw .file(error) }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(
        parsing: bytes, limit: limit, values: limit / 8, keepsNonFinite: true)
    } catch {
      throw .base(.notJSON(problem: "line \(error.line): \(error)"), file: path)
    }
    guard let object = document.root.object else {
      throw .base(.notJSON(problem: "it is \(document.root.kind)"), file: path)
    }
    self.init(object, path: path)
    if let twice = document.duplicates.first { throw bad(twice.path, "stands twice") }
  }

  /// As the initializer; nil where there is no such file.
  static func ifPresent(
    _ path: String, limit: Int = 1 << 20
  ) throws(BaseModelError) -> CheckpointSettings? {
    FileSystem.kind(of: path) == nil ? nil : try CheckpointSettings(path: path, limit: limit)
  }

  /// Whether the key is there, and not null.
  func has(_ key: String) -> Bool { value(key) != nil }

  /// The value, if it is not null.
  func value(_ key: String) -> JSONValue? {
    object[key].flatMap { $0 == .null ? nil : $0 }
  }

  /// The settings below `key`, if those are an object.
  func part(_ key: String) -> CheckpointSettings? {
    object[key]?.object.map { CheckpointSettings($0, path: path) }
  }

  func bad(_ key: String, _ rule: String) -> BaseModelError {
    .base(.badSetting(key: key, rule: rule), file: path)
  }

  /// A setting that models may have, but none that a base can say.
  func unsupported(_ key: String, _ rule: String) -> BaseModelError {
    .base(.unsupportedSetting(key: key, rule: rule), file: path)
  }

  func integer(
    _ key: String, in range: ClosedRange<Int>, default standard: Int? = nil
  ) throws(BaseModelError) -> Int {
    guard let json = standard == nil ? object[key] : value(key) else {
      guard let standard else { throw .base(.missingSetting(key: key), file: path) }
      guard range.contains(standard) else { throw outside(key, standard, range) }
      return standard
    }
    guard let value = json.number.flatMap({ Int(exactly: $0.double) }) else {
      throw bad(key, "is not a whole number")
    }
    guard range.contains(value) else { throw outside(key, value, range) }
    return value
  }

  /// A number above 0.
  func number(_ key: String, default standard: Double? = nil) throws(BaseModelError) -> Double {
    guard let json = standard == nil ? object[key] : value(key) else {
      guard let standard else { throw .base(.missingSetting(key: key), file: path) }
      return standard
    }
    guard let value = json.number?.double, value > 0, Float(value).isFinite else {
      throw bad(key, "is not a number above 0")
    }
    return value
  }

  func string(_ key: String) -> String? { object[key]?.string }

  func bool(_ key: String) -> Bool? {
    if case .bool(let value)? = object[key] { value } else { nil }
  }

  private func outside(_ key: String, _ value: Int, _ range: ClosedRange<Int>) -> BaseModelError {
    bad(key, "is \(value) instead of \(range.lowerBound) to \(range.upperBound)")
  }
}
