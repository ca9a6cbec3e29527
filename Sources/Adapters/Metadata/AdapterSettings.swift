public import JSON

/// What it takes to run an adapter and the package format does not store: the object `creatorDefined.fmadapter`.
///
/// A package without it is Apple's: alpha 16, all seven targets.
public struct AdapterSettings: Sendable, Equatable {
  /// Version of this object's meaning: 1.
  public var formatVersion: Int
  /// The update is scaled by alpha / rank; finite, above zero.
  public var alpha: Double
  /// The projections that the adapter changes, where a layer has them.
  public var targets: Set<LoRATarget>
  /// Version of the adapter, not of the format; nil when the package does not say.
  public var version: AdapterVersion?
  /// Architecture of the base, as in its `general.architecture`.
  public var architecture: String?
  /// SHA-256 of `adapter_weights.bin`, 64 lowercase hexadecimal digits.
  public var weightsSHA256: String?
  /// What it was trained on, in the author's words or numbers.
  public var trainedOn: JSONValue?
  /// Scores that were measured, with what they were measured on.
  public var evaluation: JSONValue?
  /// How tokens of its answers are to be drawn; nil for the likeliest ones.
  public var sampling: SamplingSettings?
  /// Tokens from whose last occurrence in a prompt on an activated adapter acts; nil for one that acts on all tokens.
  public var invocation: [Int32]?

  /// Settings of format version 1.
  public init(
    alpha: Double, targets: Set<LoRATarget> = LoRATarget.transformer,
    version: AdapterVersion? = nil, architecture: String? = nil, weightsSHA256: String? = nil,
    trainedOn: JSONValue? = nil, evaluation: JSONValue? = nil
  ) {
    formatVersion = 1
    self.alpha = alpha
    self.targets = targets
    self.version = version
    self.architecture = architecture
    self.weightsSHA256 = weightsSHA256
    self.trainedOn = trainedOn
    self.evaluation = evaluation
  }

  /// What holds for a package that says nothing: Apple's toolkit trains with alpha 16 on every projection.
  public static let apple = AdapterSettings(alpha: 16)

  /// Tokens that an invocation may have.
  public static let invocationLimit = 256

  /// Name of the object within `creatorDefined`.
  static let key = "fmadapter"
}

extension AdapterMetadata {
  /// The settings that the package states, or Apple's when it states none.
  public var settings: AdapterSettings { statedSettings ?? .apple }

  /// The version under `creatorDefined.fmadapter.version`, or 0.0.0 when the package states none.
  public var version: AdapterVersion { statedSettings?.version ?? .unstated }

  /// The settings under `creatorDefined.fmadapter`; nil when there are none.
  ///
  /// Assigning keeps the members that are unknown here; assigning nil removes the object.
  public var statedSettings: AdapterSettings? {
    get { creatorDefined?[AdapterSettings.key]?.object.flatMap(AdapterSettings.init(json:)) }
    set {
      var creator = creatorDefined ?? [:]
      let old = creator[AdapterSettings.key]?.object ?? [:]
      creator[AdapterSettings.key] = newValue.map { .object($0.json(keeping: old)) }
      creatorDefined = creator
    }
  }
}

extension AdapterSettings {
  /// Reads an object that the rules have accepted; nil when one of its needed members is missing.
  init?(json: JSONObject) {
    guard let formatVersion = json["formatVersion"]?.integer,
      let alpha = json["alpha"]?.number?.double,
      let targets = json["targets"]?.array
    else { return nil }
    self.formatVersion = formatVersion
    self.alpha = alpha
    self.targets = Set(targets.compactMap { $0.string.flatMap(LoRATarget.init(rawValue:)) })
    version = json["version"]?.string.flatMap { AdapterVersion($0) }
    architecture = json["architecture"]?.string
    weightsSHA256 = json["weightsSHA256"]?.string
    trainedOn = json["trainedOn"]
    evaluation = json["evaluation"]
    sampling = json["sampling"]?.object.map(SamplingSettings.init(json:))
    invocation = json["invocationTokens"]?.array?.compactMap {
      $0.integer.flatMap(Int32.init(exactly:))
    }
  }

  /// These settings as JSON over the members of `old` that have no name here.
  func json(keeping old: JSONObject) -> JSONObject {
    var object = old
    object["formatVersion"] = .number(JSONNumber(formatVersion))
    if object["alpha"]?.number?.double != alpha { object["alpha"] = .number(JSONNumber(alpha)) }
    object["targets"] = .array(
      LoRATarget.allCases.filter(targets.contains).map { .string($0.rawValue) })
    object["version"] = (version?.description).map(JSONValue.string)
    object["architecture"] = architecture.map(JSONValue.string)
    object["weightsSHA256"] = weightsSHA256.map(JSONValue.string)
    object["trainedOn"] = trainedOn
    object["evaluation"] = evaluation
    if object["sampling"]?.object.map(SamplingSettings.init(json:)) != sampling {
      object["sampling"] = (sampling?.json).map(JSONValue.object)
    }
    object["invocationTokens"] = invocation.map { tokens in
      .array(tokens.map { .number(JSONNumber(Int($0))) })
    }
    return object
  }
}
