/// Upper and lower case, as Python has them; every scalar keeps its source.
extension SourcedText {
  var uppercased: SourcedText { mapScalars { _, scalar in scalar.properties.uppercaseMapping } }

  var lowercased: SourcedText {
    let lower = lowercaseMapping
    return mapScalars(lower)
  }

  /// The lower case of a scalar at its place in the text.
  private var lowercaseMapping: (Int, Unicode.Scalar) -> String {
    // Only texts with a Greek capital need to be looked through for it.
    let all = bytes.contains(0xCE) ? scalars.map(\.scalar) : []
    return { index, scalar in
      scalar == "\u{3A3}" ? Self.sigma(all, at: index) : scalar.properties.lowercaseMapping
    }
  }

  /// The first scalar in title case, the others in lower case.
  var capitalized: SourcedText {
    guard !isEmpty else { return self }
    let lower = lowercaseMapping
    return mapScalars { index, scalar in
      index == 0 ? scalar.properties.titlecaseMapping : lower(index, scalar)
    }
  }

  /// `str.title`: each scalar in title case that follows none that has a case.
  var titled: SourcedText {
    var follows = false
    let lower = lowercaseMapping
    return mapScalars { index, scalar in
      defer { follows = scalar.properties.isCased }
      return follows ? lower(index, scalar) : scalar.properties.titlecaseMapping
    }
  }

  var swapped: SourcedText {
    let lower = lowercaseMapping
    return mapScalars { index, scalar in
      scalar.properties.isUppercase ? lower(index, scalar) : scalar.properties.uppercaseMapping
    }
  }

  func mapScalars(_ change: (Int, Unicode.Scalar) -> String) -> SourcedText {
    var result = SourcedText()
    result.isMarkup = isMarkup
    for (index, part) in scalars.enumerated() {
      result.append(change(index, part.scalar), source(at: part.range.lowerBound))
    }
    return result
  }

  /// A sigma at the end of a word has a form of its own.
  private static func sigma(_ scalars: [Unicode.Scalar], at index: Int) -> String {
    let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
    let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
    let isFinal = (before?.properties.isCased ?? false) && !(after?.properties.isCased ?? false)
    return isFinal ? "\u{3C2}" : "\u{3C3}"
  }
}

/// What Python's `str.is…` methods say.
extension SourcedText {
  private func all(_ holds: (Unicode.Scalar) -> Bool) -> Bool {
    !isEmpty && scalars.allSatisfy { holds($0.scalar) }
  }

  var isAlphabetic: Bool { all(\.isPythonLetter) }
  var isAlphanumeric: Bool { all { $0.isPythonLetter || $0.properties.numericType != nil } }
  var isDecimal: Bool { all { $0.properties.numericType == .decimal } }
  var isDigit: Bool { all { [.decimal, .digit].contains($0.properties.numericType) } }
  var isNumeric: Bool { all { $0.properties.numericType != nil } }
  var isSpace: Bool { all(\.isPythonSpace) }
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

  /// Whether scalars have a case, and it `holds` of all that have one.
  private func hasCase(_ holds: (Unicode.Scalar) -> Bool) -> Bool {
    var hasCase = false
    for (scalar, _) in scalars where scalar.properties.isCased {
      guard holds(scalar) else { return false }
      hasCase = true
    }
    return hasCase
  }

  var isLower: Bool {
    hasCase(\.properties.isLowercase)
  }

  var isUpper: Bool {
    hasCase(\.properties.isUppercase)
  }

  var isTitle: Bool {
    var (follows, hasCase) = (false, false)
    for (scalar, _) in scalars {
      let properties = scalar.properties
      let isHigh = properties.isUppercase || properties.generalCategory == .titlecaseLetter
      if isHigh, follows { return false }
      if properties.isLowercase, !follows { return false }
      follows = isHigh || properties.isLowercase
      hasCase = hasCase || follows
    }
    return hasCase
  }
}

extension Unicode.Scalar {
  fileprivate var isPythonLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }
}
