/// Puts a prompt together from pieces, each on a line of its own.
@resultBuilder
public struct PromptBuilder {
  /// The pieces of a block, one after the other.
  public static func buildBlock<each P>(_ components: repeat each P) -> Prompt
  where repeat each P: PromptRepresentable {
    var parts: [String] = []
    for component in repeat each components { parts += component.promptRepresentation.parts }
    return Prompt(parts: parts)
  }

  /// The prompts of a loop, one after the other.
  public static func buildArray(_ prompts: [some PromptRepresentable]) -> Prompt {
    prompts.promptRepresentation
  }

  /// The first branch of a condition.
  public static func buildEither(first component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// The second branch of a condition.
  public static func buildEither(second component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// What a condition without a second branch adds; nothing when it does not hold.
  public static func buildOptional(_ component: Prompt?) -> Prompt {
    component ?? Prompt(parts: [])
  }

  /// What an availability condition adds.
  public static func buildLimitedAvailability(_ prompt: some PromptRepresentable) -> Prompt {
    prompt.promptRepresentation
  }

  /// One piece.
  @_disfavoredOverload
  public static func buildExpression<P>(_ expression: P) -> P where P: PromptRepresentable {
    expression
  }

  /// One prompt.
  public static func buildExpression(_ expression: Prompt) -> Prompt { expression }

  /// Says what is missing, where the compiler would otherwise only say that the whole builder does not fit.
  @available(*, unavailable, message: "A part of a prompt has to conform to PromptRepresentable.")
  @_disfavoredOverload
  public static func buildExpression<T>(_ expression: T) -> Prompt { Prompt(parts: []) }
}
