public import Foundation

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

extension LanguageModelSession {
  /// What was said and what somebody thinks of it, as one line of JSON.
  ///
  /// Nothing is sent or kept. The members are `sentiment`, `issues` with `category` and `explanation`, `transcript` in
  /// Apple's form, and, in the same form, `rejected`, which are the entries that the last prompt had added when there was
  /// an error, and `desired`. Lines can be put together in one file.
  ///
  /// - Parameters:
  ///   - sentiment: what somebody thinks of the response.
  ///   - issues: what is wrong with it.
  ///   - desiredOutput: what the response should have been.
  /// - Returns: one line of JSON with its end.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredOutput: Transcript.Entry? = nil
  ) -> Data {
    let (transcript, rejected) = record
    let attachment = FeedbackAttachment(
      sentiment: sentiment?.rawValue,
      issues: issues.map {
        FeedbackAttachment.Issue(category: $0.category.rawValue, explanation: $0.explanation)
      },
      transcript: transcript, rejected: rejected.isEmpty ? nil : Transcript(entries: rejected),
      desired: desiredOutput.map { Transcript(entries: [$0]) })
    return attachment.line
  }

  /// As ``logFeedbackAttachment(sentiment:issues:desiredOutput:)``, with the text that the response should have been.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseText: String?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseText.map {
        .response(Transcript.Response(assetIDs: [], segments: [Transcript.Segment](text: $0)))
      })
  }

  /// As ``logFeedbackAttachment(sentiment:issues:desiredOutput:)``, with the content that the response should have been.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseContent: (any ConvertibleToGeneratedContent)?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseContent.map { content in
        let segment = Transcript.StructuredSegment(
          source: "\(type(of: content))", content: content.generatedContent)
        return .response(Transcript.Response(assetIDs: [], segments: [.structure(segment)]))
      })
  }
}

/// Feedback as it is written.
private struct FeedbackAttachment: Encodable {
  struct Issue: Encodable {
    let category: String
    let explanation: String?
  }

  let sentiment: String?
  let issues: [Issue]
  let transcript: Transcript
  let rejected: Transcript?
  let desired: Transcript?

  /// One line; options that JSON has no number for, which were refused, are texts.
  var line: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    var line = (try? encoder.encode(self)) ?? Data("{}".utf8)
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
