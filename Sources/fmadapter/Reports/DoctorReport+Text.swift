import AdapterStore

extension DoctorReport {
  /// Facts, then one paragraph for each finding.
  func lines(columns: Int, style: TextStyle) -> [String] {
    var list = FactList()
    for fact in facts { list.add(fact.name, fact.value) }
    return list.lines(columns: columns)
      + findings.flatMap { finding in
        [""] + finding.lines(columns: columns, style: style)
      }
  }

  /// The whole in a sentence.
  var verdict: String {
    let fixed = findings.count - open.count
    let mended = fixed == 0 ? "" : "; fixed \(fixed)"
    let errors = open.count { $0.severity == .error }
    guard !open.isEmpty else { return "all is well" + mended }
    let fixable = open.contains(where: \.canFix) && fixed == 0
    return Self.count(errors, "error") + ", " + Self.count(open.count - errors, "warning") + mended
      + (fixable ? "; 'fmadapter doctor --fix' can mend some of it" : "")
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
  }
}

extension DoctorFinding {
  /// Severity, rule and place, then what is wrong and what to do.
  func lines(columns: Int, style: TextStyle) -> [String] {
    let word: String =
      switch (state, severity) {
      case (.fixed, _): style.green("fixed  ")
      case (.open, .error): style.red("error  ")
      case (.open, .warning): style.yellow("warning")
      }
    var texts = [message, remedy]
    if let outcome { texts.append(outcome) }
    if let reason { texts.append("It could not be mended: \(reason).") }
    let body = texts.map(\.printable).flatMap { TextLayout.wrap($0, columns: columns - 2) }
    return ["\(word)  \(rule)  \(place.printable)"] + body.map { "  " + $0 }
  }
}
