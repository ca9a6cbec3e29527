/// What the compiler asks, as far as these macros need it.
///
/// The messages are those of SwiftCompilerPluginMessageHandling in <https://github.com/swiftlang/swift-syntax>.
package enum PluginRequest: Equatable {
  /// Which version of the messages the plugin speaks.
  case capability
  /// What an attached macro adds.
  case attached(AttachedExpansion)
  /// Anything else.
  case unknown
}

/// A macro on a declaration.
package struct AttachedExpansion: Decodable, Equatable {
  /// Which macro it is.
  package struct Macro: Decodable, Equatable {
    let typeName: String
  }

  /// A piece of source and where it stands.
  package struct Source: Decodable, Equatable {
    package struct Location: Decodable, Equatable {
      let fileName: String
      let offset: Int
      let line: Int
    }

    let source: String
    let location: Location
  }

  let macro: Macro
  let macroRole: String
  let attributeSyntax: Source
  let declSyntax: Source
  /// The type that an extension is for.
  let extendedTypeSyntax: Source?
  /// A placeholder type with the conformances that are still missing.
  let conformanceListSyntax: Source?
  /// The declarations around it, innermost first, without what is inside them.
  let lexicalContext: [Source]?
}

extension PluginRequest: Decodable {
  private enum Key: CodingKey {
    case getCapability, expandAttachedMacro
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.getCapability) {
      self = .capability
    } else if let expansion = try container.decodeIfPresent(
      AttachedExpansion.self, forKey: .expandAttachedMacro)
    {
      self = .attached(expansion)
    } else {
      self = .unknown
    }
  }
}

/// What the plugin answers.
package enum PluginResponse: Equatable {
  /// The version of the messages.
  case capability(protocolVersion: Int)
  /// What a macro adds, or what is wrong with its use.
  case expansion(source: String?, problems: [PlacedProblem])

  /// The answer to `request`.
  package init(to request: PluginRequest) {
    switch request {
    case .capability: self = .capability(protocolVersion: 7)
    case .unknown: self = .expansion(source: nil, problems: [])
    case .attached(let request):
      do throws(Problem) {
        self = .expansion(source: try request.expanded(), problems: [])
      } catch {
        self = .expansion(source: "", problems: [PlacedProblem(error, in: request.declSyntax)])
      }
    }
  }
}

/// What is wrong, and where in the declaration that the macro is on.
struct Problem: Error, Equatable {
  let message: String
  /// Bytes from the start of the declaration's source.
  let offset: Int
}

/// What is wrong, and where in a file.
package struct PlacedProblem: Equatable {
  let message: String
  let file: String
  let offset: Int

  init(_ problem: Problem, in source: AttachedExpansion.Source) {
    message = problem.message
    file = source.location.fileName
    offset = source.location.offset + problem.offset
  }
}

extension PluginResponse: Encodable {
  private enum Key: String, CodingKey {
    case getCapabilityResult, capability, protocolVersion
    case expandMacroResult, expandedSource, diagnostics
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .capability(let version):
      var result = container.nestedContainer(keyedBy: Key.self, forKey: .getCapabilityResult)
      var capability = result.nestedContainer(keyedBy: Key.self, forKey: .capability)
      try capability.encode(version, forKey: .protocolVersion)
    case .expansion(let source, let problems):
      var result = container.nestedContainer(keyedBy: Key.self, forKey: .expandMacroResult)
      try result.encodeIfPresent(source, forKey: .expandedSource)
      try result.encode(problems, forKey: .diagnostics)
    }
  }
}

extension PlacedProblem: Encodable {
  private enum Key: CodingKey {
    case message, severity, position, fileName, offset, highlights, notes, fixIts
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(message, forKey: .message)
    try container.encode("error", forKey: .severity)
    var position = container.nestedContainer(keyedBy: Key.self, forKey: .position)
    try position.encode(file, forKey: .fileName)
    try position.encode(offset, forKey: .offset)
    for key in [Key.highlights, .notes, .fixIts] { try container.encode([String](), forKey: key) }
  }
}
