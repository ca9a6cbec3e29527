/// Puts instructions together from pieces, each on a line of its own.
@resultBuilder
public struct InstructionsBuilder {
  /// The pieces of a block, one after the other.
  public static func buildBlock<each I>(_ components: repeat each I) -> Instructions
  where repeat each I: InstructionsRepresentable {
    var parts: [String] = []
    for component in repeat each components { parts += component.instructionsRepresentation.parts }
    return Instructions(parts: parts)
  }

  /// The instructions of a loop, one after the other.
  public static func buildArray(_ instructions: [some InstructionsRepresentable]) -> Instructions {
    instructions.instructionsRepresentation
  }

  /// The first branch of a condition.
  public static func buildEither(first component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// The second branch of a condition.
  public static func buildEither(second component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// What a condition without a second branch adds; nothing when it does not hold.
  public static func buildOptional(_ component: Instructions?) -> Instructions {
    component ?? Instructions(parts: [])
  }

  /// What an availability condition adds.
  public static func buildLimitedAvailability(
    _ instructions: some InstructionsRepresentable
  ) -> Instructions {
    instructions.instructionsRepresentation
  }

  /// One piece.
  @_disfavoredOverload
  public static func buildExpression<I>(_ expression: I) -> I where I: InstructionsRepresentable {
    expression
  }

  /// Instructions.
  public static func buildExpression(_ expression: Instructions) -> Instructions { expression }

  /// Says what is missing, where the compiler would otherwise only say that the whole builder does not fit.
  @available(
    *, unavailable, message: "A part of instructions has to conform to InstructionsRepresentable."
  )
  @_disfavoredOverload
  public static func buildExpression<T>(_ expression: T) -> Instructions { Instructions(parts: []) }
}
