import LanguageModels

/// What a compiled draft says about this machine.
public struct Compilation: Sendable, Equatable, Encodable {
  /// What became of it.
  public enum Outcome: String, Sendable, Encodable {
    /// It was there already.
    case kept
    /// It was made now.
    case compiled
    /// It was made now, as what was there was damaged.
    case rebuilt
  }

  /// What became of it.
  public let outcome: Outcome
  /// Name of its directory in `compiled/`: 40 hexadecimal digits.
  package let key: String
  /// Path of that directory.
  package let path: String
  /// Name of the processor's instructions that it is for.
  package let processor: String
  /// Tokens a second, one a pass.
  package let tokensPerSecond: Double
  /// How many times as long as a pass of one token one of `index + 1` tokens takes, up to 16.
  package let passRatios: [Double]
  /// How many times as long a token of the draft model takes as one of the base; 0 without a model.
  package let draftRatio: Double
  /// How many tokens are worth proposing at once, by how often proposals are right.
  package let proposals: [Proposals]

  /// A number of proposals.
  package struct Proposals: Sendable, Equatable, Encodable {
    /// Share of the proposals that are right where all before them are.
    package let acceptance: Double
    /// Tokens to propose in a pass.
    package let count: Int
    /// How many times as fast that is as a token a pass.
    package let speedup: Double
  }

  init(_ draft: CompiledDraft, _ outcome: Outcome, at path: String) {
    (self.outcome, key, self.path) = (outcome, draft.key, path)
    (processor, passRatios) = (draft.processor, draft.passRatios)
    tokensPerSecond = 1 / draft.secondsPerToken
    let ratio = (draft.draftSecondsPerToken ?? 0) / draft.secondsPerToken
    draftRatio = ratio
    proposals = [0.5, 0.6, 0.7, 0.8, 0.9].map { acceptance in
      let best = draft.costs.bestProposals(acceptance: acceptance, draftCost: ratio)
      return Proposals(acceptance: acceptance, count: best.count, speedup: best.speedup)
    }
  }
}

/// A compiled base: its weights in the order in which this processor reads them, in a file that processes share.
public struct BaseCompilation: Sendable, Equatable, Encodable {
  /// What became of it.
  public let outcome: Compilation.Outcome
  /// Name of its directory in `compiled/`: 40 hexadecimal digits.
  package let key: String
  /// Path of that directory.
  package let path: String
  /// Name of the processor's instructions that it is for.
  package let processor: String
  /// Bytes that it takes.
  package let size: Int

  init(_ base: CompiledBase, _ outcome: Compilation.Outcome, at path: String) {
    (self.outcome, key, self.path) = (outcome, base.key, path)
    (processor, size) = (base.processor, base.size)
  }
}

/// How far a compilation is.
public enum CompilationProgress: Sendable, Equatable {
  /// Another process compiles the same.
  case waiting
  /// The package is held against its rules.
  case checking
  /// Passes are timed; `done` of `total` rounds.
  case measuring(done: Int, total: Int)
  /// Tiles are written; `done` of `total` bytes.
  case writing(done: Int, total: Int)
}
