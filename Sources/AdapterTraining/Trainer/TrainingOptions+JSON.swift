import Adapters
package import JSON

extension TrainingOptions {
  /// All that decides the result, as JSON: what `init(json:)` reads.
  package var json: JSONObject {
    var object = JSONObject()
    for field in Self.fields { object[field.key] = field.write(self) }
    if !objective.needsPairs { (object["objective"], object["beta"]) = (nil, nil) }
    if averaging == 0 { object["averaging"] = nil }
    if extensions == 0 { object["extensions"] = nil }
    return object
  }

  /// The options that `json` says; those that it leaves out have their defaults.
  ///
  /// - Throws: `TrainingError.invalidOption` for a value of another kind, and for a key that is none of an option.
  package init(json: JSONObject) throws(TrainingError) { try self.init(json: json, over: .init()) }

  /// The options that `json` says, over `options` where it leaves them out; an alpha that is left out follows the rank.
  ///
  /// - Throws: As ``init(json:)``.
  package init(json: JSONObject, over options: TrainingOptions) throws(TrainingError) {
    self = options
    for member in json.members {
      let field = Self.fields.first { $0.key == member.key }
      guard field?.read(member.value, &self) == true else {
        throw .invalidOption(
          name: "option '\(member.key)'", value: member.value.line,
          range: "the options that a training writes")
      }
    }
    if options.alpha == Self.usualAlpha(rank: options.rank), json["rank"] != nil,
      json["alpha"] == nil
    {
      alpha = Self.usualAlpha(rank: rank)
    }
    try check()
  }

  /// Whether `json` has all that a training writes, and so leaves nothing to the data.
  package static func isWhole(_ json: JSONObject) -> Bool {
    TrainingOptions().json.keys.allSatisfy { json[$0] != nil }
  }

  /// What decides the result, as a text: a training goes on only under the same.
  var fingerprint: String {
    var json = json
    // As the checkpoints have it that there are.
    json["seed"] = .string("\(seed)")
    return JSONValue.object(json).line
  }

  private static let fields: [Field] = [
    .integer("rank", \.rank), .number("alpha", \.alpha),
    Field("targets", \.targets, write: json, read: targets), .number("dropout", \.dropout),
    Field("invocation", \.invocation, write: json, read: tokens),
    .integer("epochs", \.epochs), .word("objective", \.objective), .number("beta", \.beta),
    .integer("steps", \.steps), .integer("extensions", \.extensions),
    .number("learningRate", \.learningRate),
    .word("schedule", \.schedule), .integer("warmupSteps", \.warmupSteps),
    .integer("warmupEpochs", \.warmupEpochs), .number("weightDecay", \.weightDecay),
    .number("averaging", \.averaging), .number("maximumGradientNorm", \.maximumGradientNorm),
    .integer("tokensPerStep", \.tokensPerStep), .integer("examplesPerStep", \.examplesPerStep),
    .integer("accumulation", \.accumulation), .integer("contextLength", \.contextLength),
    .word("arrangement", \.arrangement), .word("precision", \.precision),
    Field("seed", \.seed, write: JSONValue.seed, read: \.asSeed),
  ]

  private static func json(_ targets: Set<LoRATarget>) -> JSONValue {
    .array(LoRATarget.allCases.filter(targets.contains).map { .string($0.rawValue) })
  }

  private static func json(_ tokens: [Int32]?) -> JSONValue? {
    tokens.map { .array($0.map { .number(JSONNumber(Int($0))) }) }
  }

  private static func tokens(_ value: JSONValue) -> [Int32]?? {
    let tokens = value.array?.map { $0.integer.flatMap(Int32.init(exactly:)) }
    guard let tokens, !tokens.contains(nil) else { return nil }
    return .some(tokens.compactMap(\.self))
  }

  private static func targets(_ value: JSONValue) -> Set<LoRATarget>? {
    let targets = value.array?.map { $0.string.flatMap(LoRATarget.init(rawValue:)) }
    guard let targets, !targets.contains(nil) else { return nil }
    return Set(targets.compactMap(\.self))
  }
}

/// An option as JSON has it.
private struct Field: Sendable {
  typealias Path<Value> = any WritableKeyPath<TrainingOptions, Value> & Sendable

  let key: String
  /// Nil for an option that is not set.
  let write: @Sendable (TrainingOptions) -> JSONValue?
  /// Sets the option; false for a value that is none of it.
  let read: @Sendable (JSONValue, inout TrainingOptions) -> Bool

  init<Value>(
    _ key: String, _ path: Path<Value>, write: @escaping @Sendable (Value) -> JSONValue?,
    read: @escaping @Sendable (JSONValue) -> Value?
  ) {
    self.key = key
    self.write = { write($0[keyPath: path]) }
    self.read = { value, options in
      guard let value = read(value) else { return false }
      options[keyPath: path] = value
      return true
    }
  }

  static func integer(_ key: String, _ path: Path<Int>) -> Field {
    Field(key, path, write: { .number(JSONNumber($0)) }, read: \.integer)
  }

  static func integer(_ key: String, _ path: Path<Int?>) -> Field {
    Field(
      key, path, write: { $0.map { .number(JSONNumber($0)) } },
      read: { $0.integer.map(Optional.some) })
  }

  static func number(_ key: String, _ path: Path<Double>) -> Field {
    Field(key, path, write: { .number(JSONNumber($0)) }, read: { $0.number?.double })
  }

  static func word<Word: RawRepresentable<String> & SendableMetatype>(
    _ key: String, _ path: Path<Word>
  ) -> Field {
    Field(
      key, path, write: { .string($0.rawValue) }, read: { $0.string.flatMap(Word.init(rawValue:)) })
  }
}
