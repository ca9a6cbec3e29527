import Adapters
import ChatTemplates
import JSON
import SystemFiles

/// Notices examples that stand twice, in one file or in several.
struct RepeatedExamples {
  private struct Place {
    let file: Int
    let line: Int
  }

  private var paths: [String] = []
  private var examples: [ContentKey: Place] = [:]
  private var prompts: [ContentKey: Place] = [:]
  /// How many prompts of this file stand in an earlier one, by the number of that file.
  private var sharedPrompts: [Int: (count: Int, line: Int, other: Int)] = [:]
  /// How many prompts of this file stand in it before, with another answer.
  private var disputed: (count: Int, line: Int, other: Int)?
  private var answers = DifferentAnswers()
  /// The keys to keep; nil for all.
  private let recurring: RecurringKeys?

  /// Examples of which `recurring` has noted all, where there are too many to keep the keys of each.
  init(_ recurring: RecurringKeys? = nil) { self.recurring = recurring }

  /// Goes on with the file at `path`.
  mutating func start(_ path: String) {
    let examples = recurring?.examples[paths.count]
    paths.append(path)
    sharedPrompts = [:]
    (disputed, answers) = (nil, DifferentAnswers(ofAtMost: examples ?? .max))
  }

  private func isKept(_ key: ContentKey) -> Bool { recurring?.mayRecur(key) ?? true }

  /// What examples are known again by.
  struct Keys: Sendable {
    let example: ContentKey
    /// Nil for a text.
    let prompt: ContentKey?
    /// Nil where there is no single text.
    let answer: ContentKey?

    init(_ example: TrainingExample) {
      self.init(
        example: example.key, prompt: example.promptKey, answer: example.answerKey)
    }

    init(example: ContentKey, prompt: ContentKey? = nil, answer: ContentKey? = nil) {
      (self.example, self.prompt, self.answer) = (example, prompt, answer)
    }
  }

  /// What the example repeats, and whether it, or what it asks, stands in an earlier file.
  mutating func findings(
    _ example: TrainingExample, _ keys: Keys
  ) -> (findings: [Finding], isKnown: Bool) {
    let here = Place(file: paths.count - 1, line: example.line)
    if let answer = keys.answer { answers.add(answer) }
    let place = Finding.Place(paths[here.file], line: example.line, offset: example.offset)
    guard let first = examples[keys.example] else {
      if isKept(keys.example) { examples[keys.example] = here }
      return (opposed(example, at: place), notePrompt(keys, here))
    }
    if first.file == here.file {
      return (
        [Finding(.duplicate, at: place, "The same example stands on line \(first.line).")], false
      )
    }
    let leak = Finding(
      .leakedExample, at: place,
      "The same example stands on line \(first.line) of \(paths[first.file]).")
    return ([leak], true)
  }

  /// What an earlier pair says of the same answers.
  private func opposed(_ example: TrainingExample, at place: Finding.Place) -> [Finding] {
    guard let mirrored = example.mirrored, let first = examples[mirrored.key] else { return [] }
    let file = first.file + 1 == paths.count ? "" : " of \(paths[first.file])"
    return [
      Finding(
        .opposedPair, at: place,
        "The pair on line \(first.line)\(file) has the same answers the other way round.")
    ]
  }

  /// What the whole file shares with earlier ones.
  func finish() -> [Finding] {
    let path = paths[paths.count - 1]
    let leaked = sharedPrompts.sorted { $0.key < $1.key }.map { file, shared in
      Finding(
        .leakedPrompt, at: .init(path, line: shared.line),
        "\(Figures.count(shared.count, "example")) \(shared.count == 1 ? "asks" : "ask") what stands in \(paths[file]) "
          + "with another answer, this one on line \(shared.other).")
    }
    guard let disputed, answers.areClasses else { return leaked }
    return leaked + [
      Finding(
        .disputedPrompt, at: .init(path, line: disputed.line),
        "\(Figures.count(disputed.count, "example")) \(disputed.count == 1 ? "asks" : "ask") what stands before "
          + "with another answer, this one on line \(disputed.other).")
    ]
  }

  /// Whether what is asked stands in an earlier file.
  private mutating func notePrompt(_ keys: Keys, _ here: Place) -> Bool {
    guard let key = keys.prompt else { return false }
    guard let first = prompts[key] else {
      if isKept(key) { prompts[key] = here }
      return false
    }
    guard first.file != here.file else {
      guard keys.answer != nil else { return false }
      let known = disputed ?? (0, here.line, first.line)
      disputed = (known.count + 1, known.line, known.other)
      return false
    }
    let known = sharedPrompts[first.file] ?? (0, here.line, first.line)
    sharedPrompts[first.file] = (known.count + 1, known.line, known.other)
    return true
  }
}

