public import LanguageModels
import SystemFiles
import TensorFiles
public import Tokenization

/// What an adapted base says to prompts: what a draft of it learns to foretell.
///
/// Each answer follows from its prompt and a seed alone, so that those that are kept need not be given again.
public struct DraftAnswers: Sendable {
  /// How a base answers.
  public struct Options: Sendable, Equatable {
    /// What logits are divided by; 0 always takes the likeliest token, as `run` does.
    public var temperature = 0.0
    /// Tokens of an answer, at most.
    public var maximumTokens = 256
    /// Prompts that are answered together.
    var together = 8
    /// Decides the answers above a temperature of 0.
    public var seed: UInt64 = 0
    /// Worker threads, on which answers do not depend; nil for one per processor.
    public var threads: Int?

    /// The likeliest answers, of up to 256 tokens.
    public init() {}
  }

  /// All tokens before each answer, no two alike.
  public let prompts: [[Token]]
  /// How many of the prompts, the last ones, are held out.
  package let heldOutCount: Int
  /// The answer to each prompt without the mark that ends it; nil where there is none yet, empty where there is no room.
  var answers: [[Token]?]
  /// How they are given.
  let options: Options
  /// What ends an answer.
  let stopTokens: Set<Token>
  /// SHA-256 over what decides the answers.
  let fingerprint: String
  private let adapters: [AppliedAdapter]
  private let base: BaseModel

  /// Share of the prompts that are held out where none were given.
  static let heldOutShare = 10

  /// Takes the prompts of examples: all that stands before each answer, and of a text its first half.
  ///
  /// Every tenth is held out where none of `heldOut` are left that `examples` do not have too.
  ///
  /// - Throws: `TrainingError.nothingToLearn` without prompts, `.tokenOutside` for a token that the base does not have.
  public init(
    _ base: BaseModel, adapters: [AppliedAdapter], examples: [TokenizedExample],
    heldOut: [TokenizedExample] = [], stopTokens: Set<Token>, options: Options = .init()
  ) throws(TrainingError) {
    try AdapterTrainer.check(examples + heldOut, base)
    var seen: Set<[Token]> = []
    var learnt = examples.flatMap(\.prompts).filter { seen.insert($0).inserted }
    var others = heldOut.flatMap(\.prompts).filter { seen.insert($0).inserted }
    if others.isEmpty {
      let places = learnt.indices.filter { $0 % Self.heldOutShare == Self.heldOutShare - 1 }
      others = places.map { learnt[$0] }
      for place in places.reversed() { learnt.remove(at: place) }
    }
    guard !learnt.isEmpty else { throw .nothingToLearn }
    prompts = learnt + others
    heldOutCount = others.count
    answers = Array(repeating: nil, count: prompts.count)
    (self.base, self.adapters, self.options) = (base, adapters, options)
    self.stopTokens = stopTokens
    fingerprint = try Self.fingerprint(base, adapters, prompts, stopTokens, options)
  }

  /// How many prompts have an answer.
  public var answeredCount: Int { answers.count { $0 != nil } }
  /// Tokens of all answers so far.
  package var tokenCount: Int { answers.reduce(0) { $0 + ($1?.count ?? 0) } }
  /// Prompts that the base's context has no room to answer.
  package var skippedCount: Int { prompts.count { !hasRoom($0) } }
  /// The base's number of tokens.
  var vocabularySize: Int { base.configuration.vocabularySize }

  /// Answers the next few prompts together; false when none are left.
  ///
  /// `progress` is called with the tokens of all answers whenever there are more.
  ///
  /// - Throws: What generating does; `.cancelled` within a layer, and then those that are not whole are forgotten.
  public mutating func answerNext(
    isCancelled: () -> Bool = { Task.isCancelled }, progress: (_ tokens: Int) -> Void = { _ in }
  ) throws(BaseModelError) -> Bool {
    let missing = answers.indices.filter { answers[$0] == nil }
    for place in missing where !hasRoom(prompts[place]) { answers[place] = [] }
    let places = missing.filter { answers[$0] == nil }.prefix(options.together)
    guard !places.isEmpty else { return false }
    var generators: [TokenGenerator] = []
    for place in places { generators.append(try generator(place)) }
    var given: [[Token]] = Array(repeating: [], count: places.count)
    var count = tokenCount
    defer {
      for (index, place) in places.enumerated()
      where generators[index].hasEnded && generators[index].failure == nil {
        answers[place] = given[index]
      }
    }
    let scheduler = Scheduler(base, width: places.count, threads: options.threads)
    for generator in generators { scheduler.admit(generator) }
    while try scheduler.step(
      isCancelled: isCancelled,
      eachToken: { generator, token in
        guard let index = generators.firstIndex(where: { $0 === generator }) else { return }
        given[index].append(token)
        count += 1
      })
    { progress(count) }
    if let failure = generators.compactMap(\.failure).first { throw failure }
    return true
  }

