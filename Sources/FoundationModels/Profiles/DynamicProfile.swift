extension LanguageModelSession {
  /// What a session is before each request, as on OS 27: its model, instructions, tools and options, and what is done meanwhile.
  ///
  /// A body is put together from one ``Profile`` or another, with modifiers. It is looked at anew before each request, so that a condition in
  /// it can change the model of a conversation. Values that a caller gives with a prompt go before those of modifiers, and those of inner modifiers before
  /// those of outer ones; actions of all of them run, the outer ones first.
  public protocol DynamicProfile {
    /// What the profile is put together from.
    associatedtype Body: DynamicProfile

    /// What the profile is put together from.
    @DynamicProfileBuilder var body: Body { get }
  }

  /// Instructions and tools, to which modifiers add the rest.
  public struct Profile: DynamicProfile, ProfileLeaf {
    /// There is none.
    public typealias Body = Never

    /// There is none.
    public var body: Never { return noBody(Self.self) }

    private let instructions: any DynamicInstructions

    /// A profile with the instructions and tools that a builder puts together.
    public init(@DynamicInstructionsBuilder _ dynamicInstructions: () -> some DynamicInstructions) {
      instructions = dynamicInstructions()
    }

    func apply(to profile: inout ResolvedProfile) { profile.add(instructions) }
  }

  /// A profile of any type.
  public struct AnyDynamicProfile: DynamicProfile, ProfileLeaf {
    /// There is none.
    public typealias Body = Never

    /// There is none.
    public var body: Never { return noBody(Self.self) }

    private let profile: any DynamicProfile

    /// The same profile.
    public init(_ dynamicProfile: any DynamicProfile) { profile = dynamicProfile }

    /// The same profile.
    public init(erasing dynamicProfile: some DynamicProfile) { self.init(dynamicProfile) }

    func apply(to profile: inout ResolvedProfile) { profile.apply(self.profile) }
  }

  /// One of two profiles.
  public struct ConditionalDynamicProfile<
    TrueContent: DynamicProfile, FalseContent: DynamicProfile
  >: DynamicProfile, ProfileLeaf {
    /// There is none.
    public typealias Body = Never

    /// There is none.
    public var body: Never { return noBody(Self.self) }

    enum Branch {
      case trueContent(TrueContent)
      case falseContent(FalseContent)
    }

    let branch: Branch

    func apply(to profile: inout ResolvedProfile) {
      switch branch {
      case .trueContent(let content):
        profile.identity.append("true")
        profile.apply(content)
      case .falseContent(let content):
        profile.identity.append("false")
        profile.apply(content)
      }
    }
  }

  /// Chooses a profile.
  @resultBuilder
  public struct DynamicProfileBuilder {
    /// One profile.
    public static func buildBlock<T: DynamicProfile>(_ content: T) -> T { content }

    /// The first branch of a condition.
    public static func buildEither<TrueContent, FalseContent>(
      first content: TrueContent
    ) -> ConditionalDynamicProfile<TrueContent, FalseContent> {
      ConditionalDynamicProfile(branch: .trueContent(content))
    }

    /// The second branch of a condition.
    public static func buildEither<TrueContent, FalseContent>(
      second content: FalseContent
    ) -> ConditionalDynamicProfile<TrueContent, FalseContent> {
      ConditionalDynamicProfile(branch: .falseContent(content))
    }

    /// Says what is wrong, where the compiler would otherwise only say that the whole builder does not fit.
    @available(*, unavailable, message: "A profile is one; choose with if and else, or switch.")
    public static func buildBlock<each Content: DynamicProfile>(
      _ contents: repeat each Content
    ) -> Never { preconditionFailure("unavailable") }

    /// What an availability condition chooses.
    public static func buildLimitedAvailability(
      _ component: some DynamicProfile
    ) -> AnyDynamicProfile { AnyDynamicProfile(component) }
  }
}

/// A profile that is what it does, instead of what its body does.
protocol ProfileLeaf: LanguageModelSession.DynamicProfile {
  func apply(to profile: inout ResolvedProfile)
}

extension ResolvedProfile {
  /// Takes over what `profile` says now.
  mutating func apply(_ profile: some LanguageModelSession.DynamicProfile) {
    if let leaf = profile as? any ProfileLeaf {
      leaf.apply(to: &self)
    } else {
      identity.append("\(type(of: profile))")
      apply(profile.body)
    }
  }
}

extension Never: LanguageModelSession.DynamicProfile {}

extension LanguageModelSession.DynamicProfile {
  /// Instructions and tools, to which modifiers add the rest.
  public typealias Profile = LanguageModelSession.Profile
  /// What a session is before each request.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
}

// MARK: - Modifiers

extension LanguageModelSession {
  /// Makes a profile of a profile.
  public protocol DynamicProfileModifier {
    /// What is made.
    associatedtype Body: DynamicProfile
    /// The profile that is modified.
    typealias Content = DynamicProfileModifierContent<Self>

    /// What is made of `content`.
    @DynamicProfileBuilder func body(content: Content) -> Body
  }

  /// The profile that a modifier modifies.
  public struct DynamicProfileModifierContent<Modifier: DynamicProfileModifier>: DynamicProfile,
    ProfileLeaf
  {
    /// There is none.
    public typealias Body = Never

    /// There is none.
    public var body: Never { return noBody(Self.self) }

    let profile: any DynamicProfile

    func apply(to profile: inout ResolvedProfile) { profile.apply(self.profile) }
  }

  /// A profile with a modifier.
  public struct ModifiedDynamicProfile<
    Content: DynamicProfile, Modifier: DynamicProfileModifier
  >: DynamicProfile, ProfileLeaf {
    /// There is none.
    public typealias Body = Never

    /// There is none.
    public var body: Never { return noBody(Self.self) }

    let content: Content
    let modifier: Modifier

    func apply(to profile: inout ResolvedProfile) {
      profile.apply(modifier.body(content: DynamicProfileModifierContent(profile: content)))
    }
  }
}

extension LanguageModelSession.DynamicProfileModifier {
  /// What a session is before each request.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
}

extension LanguageModelSession.DynamicProfile {
  /// The profile with a modifier of one's own.
  public func modifier<Modifier: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: Modifier
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.ModifiedDynamicProfile(content: self, modifier: modifier)
  }
}
