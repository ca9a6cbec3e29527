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