  // The mark that ends the answer takes a place in training.
  private func hasRoom(_ prompt: [Token]) -> Bool {
    prompt.count < base.configuration.contextLength - 1
  }

  private func generator(_ place: Int) throws(BaseModelError) -> TokenGenerator {
    let room = base.configuration.contextLength - 1 - prompts[place].count
    let count = min(options.maximumTokens, room)
    var random = SplitMix64(seed: options.seed &+ UInt64(place) &* 0x9E37_79B9_7F4A_7C15)
    let session = try ModelSession(
      base, adapters: adapters, contextLength: prompts[place].count + count,
      threads: options.threads)
    return try TokenGenerator(
      session, prompt: prompts[place],
      options: SamplingOptions(
        temperature: options.temperature, seed: random.next(), maximumTokens: count),
      stopTokens: stopTokens, speculator: Speculator())
  }

  private static func fingerprint(
    _ base: BaseModel, _ adapters: [AppliedAdapter], _ prompts: [[Token]],
    _ stopTokens: Set<Token>, _ options: Options
  ) throws(TrainingError) -> String {
    let signature = try AdapterTrainer.signature(of: base)
    var digest = SHA256()
    digest.update(Array("\(signature) \(stopTokens.sorted())".utf8))
    for adapter in adapters { digest.update(Array("\(adapter.contentHash) \(adapter.scale)".utf8)) }
    digest.update(
      Array("\(options.temperature) \(options.maximumTokens) \(options.seed)".utf8))
    for prompt in prompts { digest.update(Array("\(prompt)".utf8)) }
    return digest.finishHex()
  }
}

extension TokenizedExample {
  /// What stands before each answer; of a text its first half.
  fileprivate var prompts: [[Token]] {
    trained.compactMap { range in
      let count = range.lowerBound > 1 ? range.lowerBound : tokens.count / 2
      return count > 0 ? Array(tokens[..<count]) : nil
    }
  }
}

extension SafetensorsWriter {
  /// Adds `answers`: their tokens one after the other, and how many each has, -1 for those that are missing.
  mutating func append(_ answers: [[Token]?]) {
    let tokens = answers.flatMap { $0 ?? [] }
    append("answers.tokens", .int32, shape: [tokens.count], tokens.littleEndianBytes)
    let counts = answers.map { Int32($0?.count ?? -1) }
    append("answers.counts", .int32, shape: [counts.count], counts.littleEndianBytes)
  }
}

extension SafetensorsFile {
  /// The answers that were added, `count` of them, of tokens below `limit`; nil where they are damaged.
  func answers(count: Int, limit: Int) -> [[Token]?]? {
    guard let tokens = integers("answers.tokens"), let counts = integers("answers.counts"),
      counts.count == count, tokens.allSatisfy({ 0 <= $0 && $0 < limit })
    else { return nil }
    var (rest, answers): (ArraySlice<Int32>, [[Token]?]) = (tokens[...], [])
    for count in counts {
      guard count <= rest.count else { return nil }
      answers.append(count < 0 ? nil : Array(rest.prefix(Int(count))))
      rest = rest.dropFirst(max(0, Int(count)))
    }
    return rest.isEmpty ? answers : nil
  }

  private func integers(_ name: String) -> [Int32]? {
    guard let tensor = tensor(named: name), tensor.type == .int32, tensor.shape.count == 1 else {
      return nil
    }
    return (0..<tensor.bytes.count / 4).map {
      loadInteger(tensor.bytes, at: $0 * 4, as: Int32.self)
    }
  }
}

extension [Int32] {
  fileprivate var littleEndianBytes: TensorBytes {
    TensorBytes(flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } })
  }
}
