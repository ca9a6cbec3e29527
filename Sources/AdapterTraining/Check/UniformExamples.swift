import ChatTemplates

/// Notices where the examples of a file are not written alike.
struct UniformExamples {
  let path: String
  private var form: (value: ExampleForm, line: Int)?
  private var instructed: (value: Bool, line: Int)?
  private var hasMixedForms = false
  private var hasMixedInstructions = false

  init(path: String) { self.path = path }

  /// What the example shows that earlier ones did not; each rule is reported once a file.
  mutating func findings(_ example: TrainingExample) -> [DataFinding] {
    let place = DataFinding.Place(path, line: example.line, offset: example.offset)
    var found: [DataFinding] = []
    if let form, form.value != example.form, !hasMixedForms {
      hasMixedForms = true
      found.append(
        DataFinding(
          .mixedForms, at: place,
          "The example is of the form '\(example.form.rawValue)', that on line \(form.line) of '\(form.value.rawValue)'."
        ))
    }
    form = form ?? (example.form, example.line)
    guard let first = example.messages.first else { return found }
    let has = first.role == .system
    if let instructed, instructed.value != has, !hasMixedInstructions {
      hasMixedInstructions = true
      found.append(
        DataFinding(
          .mixedInstructions, at: place,
          "The example has \(has ? "a" : "no") system message, that on line \(instructed.line) "
            + "has \(has ? "none" : "one")."))
    }
    instructed = instructed ?? (has, example.line)
    return found
  }
}
