/// What ``PromptBuilder`` and ``InstructionsBuilder`` have in common: they put a text together from pieces.
public protocol PieceBuilder {
  /// What is put together, and what each piece becomes.
  associatedtype Whole: PiecewiseText
}

extension PieceBuilder {
  /// The pieces of a block, one after the other.
  public static func buildBlock(_ pieces: Whole...) -> Whole { Whole(pieces) }

  /// The pieces of a loop, one after the other.
  public static func buildArray(_ pieces: [Whole]) -> Whole { Whole(pieces) }

  /// The first branch of a condition.
  public static func buildEither(first piece: Whole) -> Whole { piece }

  /// The second branch of a condition.
  public static func buildEither(second piece: Whole) -> Whole { piece }

  /// What a condition without a second branch adds; nothing when it does not hold.
  public static func buildOptional(_ piece: Whole?) -> Whole { piece ?? Whole([]) }

  /// What an availability condition adds.
  public static func buildLimitedAvailability(_ piece: Whole) -> Whole { piece }

  /// A piece that is a whole already.
  public static func buildExpression(_ expression: Whole) -> Whole { expression }
}

/// Puts a prompt together from pieces, each on a line of its own.
@resultBuilder
public struct PromptBuilder: PieceBuilder {
  /// A prompt.
  public typealias Whole = Prompt

  /// One piece.
  @_disfavoredOverload
  public static func buildExpression(_ expression: some PromptRepresentable) -> Prompt {
    expression.promptRepresentation
  }

  /// Says what is missing, where the compiler would otherwise only say that the whole builder does not fit.
  @available(*, unavailable, message: "A part of a prompt has to conform to PromptRepresentable.")
  @_disfavoredOverload
  public static func buildExpression<T>(_ expression: T) -> Prompt { Prompt(parts: []) }
}

/// Puts instructions together from pieces, each on a line of its own.
@resultBuilder
public struct InstructionsBuilder: PieceBuilder {
  /// Instructions.
  public typealias Whole = Instructions

  /// One piece.
  @_disfavoredOverload
  public static func buildExpression(
    _ expression: some InstructionsRepresentable
  ) -> Instructions {
    expression.instructionsRepresentation
  }

  /// Says what is missing, where the compiler would otherwise only say that the whole builder does not fit.
  @available(
    *, unavailable, message: "A part of instructions has to conform to InstructionsRepresentable."
  )
  @_disfavoredOverload
  public static func buildExpression<T>(_ expression: T) -> Instructions { Instructions(parts: []) }
}
