import AdapterTraining
import Adapters

/// A finding as a paragraph: severity, rule and place, then what is wrong and what to do.
struct FindingText {
  let severity: Finding.Severity
  let rule: String
  let place: String
  let message: String
  let remedy: String

  /// The lines, and an empty one; `columns` bounds running text.
  func lines(columns: Int, style: TextStyle) -> [String] {
    head(columns, style) + Self.indented(message, columns)
      + Self.indented("Remedy: " + remedy, columns) + [""]
  }

  /// Severity and rule, and the place beside them or below.
  private func head(_ columns: Int, _ style: TextStyle) -> [String] {
    let name = style.severity(severity) + "  " + rule
    let place = place.printable
    let width = 9 + rule.cellWidth + 4 + place.cellWidth
    return width <= columns
      ? [name + "  (\(place))"] : [name] + Self.indented("in " + place, columns)
  }

  private static func indented(_ text: String, _ columns: Int) -> [String] {
    TextLayout.wrap(text.printable, columns: columns - 4).map { "    " + $0 }
  }
}

extension FindingText {
  init(_ finding: Finding) {
    self.init(
      severity: finding.severity, rule: finding.rule, place: finding.place.description,
      message: finding.message, remedy: finding.remedy)
  }

  init(_ finding: DataFinding) {
    self.init(
      severity: finding.severity, rule: finding.rule.rawValue, place: finding.place.description,
      message: finding.message, remedy: finding.remedy)
  }
}

extension TextStyle {
  fileprivate func severity(_ severity: Finding.Severity) -> String {
    let text = TextLayout.pad(severity.rawValue, 7)
    switch severity {
    case .error: return red(text)
    case .warning: return yellow(text)
    case .note: return dim(text)
    }
  }
}
