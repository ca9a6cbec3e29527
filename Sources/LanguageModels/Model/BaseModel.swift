public import Adapters
import Kernels
import Synchronization
import SystemFiles
package import TensorFiles
public import Tokenization

/// A base model: hyperparameters and a view of the weights in a mapped GGUF file.
///
/// Immutable, so any number of sessions with any adapters share one.
public final class BaseModel: Sendable {
  /// Where the file is.
  public let path: String
  /// The hyperparameters.
  public let configuration: ModelConfiguration
  /// The mapped file.
  package let file: GGUFFile
  /// The tokens that outputs are of, where those are not all: of a draft alone.
  let outputTokens: [Int32]?
  /// Views of the tensors.
  package let weights: ModelWeights

  // Made when they are first asked for: a large vocabulary takes longer to index than the base to open, and
  // a file without a signature has to be read whole to get one.
  private let madeTokenizer = Mutex<Tokenizer?>(nil)
  private let madeSignature = Mutex<String?>(nil)
  private let learnedCosts: Mutex<PassCosts>
  /// The file of tiles that is read in the place of the base's rows.
  let tilesFile = Mutex<MappedFile?>(nil)

  /// Opens and checks the base at `path`; weights are mapped, not read.
  ///
  /// - Throws: `BaseModelError` for a file that is damaged, incomplete, or of an unknown architecture.
  public convenience init(path: String) throws(BaseModelError) {
    try self.init(path: path, isDraft: false)
  }

  /// As the public initializer; a draft may have outputs for some of its tokens only.
  init(path: String, isDraft: Bool) throws(BaseModelError) {
    do { file = try GGUFFile(path: path) } catch { throw .file(error) }
    self.path = path
    configuration = try ModelConfiguration(file)
    outputTokens = isDraft ? try Self.outputTokens(file, configuration) : nil
    weights = try ModelWeights(file, configuration, outputs: outputTokens?.count)
    learnedCosts = Mutex(PassCosts(of: weights, configuration))
  }

  private static func outputTokens(
    _ file: GGUFFile, _ configuration: ModelConfiguration
  ) throws(BaseModelError) -> [Int32]? {
    let key = "fmadapter.draft.tokens"
    var read: [Int]?
    do { read = try file.metadata.integers(key) } catch { throw .file(error) }
    guard let tokens = read else { return nil }
    func require(_ holds: Bool, _ value: String, _ rule: String) throws(BaseModelError) {
      guard holds else { throw .invalidValue(file: file.path, key: key, value: value, rule: rule) }
    }
    try require(!tokens.isEmpty, "empty", "has to name a token for each row of output.weight")
    var last = -1
    for token in tokens {
      let isNext = token > last && token < configuration.vocabularySize
      try require(isNext, "\(token) after \(last)", "has to rise, up to the last token")
      last = token
    }
    return tokens.map { Int32($0) }
  }

  /// What passes cost, learned from those of all sessions.
  var passCosts: PassCosts { learnedCosts.withLock { $0 } }

  /// Learns from a pass, as ``PassCosts/note(_:turns:after:_:)``.
  func notePass(_ rows: Int, after context: Int = 0, _ time: Duration) {
    learnedCosts.withLock { $0.note(rows, after: context, time) }
  }

  /// Bytes of the file.
  package var fileSize: Int { file.size }

  /// Whether any weights are quantized; if none are, the cache keeps full precision.
  package var isQuantized: Bool {
    file.tensors.contains { $0.type.blockLength > 1 }
  }

  /// 40 lowercase hexadecimal digits that pin the base, the same for all quantizations of one source.
  ///
  /// - Throws: `.file(.changed)`.
  /// - Complexity: O(1) where the file carries it; else the first call reads the whole file.
  public func signature() throws(BaseModelError) -> String {
    // Whoever asks meanwhile waits: reading a large file twice takes longer.
    try madeSignature.withLock { made throws(BaseModelError) in
      if let made { return made }
      let signature = BaseSignature.compute(file)
      try checkUnchanged()
      made = signature
      return signature
    }
  }

  /// What an adapter of this base has to fit.
  ///
  /// - Throws: As ``signature()``.
  public func contract() throws(BaseModelError) -> BaseContract {
    var contract = BaseContract(
      signature: try signature(), architecture: configuration.architecture.rawValue,
      layers: weights.layers.map(\.shapes))
    contract.path = path
    return contract
  }

  /// The tokenizer of the file; indexed by the first call.
  ///
  /// - Throws: `.tokenizer` when there is none that can be used, or when it has more tokens than the base.
  public func tokenizer() throws(BaseModelError) -> Tokenizer {
    if let made = madeTokenizer.withLock({ $0 }) { return made }
    let tokenizer: Tokenizer
    do {
      tokenizer = try Tokenizer(file)
    } catch {
      try checkUnchanged()
      throw BaseModelError(error)
    }
    guard tokenizer.count <= configuration.vocabularySize else {
      throw .invalidValue(
        file: path, key: "tokenizer.ggml.tokens",
        value: "\(Figures.grouped(tokenizer.count)) tokens",
        rule: "token_embd.weight has \(Figures.grouped(configuration.vocabularySize)) rows")
    }
    try checkUnchanged()
    madeTokenizer.withLock { $0 = tokenizer }
    return tokenizer
  }

  /// Asks the system whether the file, and that of its tiles, is still the one that was opened.
  ///
  /// - Throws: `.file(.changed)` when it is not.
  package func checkUnchanged() throws(BaseModelError) {
    do throws(FileError) {
      try file.checkUnchanged()
      try tilesFile.withLock(\.self)?.checkUnchanged()
    } catch {
      throw .file(error)
    }
  }
}
