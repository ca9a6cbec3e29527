/// The outline of a declaration that a macro is on.
struct TypeDeclaration: Equatable {
  /// `struct`, `enum`, `class`, and so on, and where it stands.
  let keyword: String
  let keywordOffset: Int
  let name: String
  /// `public` or another word of access, if there is one.
  let access: String?
  /// What stands behind the colon, as written.
  let inherited: [String]
  let properties: [StoredProperty]
  let cases: [EnumCase]

  /// Whether it says that it can be compared.
  var isEquatable: Bool { inherits("Equatable") || isHashable }
  /// Whether it says that it can be hashed.
  var isHashable: Bool { inherits("Hashable") }

  /// Whether a conformance is declared, in whatever way it is written.
  private func inherits(_ name: Substring) -> Bool {
    inherited.contains { $0.split { " .&".contains($0) }.contains(name) }
  }

  /// What the partial form conforms to because the type does.
  var sharedConformances: [String] {
    var conformances = inherits("Sendable") ? ["Swift.Sendable"] : []
    if isHashable {
      conformances.append("Swift.Hashable")
    } else if isEquatable {
      conformances.append("Swift.Equatable")
    }
    return conformances
  }

  /// The access of members that a conformance asks for, with a space behind it.
  var memberAccess: String {
    switch access {
    case "public", "open": "public "
    case "package": "package "
    default: ""
    }
  }
}

/// A stored property of an instance.
struct StoredProperty: Equatable {
  /// The name as written, perhaps in backticks, and where it stands.
  let name: String
  let offset: Int
  let type: String
  /// `private` or another word of access, if there is one.
  var access: String? = nil
  let guide: GuideAttribute?

  /// The name as content has it.
  var key: String { name.filter { $0 != "`" } }
  /// The type of the property in the partial form.
  var partialType: String { type.partial }
  /// Whether the property takes the content's own name instead of being generated.
  var isGenerationID: Bool { type == "GenerationID" || type == "FoundationModels.GenerationID" }
}

/// `@Guide` on a property.
struct GuideAttribute: Equatable {
  let offset: Int
  /// The expression of the description.
  let description: String?
  let guides: [Argument]

  /// What both say; `other` stands behind this one.
  func joined(with other: GuideAttribute) -> GuideAttribute {
    var both = description ?? other.description
    if let description, let further = other.description {
      both = "(\(description)) + \" \" + (\(further))"
    }
    return GuideAttribute(offset: offset, description: both, guides: guides + other.guides)
  }
}

/// A case of an enumeration.
struct EnumCase: Equatable {
  /// An associated value.
  struct Value: Equatable {
    /// What callers write before it, and what it is called inside where that is something else.
    let label: String?
    var name: String? = nil
    let type: String
    let offset: Int

    /// The name as content has it, of the value with `index` values before it.
    func key(_ index: Int) -> String { (label ?? name)?.filter { $0 != "`" } ?? "_\(index)" }

    /// The type of the value in the partial form.
    var partialType: String { type.partial }
  }

  let name: String
  let values: [Value]

  /// The name as content has it.
  var key: String { name.filter { $0 != "`" } }
}

extension String {
  /// The partial form of the type that the text names.
  fileprivate var partial: String {
    // An optional's mark would be one of the partial form's.
    (hasSuffix("?") ? "(\(self))" : self) + ".PartiallyGenerated?"
  }
}
