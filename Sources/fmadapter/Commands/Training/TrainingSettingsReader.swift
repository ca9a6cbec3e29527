import AdapterTraining
import Adapters
import JSON
import SystemFiles

/// Reads the settings of a training to the letter: what is misspelt, of another kind or at another place is an error that
/// names its line, as a training would otherwise go by another setting than the one that was written.
struct TrainingSettingsReader {
  let path: String
  private let document: JSONDocument
  private let root: JSONObject

  static let format = "fmadapter.training.1"
  private static let optionsKey = "options"
  private static let keys = [
    "format", "data", "dataSHA256", "valid", "validSHA256", "heldOut", "heldOutSHA256", "base",
    "baseSignature", "chatFormat", "from", "fromSHA256", "patience", "name", "author",
    "description", "license", "packageVersion", "suffixes", "goesOnWith",
    optionsKey, "tool",
  ]

  /// Parses the file at `path`.
  ///
  /// - Throws: `Failure` where it is missing, none that a training wrote, or has a key twice or one that is none.
  init(path: String) throws {
    self.path = path
    let bytes = try FileSystem.read(path, limit: 1 << 20)
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw Self.foreign(path, "line \(error.line): \(error)")
    }
    guard let object = document.root.object else {
      throw Self.foreign(path, "is not a JSON object")
    }
    guard object["format"]?.string == Self.format else {
      throw Self.foreign(path, "is no configuration of a training")
    }
    root = object
    if let twice = document.duplicates.first {
      throw refused(twice.line, "'\(twice.path)' stands twice\(remedy: "write it once")")
    }
    for member in root.members where !Self.keys.contains(member.key) {
      throw unknown(member, in: nil)
    }
  }

  /// The value of `key` as `read` takes it, nil where it is not there; `expected` says what that has to be.
  func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws -> Value? {
    guard let member = root.members.first(where: { $0.key == key }) else { return nil }
    guard let value = read(member.value) else { throw mistyped(member, expected) }
    return value
  }

  func text(_ key: String) throws -> String? { try value(key, "a string", \.string) }

  /// What is missing, with what to write.
  func missing(_ key: String, _ expected: String) -> Failure {
    refused(nil, "there is no setting '\(key)'\(remedy: "write \(expected)")")
  }
}

extension TrainingSettingsReader {
  /// All options that there are, with a value of their kind.
  static let sample: JSONObject = {
    var options = TrainingOptions()
    (options.objective, options.averaging) = (.dpo, 0.5)
    (options.steps, options.warmupSteps, options.warmupEpochs) = (1, 1, 1)
    options.extensions = 1
    (options.examplesPerStep, options.contextLength) = (1, 2)
    options.invocation = [1]
    return options.json
  }()

  private static let words = [
    "objective": TrainingObjective.allCases.map(\.rawValue),
    "schedule": TrainingOptions.Schedule.allCases.map(\.rawValue),
    "arrangement": TrainingOptions.Arrangement.allCases.map(\.rawValue),
    "precision": TrainingOptions.Precision.allCases.map(\.rawValue),
  ]

  /// What the optimizer and the adapter are given, each option within its range; nil where the file leaves all to the data.
  func options() throws -> JSONObject? {
    guard let object = try value(Self.optionsKey, "an object", \.object) else { return nil }
    for member in object.members { try check(member) }
    return object
  }

  private func check(_ member: JSONObject.Member) throws {
    let (key, value) = (member.key, member.value)
    guard let sample = Self.sample[key] else { throw unknown(member, in: Self.optionsKey) }
    let kind = Self.kind(key, sample)
    guard kind.fits(value) else { throw mistyped(member, kind.name) }
    do throws(TrainingError) {
      // One by one, so that an error has its line.
      _ = try TrainingOptions(json: JSONObject([member]))
    } catch {
      guard case .invalidOption(_, _, let range) = error else {
        throw unknown(member, in: Self.optionsKey)
      }
      throw refused(
        document.line(of: member),
        "'\(key)' is \(Self.shown(value)), but has to be in \(range)"
          + "\(remedy: "write a number within that")")
    }
  }

  /// What an option takes: whether a value is of it, and what that is called.
  private static func kind(
    _ key: String, _ sample: JSONValue
  ) -> (name: String, fits: (JSONValue) -> Bool) {
    if key == "seed" { return ("an integer from 0 to \(UInt64.max)", { $0.asSeed != nil }) }
    if key == "invocation" {
      return (
        "a list of tokens such as [1, 2]", { $0.array?.allSatisfy { $0.integer != nil } == true }
      )
    }
    if let words = words[key] {
      return (words.map { "\"\($0)\"" }.choice, { words.contains($0.string ?? "") })
    }
    switch sample {
    case .number(let number) where number.isInteger: return ("an integer", { $0.integer != nil })
    case .number: return ("a number", { $0.number != nil })
    // The targets.
    default:
      return (
        "a list of projections such as [\"attn_q\", \"attn_v\"]",
        {
          guard let names = $0.array, !names.isEmpty else { return false }
          return names.allSatisfy { LoRATarget(rawValue: $0.string ?? "") != nil }
        }
      )
    }
  }
}

extension TrainingSettingsReader {
  /// Of a file that is something else.
  private static func foreign(_ path: String, _ problem: String) -> Failure {
    Failure(
      .invalid,
      "\(path): \(problem)\(remedy: "give a file that 'fmadapter train' wrote beside a package")")
  }

  private func refused(_ line: Int?, _ text: ErrorText) -> Failure {
    Failure(.invalid, "\(path): \(line.map { "line \($0): " } ?? "")\(text)")
  }

  private func mistyped(_ member: JSONObject.Member, _ expected: String) -> Failure {
    refused(
      document.line(of: member),
      "'\(member.key)' is \(Self.shown(member.value)), not \(expected)\(remedy: "write \(expected)")"
    )
  }

  /// A value as it is written, or its kind where that is long.
  private static func shown(_ value: JSONValue) -> String {
    let text = value.line
    return text.utf8.count <= 60 ? text : value.kind
  }

  /// A key that is none where it stands: within the object `name`, or beside it where that is nil.
  private func unknown(_ member: JSONObject.Member, in name: String?) -> Failure {
    let (key, options) = (member.key, Self.optionsKey)
    let (here, there) =
      name == nil ? (Self.keys, Self.sample.keys) : (Self.sample.keys, Self.keys)
    let place = name == nil ? "within '\(options)'" : "beside '\(options)'"
    if there.contains(key) {
      return refused(
        document.line(of: member), "'\(key)' is a setting \(place)\(remedy: "put it there")")
    }
    let near = Suggestion.nearest(to: key, among: here).map { "'\($0)'" }
    let far = Suggestion.nearest(to: key, among: there).map { "'\($0)' \(place)" }
    return refused(
      document.line(of: member),
      "there is no setting '\(key)'"
        + "\(remedy: (near ?? far).map { "did you mean \($0)?" } ?? "leave it out")")
  }
}
