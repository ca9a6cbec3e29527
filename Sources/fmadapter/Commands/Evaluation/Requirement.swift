import AdapterTraining
import SystemFiles

/// What a figure has to be, such as `exactMatch>=0.9`.
struct Requirement: Sendable, Equatable {
  /// How a figure has to stand to its bound.
  enum Relation: String, Sendable, CaseIterable {
    // The longer ones first: each begins like a shorter one.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
  }

  /// As it was typed.
  let text: String
  /// The measure, with `outside.` before it for the file outside the domain.
  let name: String
  let relation: Relation
  let bound: Double

  /// Nil for a text of another form; 90% is 0.9.
  init?(_ text: String) {
    for relation in Relation.allCases {
      guard let range = text.firstRange(of: relation.rawValue) else { continue }
      let number = text[range.upperBound...].filter { $0 != " " }
      let isPercent = number.hasSuffix("%")
      guard let bound = Double(isPercent ? String(number.dropLast()) : String(number)),
        bound.isFinite
      else { return nil }
      // Fields and tasks may have spaces in their names.
      name = text[..<range.lowerBound].trimmed
      (self.text, self.relation) = (text, relation)
      self.bound = isPercent ? bound / 100 : bound
      if name.isEmpty { return nil }
      return
    }
    return nil
  }

  /// Before a measure of the file outside the domain.
  static let outside = "outside."
  /// How much the loss outside the domain rose.
  static let forgotten = "forgotten"

  /// Whether there is such a measure at all.
  var isKnown: Bool {
    let plain = name.hasPrefix(Self.outside) ? String(name.dropFirst(Self.outside.count)) : name
    return name == Self.forgotten || Measure(plain) != nil
  }

  func holds(for value: Double) -> Bool {
    switch relation {
    case .atLeast: value >= bound
    case .atMost: value <= bound
    case .above: value > bound
    case .below: value < bound
    }
  }
}

extension Requirement {
  /// A figure with as many digits as show on which side of the bound it is.
  func shown(_ figure: Estimate) -> String {
    let text = EvaluationReport.text(figure)
    let short = text.prefix { $0 != " " }
    let isTrue = Double(short).map { holds(for: $0) == holds(for: figure.value) } ?? true
    return isTrue ? text : "\(figure.value)" + text.dropFirst(short.count)
  }
}

extension ValueType where Value == Requirement {
  static var requirement: Self {
    Self(
      placeholder: "requirement", expectation: "a measure and a bound, such as exactMatch>=0.9"
    ) { Requirement($0) }
  }
}
