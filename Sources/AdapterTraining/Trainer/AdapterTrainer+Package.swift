public import Adapters
public import JSON
public import LanguageModels

extension AdapterTrainer {
  /// The pairs as they are now, in half precision.
  var layers: [[LoRATarget: LowRankPair]] { learnt.pairs }

  /// The adapter as it is now, for sessions.
  public var adapter: AppliedAdapter {
    AppliedAdapter(
      identifier: "in training", contentHash: "\(fingerprint).\(stepsDone)", layers: layers,
      scale: Float(options.alpha / Double(options.rank)), invocation: options.invocation)
  }

  /// Writes the adapter as it is now as a package to `path`, with what it was trained with
  /// and how it was measured.
  ///
  /// `metadata` needs the base's signature; its rank and settings are replaced by those of this training.
  ///
  /// - Returns: The path of the package.
  /// - Throws: `TrainingError.otherBase` for another base's signature, or `.package` when something stands there, or when what was written breaks a rule, such as values
  ///   that half precision cannot hold.
  @discardableResult
  public func writePackage(
    _ metadata: AdapterMetadata, version: AdapterVersion? = nil, trainedOn: JSONObject = [:],
    evaluation: JSONValue? = nil, suffixes: SuffixTexts? = nil, to path: String,
    replacing: Bool = false
  ) throws(TrainingError) -> String {
    // What was learnt must not be lost to what is said of it.
    guard try metadata.baseModelSignature == Self.signature(of: model) else {
      throw .otherBase(identifier: "\(metadata.adapterIdentifier)")
    }
    var facts: JSONObject = [
      "steps": .number(JSONNumber(stepsDone)),
      "tokensPerStep": .number(JSONNumber(options.tokensPerStep)),
      "learningRate": .number(JSONNumber(options.learningRate)),
      "seed": .seed(options.seed),
      "examples": .number(JSONNumber(plan.exampleCount)),
    ]
    if options.objective.needsPairs {
      facts["objective"] = .string(options.objective.rawValue)
      facts["beta"] = .number(JSONNumber(options.beta))
    }
    for member in trainedOn.members { facts[member.key] = member.value }
    var metadata = metadata
    metadata.loraRank = options.rank
    metadata.statedSettings = AdapterSettings(
      alpha: options.alpha, targets: options.targets, version: version,
      architecture: model.configuration.architecture.rawValue, trainedOn: .object(facts),
      evaluation: evaluation)
    metadata.statedSettings?.invocation = options.invocation
    do throws(AdapterError) {
      return try AdapterWriter.write(
        metadata, layers: layers, suffixes: suffixes, to: path, replacing: replacing)
    } catch {
      throw .package(error)
    }
  }
}
