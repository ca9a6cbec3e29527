/// Instructions and tools of a session that are looked at anew before each request, as on OS 27.
///
/// A body is put together from ``Instructions``, tools, and other dynamic instructions; what it reads, such as the state of a session
/// or of the program, may change between two requests, and the transcript's first entry changes with it. What never changes is better first: the
/// keys and values of the beginning that stays are kept.
public protocol DynamicInstructions {
  /// What the instructions are put together from.
  associatedtype Body: DynamicInstructions

  /// What the instructions are put together from.
  @DynamicInstructionsBuilder var body: Body { get }
}

/// Dynamic instructions that are what they say, instead of what their body says.
protocol InstructionsLeaf: DynamicInstructions {
  func add(to profile: inout ResolvedProfile)
}

/// - Precondition: Is never called: whoever looks at a body looks first whether there is one.
func noBody(_ type: Any.Type) -> Never { preconditionFailure("\(type) has no body") }

extension ResolvedProfile {
  /// Adds what `instructions` say now.
  mutating func add(_ instructions: some DynamicInstructions) {
    if let leaf = instructions as? any InstructionsLeaf {
      leaf.add(to: &self)
    } else {
      add(instructions.body)
    }
  }
}

/// A text among dynamic instructions.
private struct InstructionsPiece: InstructionsLeaf {
  let instructions: Instructions
  var body: Never { return noBody(Self.self) }

  func add(to profile: inout ResolvedProfile) {
    profile.instructions = Instructions(
      joining: [profile.instructions, instructions].compactMap(\.self))
  }
}

extension Instructions: DynamicInstructions {
  /// The text.
  public var body: some DynamicInstructions { return InstructionsPiece(instructions: self) }
}

/// A tool among dynamic instructions.
private struct InstructionsTool: InstructionsLeaf {
  let tool: any Tool
  var body: Never { return noBody(Self.self) }

  func add(to profile: inout ResolvedProfile) { profile.tools.append(tool) }
}

/// Dynamic instructions of any type.
public struct AnyDynamicInstructions: InstructionsLeaf {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  private let instructions: any DynamicInstructions

  /// The same instructions.
  public init(_ dynamicInstructions: any DynamicInstructions) { instructions = dynamicInstructions }

  /// The same instructions.
  public init(erasing dynamicInstructions: some DynamicInstructions) {
    self.init(dynamicInstructions)
  }

  func add(to profile: inout ResolvedProfile) { profile.add(instructions) }
}

/// Dynamic instructions one after the other.
public struct TupleDynamicInstructions<each Content: DynamicInstructions>: InstructionsLeaf {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  private let contents: (repeat each Content)

  /// These, in their order.
  public init(_ contents: repeat each Content) { self.contents = (repeat each contents) }

  func add(to profile: inout ResolvedProfile) {
    for content in repeat each contents { profile.add(content) }
  }
}

/// One of two kinds of dynamic instructions.
public struct ConditionalDynamicInstructions<
  TrueContent: DynamicInstructions, FalseContent: DynamicInstructions
>: InstructionsLeaf {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  /// Which of the two.
  public enum Branch {
    /// Those of a condition that holds.
    case trueContent(TrueContent)
    /// Those of one that does not.
    case falseContent(FalseContent)
  }

  private let branch: Branch

  /// The instructions of a branch.
  public init(_ branch: Branch) { self.branch = branch }

  func add(to profile: inout ResolvedProfile) {
    switch branch {
    case .trueContent(let content): profile.add(content)
    case .falseContent(let content): profile.add(content)
    }
  }
}

/// No instructions.
public struct EmptyDynamicInstructions: InstructionsLeaf, Sendable {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  /// Nothing.
  public init() {}

  func add(to profile: inout ResolvedProfile) {}
}

/// Dynamic instructions for each element of a collection.
public struct DynamicInstructionsForEach<
  Data: RandomAccessCollection, ID: Hashable, Content: DynamicInstructions
>: InstructionsLeaf {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  private let data: Data
  private let content: (Data.Element) -> Content

  /// What `content` makes of each element; `id` tells the elements apart.
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    (self.data, self.content) = (data, content)
  }

  func add(to profile: inout ResolvedProfile) {
    for element in data { profile.add(content(element)) }
  }
}

extension DynamicInstructionsForEach where ID == Data.Element.ID, Data.Element: Identifiable {
  /// What `content` makes of each element.
  public init(
    _ data: Data, @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.init(data, id: \.id, content: content)
  }
}

extension DynamicInstructions {
  /// Dynamic instructions for each element of a collection.
  public typealias ForEach = DynamicInstructionsForEach
}

extension Optional: DynamicInstructions, InstructionsLeaf where Wrapped: DynamicInstructions {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }

  func add(to profile: inout ResolvedProfile) {
    if let self { profile.add(self) }
  }
}

extension Never: DynamicInstructions {
  /// There is none.
  public typealias Body = Never

  /// There is none.
  public var body: Never { return noBody(Self.self) }
}

/// Puts dynamic instructions together: texts, tools, and other dynamic instructions.
@resultBuilder
public struct DynamicInstructionsBuilder {
  /// A tool.
  public static func buildExpression<T: Tool>(_ expression: T) -> some DynamicInstructions {
    InstructionsTool(tool: expression)
  }

  /// Dynamic instructions, such as ``Instructions``.
  public static func buildExpression<T: DynamicInstructions>(_ expression: T) -> T { expression }

  /// Tools.
  public static func buildExpression(_ tools: [any Tool]) -> some DynamicInstructions {
    DynamicInstructionsForEach(tools, id: \.name) { tool in
      AnyDynamicInstructions(InstructionsTool(tool: tool))
    }
  }

  /// One piece after the other.
  @_disfavoredOverload
  public static func buildBlock<each Content: DynamicInstructions>(
    _ contents: repeat each Content
  ) -> TupleDynamicInstructions<repeat each Content> {
    TupleDynamicInstructions(repeat each contents)
  }

  /// One piece.
  public static func buildBlock<T: DynamicInstructions>(_ content: T) -> T { content }

  /// Nothing.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// The first branch of a condition.
  public static func buildEither<TrueContent, FalseContent>(
    first content: TrueContent
  ) -> ConditionalDynamicInstructions<TrueContent, FalseContent> {
    ConditionalDynamicInstructions(.trueContent(content))
  }

  /// The second branch of a condition.
  public static func buildEither<TrueContent, FalseContent>(
    second content: FalseContent
  ) -> ConditionalDynamicInstructions<TrueContent, FalseContent> {
    ConditionalDynamicInstructions(.falseContent(content))
  }

  /// What a condition without a second branch adds.
  public static func buildOptional<Content: DynamicInstructions>(_ content: Content?) -> Content? {
    content
  }

  /// What an availability condition adds.
  public static func buildLimitedAvailability(
    _ content: some DynamicInstructions
  ) -> AnyDynamicInstructions { AnyDynamicInstructions(content) }
}
