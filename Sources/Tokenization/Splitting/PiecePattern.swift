/// A set of scalars, as a bracket expression names it: those with one of some traits, or all others.
struct ScalarSet: Sendable {
  private let traits: ScalarTraits
  private let isInverted: Bool

  private init(_ traits: ScalarTraits, isInverted: Bool) {
    self.traits = traits
    self.isInverted = isInverted
  }

  /// Scalars with at least one of `traits`.
  static func any(_ traits: ScalarTraits) -> ScalarSet { ScalarSet(traits, isInverted: false) }
  /// Scalars with none of `traits`.
  static func none(_ traits: ScalarTraits) -> ScalarSet { ScalarSet(traits, isInverted: true) }

  @inline(__always)
  func contains(_ scalar: ScalarTraits) -> Bool {
    scalar.isDisjoint(with: traits) == isInverted
  }
}

/// One part of an alternative of a pattern.
enum PatternStep: Sendable {
  /// `[set]{minimum,maximum}`, as many as possible.
  case run(ScalarSet, minimum: Int, maximum: Int)
  /// `'s|'t|'re|'ve|'m|'ll|'d`, in small letters only or in any.
  case contraction(ignoringCase: Bool)
  /// `(?:'s|'t|'re|'ve|'m|'ll|'d)?`, in any letters.
  case optionalContraction
  // `(?!\S)`
  case notBeforeText

  // `[set]+`
  static func some(_ set: ScalarSet) -> PatternStep { .run(set, minimum: 1, maximum: .max) }
  // `[set]*`
  static func any(_ set: ScalarSet) -> PatternStep { .run(set, minimum: 0, maximum: .max) }
  // `[set]?`
  static func optional(_ set: ScalarSet) -> PatternStep { .run(set, minimum: 0, maximum: 1) }
  // `[set]{minimum,maximum}`
  static func between(_ minimum: Int, _ maximum: Int, _ set: ScalarSet) -> PatternStep {
    .run(set, minimum: minimum, maximum: maximum)
  }
}

/// A way to cut a text into pieces; what no rule takes is a piece of its own.
enum PiecePattern: Sendable {
  /// A regular expression: the first alternative that matches at a place takes its match.
  case alternatives([[PatternStep]])
  /// `\s+$`. A rule of its own, because trying it at each white space of a long run would be quadratic.
  case trailingWhitespace
}

extension PiecePattern {
  // `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
  static let gpt2 = PiecePattern.alternatives([
    [.contraction(ignoringCase: false)],
    [.optional(.any(.space)), .some(.any(.letter))],
    [.optional(.any(.space)), .some(.any(.number))],
    [.optional(.any(.space)), .some(.none([.whitespace, .letter, .number]))],
    spacesBeforeLast, spaces,
  ])

  // `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  static func llama3(digits: Int) -> PiecePattern {
    .alternatives([
      [.contraction(ignoringCase: true)],
      [.optional(.none([.newline, .letter, .number])), .some(.any(.letter))],
      [.between(1, digits, .any(.number))],
      [
        .optional(.any(.space)), .some(.none([.whitespace, .letter, .number])),
        .any(.any(.newline)),
      ],
      linesEnd, spacesBeforeLast, spaces,
    ])
  }

  /// As `llama3(digits: 1)` with `[\p{L}\p{M}]` for a letter.
  static let qwen35 = PiecePattern.alternatives([
    [.contraction(ignoringCase: true)],
    [.optional(.none([.newline, .letter, .number])), .some(.any([.letter, .mark]))],
    [.between(1, 1, .any(.number))],
    [
      .optional(.any(.space)), .some(.none([.whitespace, .letter, .mark, .number])),
      .any(.any(.newline)),
    ],
    linesEnd, spacesBeforeLast, spaces,
  ])

  /// `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`, the same with `+` and `*` exchanged,
  /// `\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, with contractions after words or without.
  static func caseAware(digits: Int, contractions: Bool) -> PiecePattern {
    let lead = PatternStep.optional(.none([.newline, .letter, .number]))
    let upper = ScalarSet.any([.upper, .otherLetter, .mark])
    let lower = ScalarSet.any([.lower, .otherLetter, .mark])
    let tail: [PatternStep] = contractions ? [.optionalContraction] : []
    return .alternatives([
      [lead, .any(upper), .some(lower)] + tail,
      [lead, .some(upper), .any(lower)] + tail,
      [.between(1, digits, .any(.number))],
      [
        .optional(.any(.space)), .some(.none([.whitespace, .letter, .number])),
        .any(.any([.newline, .slash])),
      ],
      linesEnd, spacesBeforeLast, spaces,
    ])
  }

  // `[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  static let deepSeek3 = PiecePattern.alternatives([
    [.between(1, 1, .any(.asciiPunctuation)), .some(.any(.asciiLetter))],
    [
      .optional(.none([.newline, .letter, .punctuation, .symbol])),
      .some(.any([.letter, .mark])),
    ],
    [
      .optional(.any(.space)), .some(.any([.punctuation, .symbol])), .any(.any(.newline)),
    ],
    linesEnd, spacesBeforeLast, spaces,
  ])

  // ` ?[^(\s|.,!?…。，、।۔،)]+`
  static let bloom = PiecePattern.alternatives([
    [.optional(.any(.space)), .some(.none([.whitespace, .sentenceStop]))]
  ])

  // `[set]+`
  static func some(_ traits: ScalarTraits) -> PiecePattern {
    .alternatives([[.some(.any(traits))]])
  }
  // `\s?[set]+`
  static func afterSpace(_ traits: ScalarTraits) -> PiecePattern {
    .alternatives([[.optional(.any(.whitespace)), .some(.any(traits))]])
  }
  // `[set]{minimum,maximum}`
  static func between(_ minimum: Int, _ maximum: Int, _ traits: ScalarTraits) -> PiecePattern {
    .alternatives([[.between(minimum, maximum, .any(traits))]])
  }

  // `\s*[\r\n]+`
  private static let linesEnd: [PatternStep] = [
    .any(.any(.whitespace)), .some(.any(.newline)),
  ]
  // `\s+(?!\S)`
  private static let spacesBeforeLast: [PatternStep] = [.some(.any(.whitespace)), .notBeforeText]
  // `\s+`
  private static let spaces: [PatternStep] = [.some(.any(.whitespace))]
}