/// How many answers of a file differ, for as long as they may be the names of classes.
private struct DifferentAnswers {
  /// Halves of their keys.
  private var different: Set<UInt64> = []
  private var count = 0
  private var mayBeClasses = true
  private let most: Int

  init(ofAtMost examples: Int = .max) { most = examples }

  mutating func add(_ answer: ContentKey) {
    count += 1
    guard mayBeClasses else { return }
    different.insert(answer.low)
    // Too many for classes of all examples are too many for any part of them.
    guard different.count > ExampleFamilies.mostClasses(of: most) else { return }
    (mayBeClasses, different) = (false, [])
  }

  var areClasses: Bool {
    mayBeClasses && ExampleFamilies.areClasses(different.count, of: count)
  }
}

/// Notices examples that are made like those of an earlier file.
struct SharedTemplates {
  private var families = ExampleFamilies()
  private var files: [(path: String, start: Int)] = []
  private var lines: [Int32] = []

  /// Takes the next example of the file at `path`.
  mutating func add(_ example: TrainingExample, key: ContentKey, in path: String) {
    if files.last?.path != path { files.append((path, families.count)) }
    families.add(example, key: key)
    lines.append(Int32(clamping: example.line))
  }

  /// What each file shares with earlier ones.
  func findings() -> [Finding] {
    guard files.count > 1 else { return [] }
    let firsts = families.families()
    return files.indices.dropFirst().compactMap { file in
      let end = file + 1 < files.count ? files[file + 1].start : firsts.count
      let start = files[file].start
      let shared = (start..<end).filter { firsts[$0] < start }
      guard let example = shared.first,
        let other = files.last(where: { $0.start <= firsts[example] })
      else { return nil }
      let verb = shared.count == 1 ? "is" : "are"
      return Finding(
        .leakedTemplate, at: .init(files[file].path, line: Int(lines[example])),
        "\(Figures.grouped(shared.count)) of \(Figures.count(end - start, "example")) \(verb) made like examples of "
          + "\(other.path), this one like that on line \(lines[firsts[example]]).")
    }
  }
}

/// Notices where the examples of a file are not written alike.
struct UniformExamples {
  /// Where examples of one form stand.
  private struct Places {
    let form: ExampleForm
    let first: Finding.Place
    var lines: [Int] = []
    var count = 0
  }

  let path: String
  /// The forms in the order in which they came.
  private var forms: [Places] = []
  private var instructed: (value: Bool, line: Int)?
  private var hasMixedInstructions = false

  /// Lines of a form that are named, at most.
  private static let namedLines = 5

  init(path: String) { self.path = path }

  /// What the example shows that earlier ones did not; each rule is reported once a file.
  mutating func findings(_ example: TrainingExample) -> [Finding] {
    let place = Finding.Place(path, line: example.line, offset: example.offset)
    note(example, at: place)
    guard let first = example.messages.first else { return [] }
    let has = first.role == .system
    defer { instructed = instructed ?? (has, example.line) }
    guard let instructed, instructed.value != has, !hasMixedInstructions else { return [] }
    hasMixedInstructions = true
    return [
      Finding(
        .mixedInstructions, at: place,
        "The example has \(has ? "a" : "no") system message, that on line \(instructed.line) "
          + "has \(has ? "none" : "one").")
    ]
  }

  private mutating func note(_ example: TrainingExample, at place: Finding.Place) {
    let known = forms.firstIndex { $0.form == example.form }
    let index = known ?? forms.count
    if known == nil { forms.append(Places(form: example.form, first: place)) }
    forms[index].count += 1
    if forms[index].lines.count < Self.namedLines { forms[index].lines.append(example.line) }
  }

  /// What only shows at the end of the file: which lines are of which form, where there are several.
  func finish() -> [Finding] {
    guard forms.count > 1 else { return [] }
    let places = forms.map { places in
      let lines = places.lines.map(Figures.grouped).joined(separator: ", ")
      let rest = places.count - places.lines.count
      return "'\(places.form.rawValue)' on line\(places.count == 1 ? "" : "s") \(lines)"
        + (rest > 0 ? " and \(Figures.grouped(rest)) more" : "")
    }
    return [
      Finding(
        .mixedForms, at: forms[1].first,
        "The examples are of several forms: \(places.joined(separator: "; ")).")
    ]
  }
}
