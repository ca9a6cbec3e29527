import Adapters
public import SystemFiles
import TensorFiles

/// A small model that guesses what a base says next; it has the base's tokens.
///
/// Tokens that only fill an embedding up to some multiple do not count, and one of the two may have a few at its end that
/// the other lacks: what the draft has beyond the base is never guessed. Where the head would be most of what it costs, it may be restricted to some of them: the rows of `output.weight` are
/// then of the tokens that the key `fmadapter.draft.tokens` lists in rising order.
public struct DraftModel: Sendable {
  /// The model.
  public let model: BaseModel
  /// The base's number of tokens; what is beyond is not guessed.
  let vocabularySize: Int
  /// Bytes that a pass reads, those of the base being 1.
  let sizeRatio: Double

  /// Opens the model in the file at `path`, and compares it with the base that it is to guess for.
  ///
  /// - Throws: As ``BaseModel/init(path:)``, and `.draft`.
  public init(path: String, for base: BaseModel) throws(BaseModelError) {
    try self.init(BaseModel(path: path, isDraft: true), for: base)
  }

  /// Compares `model` with the base that it is to guess for.
  ///
  /// - Throws: `.draft` when it is larger than the base, or when a token of it is another one than the base's.
  public init(_ model: BaseModel, for base: BaseModel) throws(BaseModelError) {
    func require(_ holds: Bool, _ defect: DraftDefect) throws(BaseModelError) {
      guard holds else { throw .draft(defect, file: model.path) }
    }
    let (size, limit) = (model.weights.parameters, base.weights.parameters)
    try require(size <= limit, .larger(parameters: size, base: limit))
    let (rows, wanted) = (model.configuration.vocabularySize, base.configuration.vocabularySize)
    switch (try Self.tokens(model), try Self.tokens(base)) {
    case (nil, nil): try require(rows == wanted, .vocabularySize(rows, base: wanted))
    case (let tokens?, let others?):
      try require(tokens.count <= rows, .vocabularySize(rows, base: others.count))
      switch tokens.difference(from: others) {
      case .token(let token): throw .draft(.token(token), file: model.path)
      case .count(let count, let other):
        throw .draft(.vocabularySize(count, base: other), file: model.path)
      case nil: break
      }
    default: throw .draft(.token(0), file: model.path)
    }
    self.model = model
    vocabularySize = wanted
    sizeRatio = Double(model.weights.bytesPerPass) / Double(base.weights.bytesPerPass)
  }

  /// The tokens as they are stored; nil in a file without a tokenizer.
  private static func tokens(_ model: BaseModel) throws(BaseModelError) -> RealTokens? {
    do {
      return try model.file.metadata.strings("tokenizer.ggml.tokens").map {
        RealTokens($0, model.file)
      }
    } catch {
      throw .file(error)
    }
  }

  /// Seconds that a token takes in use, where each few come after a pass of `base`, which takes the caches; the fastest of
  /// `repetitions` counts.
  package func secondsPerToken(
    beside base: BaseModel, threads: Int? = nil, repetitions: Int = 5,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> Double {
    func session(_ model: BaseModel) throws(BaseModelError) -> ModelSession {
      try ModelSession(
        model, contextLength: min(model.configuration.contextLength, 8), threads: threads)
    }
    let (own, other) = (try session(model), try session(base))
    let count = min(3, own.contextLength)
    var fastest = Double.infinity
    for _ in 0...max(1, repetitions) {
      other.truncate(to: 0)
      own.truncate(to: 0)
      try other.evaluate([0], isCancelled: isCancelled)
      let begin = ContinuousClock.now
      for _ in 0..<count { try own.evaluate([0], isCancelled: isCancelled) }
      fastest = min(fastest, begin.duration(to: .now) / .seconds(1) / Double(count))
    }
    return max(fastest, 1e-9)
  }
}

/// A way in which a draft model can be wrong for its base.
public enum DraftDefect: Error, Equatable, Sendable {
  /// It has more parameters than the base, so that guessing costs more than knowing.
  case larger(parameters: Int, base: Int)
  /// It has another number of tokens.
  case vocabularySize(Int, base: Int)
  /// One of its tokens is another one than the base's.
  case token(Int)
}

extension DraftDefect: ExplainedError {
  /// What is wrong, without the file, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .larger(let parameters, let base):
      "the draft has \(Figures.grouped(parameters)) parameters, more than the \(Figures.grouped(base)) of the base"
        + "\(remedy: "use a smaller one, or none")"
    case .vocabularySize(let count, let base):
      "the draft has \(Figures.grouped(count)) tokens, but the base has \(Figures.grouped(base))"
        + "\(remedy: "use a draft with the tokenizer of the base")"
    case .token(let token):
      "token \(token) of the draft is another one than the base's"
        + "\(remedy: "use a draft with the tokenizer of the base")"
    }
  }
}
