/// What people think of a response, and what is wrong with it.
public struct LanguageModelFeedback: Sendable {
  /// What somebody thinks of a response.
  public enum Sentiment: String, Sendable, CaseIterable {
    case positive, negative, neutral
  }

  /// Something that is wrong with a response.
  public struct Issue: Sendable {
    /// What is wrong.
    public enum Category: String, Sendable, CaseIterable {
      /// It does not help.
      case unhelpful
      /// It is longer than it had to be.
      case tooVerbose
      /// It does something else than it was asked for.
      case didNotFollowInstructions
      /// It is wrong.
      case incorrect
      /// It is prejudiced.
      case stereotypeOrBias
      /// It is suggestive or sexual.
      case suggestiveOrSexual
      /// It is vulgar or offends.
      case vulgarOrOffensive
      /// It was refused although nothing is wrong with it.
      case triggeredGuardrailUnexpectedly
    }

    let category: Category
    let explanation: String?

    /// An issue, with an explanation for whoever looks into it.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }
  }
}
