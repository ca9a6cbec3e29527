import Foundation
import FoundationModels
import JSON

/// What requests of all interfaces have in common.
enum RequestParts {
  /// A piece of a message.
  enum Piece {
    case text(String)
    /// An image, at an address of https or http or in one of data.
    case image(URL)
  }

  /// A text alone, or all pieces where there are images.
  ///
  /// - Throws: `LanguageModelError.unsupportedTranscriptContent` for images that no server can get.
  static func pieces(
    _ segments: [Transcript.Segment], of entry: Transcript.Entry
  ) throws -> [Piece] {
    let hasImages = segments.contains { if case .attachment = $0 { true } else { false } }
    guard hasImages else { return [.text(text(segments))] }
    return try segments.map { segment in
      guard case .attachment(let attachment) = segment,
        case .image(let image) = attachment.content
      else { return .text(segment.description) }
      do throws(ImageDefect) {
        return .image(try ImageAddress.forServer(image))
      } catch {
        throw unsupported(entry, "A server does not get \(attachment): \(error.reason).")
      }
    }
  }

  /// The same as requests have it: a string, or an array of objects where there are images.
  ///
  /// - Throws: As ``pieces(_:of:)``.
  static func content(
    _ segments: [Transcript.Segment], of entry: Transcript.Entry, _ object: (Piece) -> JSONObject
  ) throws -> JSONValue {
    let pieces = try pieces(segments, of: entry)
    if case .text(let text)? = pieces.first, pieces.count == 1 { return .string(text) }
    return .array(pieces.map { .object(object($0)) })
  }

  static func text(_ segments: [Transcript.Segment]) -> String {
    segments.map(\.description).joined(separator: "\n")
  }

  /// A name as servers want it: letters, digits, `_` and `-`.
  static func identifier(_ name: String, limit: Int) -> String {
    let allowed = name.unicodeScalars.prefix(limit).map { scalar in
      ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        || scalar == "_" || scalar == "-" ? Character(scalar) : "_"
    }
    return String(allowed)
  }

  static func unsupported(_ entry: Transcript.Entry, _ text: String) -> LanguageModelError {
    .unsupportedTranscriptContent(
      LanguageModelError.UnsupportedTranscriptContent(
        unsupportedContent: [entry], debugDescription: text))
  }

  /// The transcript, with the schema behind the last prompt where the model is to read it there: servers that hold the
  /// answer to it do not all show it to the model.
  static func transcript(_ request: LanguageModelExecutorGenerationRequest) throws -> Transcript {
    var transcript = request.transcript
    guard let schema = request.schema, request.contextOptions.includeSchemaInPrompt ?? true,
      let place = transcript.lastIndex(where: { if case .prompt = $0 { true } else { false } }),
      case .prompt(var prompt) = transcript[place]
    else { return transcript }
    let text = "Answer with JSON that fits this schema: \(try ServerSchema(schema).json.line)"
    prompt.segments.append(.text(Transcript.TextSegment(content: text)))
    transcript[place] = .prompt(prompt)
    return transcript
  }

  // MARK: - Options

  /// Adds how tokens are chosen, as far as anything is said of it; what a server does not know of it, it refuses.
  ///
  /// - Throws: `GenerationOptionsError` for what JSON has no number for.
  static func add(_ options: GenerationOptions, to body: inout JSONObject) throws {
    body["temperature"] = try options.temperature.map { try number($0, "temperature") }
    switch options.samplingMode?.kind {
    case .greedy: body["temperature"] = .number(JSONNumber(0))
    case .randomTopK(let count, let seed):
      body["top_k"] = .number(JSONNumber(count))
      body["seed"] = seed.map { .number(JSONNumber(Int(clamping: $0))) }
    case .randomProbabilityThreshold(let sum, let seed):
      body["top_p"] = try number(sum, "top-p")
      body["seed"] = seed.map { .number(JSONNumber(Int(clamping: $0))) }
    case nil: break
    }
  }

  private static func number(_ value: Double, _ option: String) throws -> JSONValue {
    guard value.isFinite else {
      throw GenerationOptionsError(option: option, value: "\(value)", rule: "a finite number")
    }
    return .number(JSONNumber(value))
  }

  /// What servers call how a model may call tools.
  static func toolChoice(_ options: GenerationOptions, required: String = "required") -> String {
    switch options.toolCallingMode?.kind {
    case .allowed, nil: "auto"
    case .required: required
    case .disallowed: "none"
    }
  }

  static func effort(_ level: ContextOptions.ReasoningLevel) -> String {
    switch level {
    case .light: "low"
    case .moderate: "medium"
    case .deep: "high"
    case .custom(let name): name
    }
  }
}
