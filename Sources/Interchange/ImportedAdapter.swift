public import Adapters
package import JSON

/// An adapter that was read from another form, as a package of the base has it.
public struct ImportedAdapter: Sendable {
  /// The form that it was read from.
  public let form: ForeignForm
  /// One entry per layer of the base.
  public let layers: [[LoRATarget: LowRankPair]]
  /// Columns of every B.
  public let rank: Int
  /// The update is scaled by alpha / rank.
  public let alpha: Double
  /// Tokens from whose last occurrence in a prompt on the adapter acts; nil where it acts on all.
  public let invocation: [Int32]?
  /// What the package has otherwise than its source, each as a sentence without an end.
  public let remarks: [String]
  private let base: BaseContract

  /// Reads what stands at `path`, in whatever form that is, for `base`.
  ///
  /// - Throws: `InterchangeError`. A tensor that has no place in the base is an error, never left out.
  public init(path: String, for base: ExchangeBase) throws(InterchangeError) {
    let form = try ForeignForm(of: path)
    let modules: BaseModules
    do throws(InterchangeError) {
      modules = try BaseModules(base, in: form)
    } catch {
      guard case .noNames(let architecture, _) = error else { throw error }
      throw .otherForm(path: path, architecture: architecture, form: form)
    }
    let content: ForeignContent =
      switch form {
      case .peft: try PEFTFolder.read(path, modules)
      case .mlx: try MLXFolder.read(path, modules)
      case .gguf: try GGUFAdapter.read(path, modules)
      case .toolkit: try ToolkitCheckpoint.read(path, modules)
      }
    guard !content.updates.isEmpty else { throw .empty(path: path) }
    try self.init(
      content.updates.flatMap(modules.pairs), content.invocation, base, form,
      path: form.weightsPath(in: path))
  }

  private init(
    _ pairs: [PairUpdate], _ invocation: [Int32]?, _ base: ExchangeBase, _ form: ForeignForm,
    path: String
  ) throws(InterchangeError) {
    var package = PackagePairs(pairs, path: path)
    layers = try package.layers(for: base.contract)
    (rank, alpha, remarks) = (package.rank, package.alpha, package.remarks)
    (self.form, self.base, self.invocation) = (form, base.contract, invocation)
  }

  /// Writes the adapter as a package to `path`, to which `.fmadapter` is added if it is missing.
  ///
  /// `metadata` says who it is; rank, signature and settings are those of the adapter. One for Apple's base states no
  /// settings, as what the toolkit exports.
  ///
  /// - Returns: the path of the package.
  /// - Throws: `InterchangeError.package`.
  @discardableResult
  public func write(
    name: String, author: String = "", description: String = "", license: String = "",
    version: AdapterVersion? = nil, to path: String, replacing: Bool = false
  ) throws(InterchangeError) -> String {
    try write(
      name: name, author: author, description: description, license: license, version: version,
      trainedOn: nil, to: path, replacing: replacing)
  }

  /// The same with how it was trained, and what was measured, where its source knows that.
  package func write(
    name: String, author: String, description: String, license: String,
    version: AdapterVersion?, trainedOn: JSONObject?, evaluation: JSONObject? = nil,
    to path: String, replacing: Bool
  ) throws(InterchangeError) -> String {
    try packaging { () throws(AdapterError) in
      var metadata = try AdapterMetadata(
        name: name, baseModelSignature: base.signature, loraRank: rank, author: author,
        description: description, license: license)
      metadata.speculativeDecodingDraftTokenCount = nil
      let isApples =
        base.signature == BaseContract.appleSignature
        && AdapterSettings.apple.alpha == alpha && invocation == nil
      if !isApples || version != nil {
        metadata.statedSettings = AdapterSettings(
          alpha: alpha, version: version, architecture: base.architecture,
          trainedOn: trainedOn.map(JSONValue.object), evaluation: evaluation.map(JSONValue.object))
        metadata.statedSettings?.invocation = invocation
      }
      return try AdapterWriter.write(metadata, layers: layers, to: path, replacing: replacing)
    }
  }
}
