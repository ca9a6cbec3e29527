public import Foundation

// What events say of the entries that they belong to.

extension LanguageModelExecutorGenerationChannel {
  /// Something about a response.
  public struct Response: Sendable {
    /// The entry; nil for the one that is being written, or a new one.
    public var entryID: String?
    /// What becomes of it.
    public var action: Action

    /// What becomes of a response.
    public struct Action: Sendable {
      package enum Kind: Sendable {
        case append(TextFragment)
        case replace(TextSegmentReplacement)
        case custom(any Transcript.CustomSegment, id: String)
        case attach(Transcript.AttachmentSegment)
        case detach(id: String)
        case metadata(Metadata)
        case usage(Usage)
      }

      package let kind: Kind

      /// More text; `tokenCount` counts until there is a usage.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .append(
            TextFragment(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// Another text in place of a segment's.
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .replace(
            TextSegmentReplacement(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// A segment of the provider's own kind, in place of the one with its identity if there is one.
      public static func updateCustomSegment(_ segment: any Transcript.CustomSegment) -> Action {
        Action(kind: .custom(segment, id: segment.id))
      }

      /// One more attachment.
      public static func addAttachmentSegment(_ segment: Transcript.AttachmentSegment) -> Action {
        Action(kind: .attach(segment))
      }

      /// The attachment with this identity is taken back.
      public static func removeAttachmentSegment(id: String) -> Action {
        Action(kind: .detach(id: id))
      }

      /// All that is to be known of the entry.
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values)))
      }

      /// What the answer has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any Sendable & Codable & Equatable] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// Something about what the model thinks.
  public struct Reasoning: Sendable {
    /// The entry; nil for the one that is being written, or a new one.
    public var entryID: String?
    /// What becomes of it.
    public var action: Action

    /// What becomes of what the model thinks.
    public struct Action: Sendable {
      package enum Kind: Sendable {
        case append(TextFragment)
        case replace(TextSegmentReplacement)
        case signature(ReasoningSignature)
        case metadata(Metadata)
        case usage(Usage)
      }

      package let kind: Kind

      /// More text; `tokenCount` counts until there is a usage.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .append(
            TextFragment(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// Another text in place of a segment's.
      public static func replaceTextSegment(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          kind: .replace(
            TextSegmentReplacement(content: text, segmentID: segmentID, tokenCount: tokenCount)))
      }

      /// The proof of the whole entry.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(
          kind: .signature(ReasoningSignature(signature: signature, tokenCount: tokenCount)))
      }

      /// All that is to be known of the entry.
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values)))
      }

      /// What the answer has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any Sendable & Codable & Equatable] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// Something about calls of tools.
  public struct ToolCalls: Sendable {
    /// The entry; nil for the one that is being written, or a new one.
    public var entryID: String?
    /// What becomes of it.
    public var action: Action

    /// What becomes of calls.
    public struct Action: Sendable {
      package enum Kind: Sendable {
        case call(ToolCall)
        case remove(id: String)
        case metadata(Metadata)
        case usage(Usage)
      }

      package let kind: Kind

      /// Something about the call with this identity, which the first such event begins.
      public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action {
        Action(kind: .call(ToolCall(id: id, name: name, action: action)))
      }

      /// The call with this identity is taken back.
      public static func removeToolCall(id: String) -> Action { Action(kind: .remove(id: id)) }

      /// All that is to be known of the calls together.
      public static func updateMetadata(
        _ values: [String: any Sendable & Codable & Equatable]
      ) -> Action {
        Action(kind: .metadata(Metadata(values: values)))
      }

      /// What the answer has taken so far.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any Sendable & Codable & Equatable] = [:]
      ) -> Action {
        Action(kind: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }

    /// Something about one call.
    public struct ToolCall: Sendable {
      /// The identity of the call, which its output will have too.
      public var id: String
      /// Name of the tool.
      public var name: String
      /// What becomes of the call.
      public var action: Action

      /// What becomes of a call.
      public struct Action: Sendable {
        package enum Kind: Sendable {
          case append(ArgumentsFragment)
          case metadata(Metadata)
        }

        package let kind: Kind

        /// More of the arguments, which are JSON when they are whole; nothing at all stands for `{}`.
        public static func appendArguments(_ content: String, tokenCount: Int) -> Action {
          Action(kind: .append(ArgumentsFragment(content: content, tokenCount: tokenCount)))
        }

        /// All that is to be known of the call.
        public static func updateMetadata(
          _ values: [String: any Sendable & Codable & Equatable]
        ) -> Action {
          Action(kind: .metadata(Metadata(values: values)))
        }
      }

      /// More of the arguments of a call.
      public struct ArgumentsFragment: Sendable {
        /// What comes.
        public var content: String
        /// Tokens that it took.
        public var tokenCount: Int
      }
    }
  }
}
