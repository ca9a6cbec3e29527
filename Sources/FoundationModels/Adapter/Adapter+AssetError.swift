public import Foundation

extension SystemLanguageModel.Adapter {
  /// Why an adapter cannot be used.
  public enum AssetError: Error, LocalizedError, Sendable {
    /// The files are not those of an adapter that could run.
    case invalidAsset(Context)
    /// The text is no adapter's name.
    case invalidAdapterName(Context)
    /// There is no such adapter for the base, or no such base.
    case compatibleAdapterNotFound(Context)

    /// What is known of the error.
    public struct Context: Sendable {
      /// What is wrong, where, and what to do, for developers.
      public let debugDescription: String

      /// A context with this description.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is known of the error.
    public var context: Context {
      switch self {
      case .invalidAsset(let context), .invalidAdapterName(let context),
        .compatibleAdapterNotFound(let context):
        context
      }
    }

    /// One sentence for people.
    public var errorDescription: String? {
      switch self {
      case .invalidAsset: "The adapter's files cannot be used."
      case .invalidAdapterName: "This is not the name of an adapter."
      case .compatibleAdapterNotFound: "There is no such adapter for the installed language model."
      }
    }

    /// What is wrong in detail, and what to do.
    public var recoverySuggestion: String? { context.debugDescription }
  }
}

extension SystemLanguageModel.Adapter.AssetError {
  static func invalidAsset(_ text: String) -> Self {
    .invalidAsset(Context(debugDescription: text))
  }

  static func compatibleAdapterNotFound(_ text: String) -> Self {
    .compatibleAdapterNotFound(Context(debugDescription: text))
  }
}
