/// What a session is for one request: always the same, or what its profile says now.
struct SessionStage {
  let link: ModelLink
  let tools: SessionTools
  /// Nil for a session without profile.
  var profile: ResolvedProfile?
}

/// The profile of a session, and what it last said.
///
/// A session answers one prompt at a time, and looks here only meanwhile.
final class SessionProfile: @unchecked Sendable {
  private let profile: any LanguageModelSession.DynamicProfile
  private var active: ResolvedProfile?

  init(_ profile: any LanguageModelSession.DynamicProfile) { self.profile = profile }

  /// What becomes of the transcript after an error; nil where the profile does not say.
  var errorHandling: TranscriptErrorHandlingPolicy? { active?.errorHandling }

  /// What the profile says now, after those have acted who are to act when that is another one.
  func resolved() async -> ResolvedProfile {
    let resolved = ResolvedProfile(profile)
    let before = active
    active = resolved
    guard before?.identity != resolved.identity else { return resolved }
    for action in before?.onDeactivate ?? [] { await action() }
    for action in resolved.onActivate { await action() }
    return resolved
  }
}

/// A profile of instructions and tools alone.
private struct InstructedProfile: ProfileLeaf {
  typealias Body = Never

  var body: Never { return noBody(Self.self) }

  let instructions: any DynamicInstructions

  func apply(to profile: inout ResolvedProfile) { profile.add(instructions) }
}

extension LanguageModelSession {
  /// A conversation whose model, instructions, tools and options `profile` says anew before each request, as on OS 27.
  ///
  /// Where the profile names no model it is ``SystemLanguageModel/default``. `history` is what was said before.
  public convenience init(
    profile: sending some DynamicProfile, history: some Collection<Transcript.Entry> = []
  ) {
    self.init(
      ModelLink(SystemLanguageModel.default), [], Transcript(entries: history),
      SessionProfile(profile))
  }

  /// A conversation whose instructions and tools are looked at anew before each request, as on OS 27.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = []
  ) {
    self.init(
      ModelLink(model), [], Transcript(entries: history),
      SessionProfile(InstructedProfile(instructions: dynamicInstructions)))
  }
}

extension ResolvedProfile {
  /// The profile's instructions as the first entry of a transcript that has `entry` so far; nil for none.
  func instructions(after entry: Transcript.Instructions?) -> Transcript.Instructions? {
    let definitions = SessionTools(tools: tools).definitions
    guard instructions != nil || !definitions.isEmpty else { return nil }
    let segments = instructions?.segments ?? []
    if let entry, entry.segments.elementsEqual(segments, by: { $0.says(the: $1) }),
      entry.toolDefinitions == definitions
    {
      return entry
    }
    guard var entry else {
      return Transcript.Instructions(segments: segments, toolDefinitions: definitions)
    }
    (entry.segments, entry.toolDefinitions) = (segments, definitions)
    return entry
  }

  /// Lets those act who wait for what the model has said.
  func heard(_ entries: [Transcript.Entry]) async throws {
    for entry in entries {
      switch entry {
      case .reasoning(let reasoning):
        for action in onReasoning { try await action(reasoning) }
      case .response(let response):
        for action in onResponse { try await action(response) }
      default: break
      }
    }
  }
}

extension Transcript.Segment {
  /// Whether both are the same but for their identities, which are new each time that instructions are made.
  fileprivate func says(the other: Transcript.Segment) -> Bool {
    if case .attachment(let one) = self, case .attachment(let two) = other {
      return one.content == two.content && one.label == two.label
    }
    return text == other.text
  }
}
