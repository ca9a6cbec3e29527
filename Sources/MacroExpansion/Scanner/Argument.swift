/// One of the parts between commas in parentheses.
struct Argument: Equatable {
  /// The names before the colon; a parameter may have two.
  let labels: [String]
  /// What stands behind the label, up to a default value.
  let text: String
  let offset: Int
}

/// An attribute with what stands in its parentheses.
struct Attribute: Equatable {
  let name: String
  let offset: Int
  let arguments: [Argument]

  /// The attribute as a guide.
  ///
  /// - Throws: An argument that guides do not have.
  func guide() throws(Problem) -> GuideAttribute {
    for argument in arguments where !argument.labels.isEmpty && argument.labels != ["description"] {
      throw Problem(
        message: "@Guide has no argument '\(argument.labels[0])'", offset: argument.offset)
    }
    return GuideAttribute(
      offset: offset, description: arguments.first { !$0.labels.isEmpty }?.text,
      guides: arguments.filter { $0.labels.isEmpty })
  }
}

extension TokenCursor {
  /// Steps over an attribute; its name is the part behind the last period.
  mutating func takeAttribute() -> Attribute {
    let offset = offset
    take()
    var name = take()?.text ?? ""
    while take(if: ".") { name = take()?.text ?? "" }
    guard let token = next, token.isMark("("), !token.startsLine else {
      return Attribute(name: name, offset: offset, arguments: [])
    }
    return Attribute(name: name, offset: offset, arguments: takeArguments())
  }

  /// Steps over `(…)` and returns what stands between its commas; `angles` for types.
  mutating func takeArguments(angles: Bool = false) -> [Argument] {
    var arguments: [Argument] = []
    take()
    while let token = next, !token.isMark(")") {
      let labels = takeLabels()
      let value = takeText(angles: angles) {
        $0.isMark(",") || $0.isMark(")") || (angles && $0.isMark("="))
      }
      if take(if: "=") { _ = takeText { $0.isMark(",") || $0.isMark(")") } }
      if let value {
        arguments.append(Argument(labels: labels, text: value.text, offset: value.offset))
      }
      _ = take(if: ",")
    }
    take()
    return arguments
  }

  /// Steps over one or two names and a colon, if they are next.
  private mutating func takeLabels() -> [String] {
    var ahead = self
    var labels: [String] = []
    while labels.count < 2, let token = ahead.next, token.kind == .word {
      labels.append(token.text)
      ahead.take()
    }
    guard !labels.isEmpty, ahead.take(if: ":") else { return [] }
    self = ahead
    return labels
  }
}
