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

  private var files: [(path: String, set: Int)] = []
  private var examples: [ContentKey: Place] = [:]
  private var prompts: [ContentKey: Place] = [:]
  /// How many prompts of this set stand in an earlier one, by the number of the file there.
  private var sharedPrompts: [Int: (count: Int, place: Place, other: Int)] = [:]
  /// How many prompts of this set stand in it before, with another answer.
  private var disputed: (count: Int, place: Place, other: Place)?
  private var answers = DifferentAnswers()
  /// The keys to keep; nil for all.
  private let recurring: RecurringKeys?

  /// Examples of which `recurring` has noted all, where there are too many to keep the keys of each.
  init(_ recurring: RecurringKeys? = nil) { self.recurring = recurring }

  /// Goes on with the file at `path`, which is a part of the set of this number.
  mutating func start(_ path: String, of set: Int) {
    let isNew = files.last?.set != set
    files.append((path, set))
    guard isNew else { return }
    sharedPrompts = [:]
    (disputed, answers) = (nil, DifferentAnswers(ofAtMost: recurring?.examples[set] ?? .max))
  }

  /// Whether both files are of one set.
  private func areOfOneSet(_ one: Place, _ other: Place) -> Bool {
    files[one.file].set == files[other.file].set
  }

  /// A line of a file, which is named where it is not that of `here`.
  private func text(_ place: Place, from here: Place) -> String {
    "line \(place.line)" + (place.file == here.file ? "" : " of \(files[place.file].path)")
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
    let here = Place(file: files.count - 1, line: example.line)
    if let answer = keys.answer { answers.add(answer) }
    let place = Finding.Place(files[here.file].path, line: example.line, offset: example.offset)
    guard let first = examples[keys.example] else {
      if isKept(keys.example) { examples[keys.example] = here }
      return (opposed(example, here, at: place), notePrompt(keys, here))
    }
    let message = "The same example stands on \(text(first, from: here))."
    let isKnown = !areOfOneSet(first, here)
    return ([Finding(isKnown ? .leakedExample : .duplicate, at: place, message)], isKnown)
  }

  /// What an earlier pair says of the same answers.
  private func opposed(
    _ example: TrainingExample, _ here: Place, at place: Finding.Place
  ) -> [Finding] {
    guard let mirrored = example.mirrored, let first = examples[mirrored.key] else { return [] }
    return [
      Finding(
        .opposedPair, at: place,
        "The pair on \(text(first, from: here)) has the same answers the other way round.")
    ]
  }

  /// What the whole set shares with earlier ones.
  func finish() -> [Finding] {
    let leaked = sharedPrompts.sorted { $0.key < $1.key }.map { file, shared in
      Finding(
        .leakedPrompt, at: .init(files[shared.place.file].path, line: shared.place.line),
        "\(Figures.count(shared.count, "example")) \(shared.count == 1 ? "asks" : "ask") what stands in \(files[file].path) "
          + "with another answer, this one on line \(shared.other).")
    }
    guard let disputed, answers.areClasses else { return leaked }
    return leaked + [
      Finding(
        .disputedPrompt, at: .init(files[disputed.place.file].path, line: disputed.place.line),
        "\(Figures.count(disputed.count, "example")) \(disputed.count == 1 ? "asks" : "ask") what stands before "
          + "with another answer, this one on \(text(disputed.other, from: disputed.place)).")
    ]
  }

  /// Whether what is asked stands in an earlier file.
  private mutating func notePrompt(_ keys: Keys, _ here: Place) -> Bool {
    guard let key = keys.prompt else { return false }
    guard let first = prompts[key] else {
      if isKept(key) { prompts[key] = here }
      return false
    }
    guard !areOfOneSet(first, here) else {
      guard keys.answer != nil else { return false }
      let known = disputed ?? (0, here, first)
      disputed = (known.count + 1, known.place, known.other)
      return false
    }
    let known = sharedPrompts[first.file] ?? (0, here, first.line)
    sharedPrompts[first.file] = (known.count + 1, known.place, known.other)
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
  private var families: ExampleFamilies
  private var files: [(path: String, set: Int, start: Int)] = []

  /// As `ExampleFamilies.init(in:)`.
  init(in folder: String? = nil) { families = ExampleFamilies(in: folder) }

  /// Goes on with the file at `path`, which is a part of the set of this number.
  mutating func start(_ path: String, of set: Int) { files.append((path, set, families.count)) }

  /// Takes the next example.
  mutating func add(_ example: ExampleFamilies.Entry) throws(FileError) {
    try families.insert(example)
  }

  /// What each set shares with earlier ones.
  func findings() throws(FileError) -> [Finding] {
    let starts = files.indices.filter { $0 == 0 || files[$0 - 1].set != files[$0].set }
      .map { files[$0].start }
    guard starts.count > 1 else { return [] }
    let firsts = try families.texts.families()
    func path(_ example: Int) -> String { files.last { $0.start <= example }?.path ?? "" }
    var findings: [Finding] = []
    for (start, next) in zip(starts.dropFirst(), starts.dropFirst(2) + [firsts.count]) {
      let all = start..<next
      let count = all.count { firsts[$0] < start }
      guard let example = all.first(where: { firsts[$0] < start }) else { continue }
      let first = Int(firsts[example])
      let line = try families.line(of: first)
      findings.append(
        Finding(
          .leakedTemplate, at: .init(path(example), line: try families.line(of: example)),
          "\(Figures.grouped(count)) of \(Figures.count(all.count, "example")) "
            + "\(count == 1 ? "is" : "are") made like examples of "
            + "\(path(first)), this one like that on line \(line)."))
    }
    return findings
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
