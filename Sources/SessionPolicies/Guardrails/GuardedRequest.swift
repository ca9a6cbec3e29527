import FoundationModels

/// A request whose contents are judged: what the model is to read before it does, what it says before anybody sees it.
struct GuardedRequest: Sendable {
  typealias Channel = LanguageModelExecutorGenerationChannel

  let checks: [any ContentCheck]
  /// What has passed in the session.
  let passed: PassedContents
  /// The model that the checks are of.
  let model: ObjectIdentifier

  /// Judges what `transcript` has that was not judged yet.
  ///
  /// - Throws: `GenerationError.guardrailViolation` or `.refusal`, or what a check throws.
  func admit(_ transcript: Transcript) async throws {
    for entry in transcript {
      for content in entry.checkedContents { try await judge(content) }
    }
  }

  /// Lets `generate` answer, and hands on what has passed.
  ///
  /// - Throws: As ``admit(_:)``, or what `generate` throws.
  func answer(
    into channel: Channel, _ generate: @escaping @Sendable (Channel) async throws -> Void
  ) async throws {
    let (events, sender) = AsyncStream<Channel.Event>.makeStream()
    async let answering: Void = {
      defer { sender.finish() }
      // What was taken is told at once, as that counts for an answer that is refused, too.
      try await generate(
        Channel { event in
          if event.isUsage { channel.post(event) } else { sender.yield(event) }
        })
    }()
    let judgesParts = checks.allSatisfy(\.judgesParts)
    var (text, shown) = ("", 0)
    /// Hands on what there is up to a number of bytes.
    func show(_ end: Int) {
      let part = String(decoding: text.utf8.dropFirst(shown).prefix(end - shown), as: UTF8.self)
      if !part.isEmpty { channel.post(.response(action: .appendText(part, tokenCount: 1))) }
      shown = end
    }
    var held: [Channel.Event] = []
    for await event in events {
      guard let piece = event.text else {
        held.append(event)
        continue
      }
      text += piece
      guard judgesParts, let end = Self.lastSentence(of: text), end > shown else { continue }
      try await judge(CheckedContent(.response, text, isWhole: false))
      show(end)
    }
    try await answering
    if !text.isEmpty { try await judge(CheckedContent(.response, text)) }
    for arguments in held.compactMap(\.arguments) {
      try await judge(CheckedContent(.response, arguments))
    }
    show(text.utf8.count)
    held.forEach(channel.post)
  }

  /// Bytes up to the end of the last sentence that is whole for sure.
  private static func lastSentence(of text: String) -> Int? {
    let bytes = text.utf8
    var end = bytes.endIndex
    while end > bytes.startIndex {
      let before = bytes.index(before: end)
      if bytes[before] == UInt8(ascii: "\n") {
        return bytes.distance(from: bytes.startIndex, to: end)
      }
      if bytes[before] == UInt8(ascii: " "), before > bytes.startIndex,
        ".!?".utf8.contains(bytes[bytes.index(before: before)])
      {
        return bytes.distance(from: bytes.startIndex, to: end)
      }
      end = before
    }
    return nil
  }

  private func judge(_ content: CheckedContent) async throws {
    let hash = hash(of: content)
    guard !content.isWhole || !passed.has(hash) else { return }
    for check in checks where check.sources.contains(content.source) {
      try Task.checkCancellation()
      let verdict = try await ContentChecks.$isJudging.withValue(true) {
        try await check.verdict(on: content)
      }
      if let error = Self.error(verdict, content.source, check.name) { throw error }
    }
    if content.isWhole { passed.note(hash) }
  }

  private func hash(of content: CheckedContent) -> Int {
    var hasher = Hasher()
    hasher.combine(model)
    hasher.combine(content.source)
    hasher.combine(content.text)
    return hasher.finalize()
  }

  private static func error(
    _ verdict: ContentVerdict, _ source: CheckedContent.Source, _ name: String
  ) -> LanguageModelSession.GenerationError? {
    typealias GenerationError = LanguageModelSession.GenerationError
    let what =
      switch source {
      case .instructions: "The instructions were"
      case .prompt: "The prompt was"
      case .toolOutput: "The output of a tool was"
      case .response: "The response was"
      }
    switch verdict {
    case .pass: return nil
    case .violation(let reason):
      return .guardrailViolation(
        GenerationError.Context(debugDescription: "\(what) refused by \(name): \(reason)."))
    case .refusal(let explanation):
      let said = Transcript.Response(
        assetIDs: [], segments: [Transcript.Segment](text: explanation))
      return .refusal(
        GenerationError.Refusal(transcriptEntries: [.response(said)]),
        GenerationError.Context(
          debugDescription: "\(what) refused by \(name), with an explanation."))
    }
  }
}

extension Transcript.Entry {
  /// What there is to judge.
  fileprivate var checkedContents: [CheckedContent] {
    let contents: [CheckedContent] =
      switch self {
      case .instructions(let entry): [CheckedContent(.instructions, entry.segments.text)]
      case .prompt(let entry): [CheckedContent(.prompt, entry.segments.text)]
      case .toolCalls(let entry):
        entry.map { CheckedContent(.response, $0.arguments.jsonString) }
      case .toolOutput(let entry): [CheckedContent(.toolOutput, entry.segments.text)]
      case .response(let entry): [CheckedContent(.response, entry.segments.text)]
      case .reasoning: []
      }
    return contents.filter { !$0.text.isEmpty }
  }
}

extension LanguageModelExecutorGenerationChannel.Event {
  /// More of what the model says.
  fileprivate var text: String? {
    guard case .response(let response) = kind, case .append(let more) = response.action.kind
    else { return nil }
    return more.content
  }

  /// The arguments of a call.
  fileprivate var arguments: String? {
    guard case .toolCalls(let calls) = kind, case .call(let call) = calls.action.kind,
      case .append(let arguments) = call.action.kind
    else { return nil }
    return arguments.content
  }

  /// Whether it tells what the answer has taken.
  fileprivate var isUsage: Bool {
    guard case .response(let response) = kind, case .usage = response.action.kind
    else { return false }
    return true
  }
}
