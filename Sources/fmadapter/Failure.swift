import AdapterStore
import AdapterTraining
import Adapters
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// An error as the user meets it: a sentence, what there is to know besides, and an exit code.
struct Failure: Error {
  let code: ExitCode
  var text: ErrorText
  /// One of the kinds of the code.
  private(set) var kind: String
  /// Lines below the text.
  var details: [Line] = []
  /// Where to read on.
  var hint: String?
  /// What was found, for programs.
  var findings: JSONValue?
  /// What there is to choose from, for programs.
  var choices: JSONValue?

  init(_ code: ExitCode, _ text: ErrorText) {
    (self.code, kind) = (code, "\(code)")
    // Some are put together from what the user typed.
    self.text = text.inCommand.map { WebAddress.shown(in: $0) }
  }

  /// What a failure is called when an answer ended before it was whole.
  static let cutKind = "cut"

  /// An answer that had not enough room to be whole.
  static func cut(_ text: ErrorText) -> Failure {
    var failure = Failure(.unexpected, text)
    failure.kind = cutKind
    return failure
  }

  /// The system gives no more memory, as under 'ulimit -v'.
  static func noMemory(_ bytes: Int, _ moment: String) -> Failure {
    Failure(
      .storage,
      "Too little memory: \(Figures.size(bytes)) more are needed \(moment)"
        + "\(remedy: "take a smaller base or a shorter context, end some programs, or raise the limit, for one with 'ulimit -v unlimited'")"
    )
  }

  /// The failure as `--json` prints it.
  var json: JSONValue {
    var object: JSONObject = [
      "code": .integer(Int(code.rawValue)), "kind": .string(kind),
      "message": .string(text.problem),
    ]
    object["remedy"] = (text.remedy ?? hint).map(JSONValue.string)
    object["findings"] = findings
    object["choices"] = choices
    return .object(object)
  }

  func report(_ terminal: Terminal) -> ExitCode {
    terminal.error(self)
    return code
  }
}

extension Failure {
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as UsageError: self.init(error)
    case AdapterError.refused(let report): self.init(report)
    case AdapterError.invalidMetadata(let file, let findings):
      self.init(.invalid, "\(file): not the metadata of an adapter")
      details = findings.map { "  \($0.inCommand)" }
      self.findings = .array(findings.map(\.inCommand.json))
    case let error as StoreError: self.init(error)
    case DataSetError.refused(let report): self.init(report)
    case EvaluationError.data(let error): self.init(error)
    case EvaluationError.loss(let error): self.init(error)
    case TrainingError.package(let error): self.init(error)
    case InterchangeError.package(let error): self.init(error)
    case let error as SuffixDefect:
      self.init(
        .invalid,
        "the suffix store cannot be made: \(error.text.problem)"
          + "\(remedy: "give data with answers, or another --limit")")
    case is CancellationError: self.init(.interrupted, "interrupted")
    default: self.init(ExitCode(error), "\(error)")
    }
  }

  /// What the store could not do; what there is to choose from is for programs, too.
  private init(_ error: StoreError) {
    if let report = error.report {
      self.init(report)
    } else if case .several(let kind, let choices)? = error.hubFault {
      self.init(.usage, "\(error)")
      let list = HubChoiceList(kind: kind, choices: choices, memory: MachineMemory.current)
      details = list.lines
      self.choices = list.json
    } else if error.code == .notInCatalogs {
      self.init(error.subject, known: error.choices)
    } else {
      let remedy = Bundled.remedy(for: error)
      self.init(
        ExitCode(error),
        remedy.map { "\(error.text.problem)\(remedy: $0)" } ?? "\(error)")
      guard [.noAdapter, .noBase, .ambiguous].contains(error.code) else { return }
      choices = error.choices.isEmpty ? nil : .texts(error.choices)
    }
  }

  /// A command line that cannot be understood, and where to read on.
  init(_ error: UsageError) {
    self.init(.usage, error.text)
    details = [Line(error.hint)]
    hint = error.hint
  }

  /// A package that may not be used, with all that was found.
  init(_ report: CheckReport) {
    self.init(report.exitCode, "\(report.verdict.joined(separator: ", "))")
    details = [""] + report.lines(columns: 80).dropLast()
    findings = .array(report.told.map(\.json))
  }

  /// A data set that cannot be used, with all that was found.
  init(_ report: DataReport) {
    self.init(.invalid, "the data set has errors")
    details = [""] + report.lines(columns: 80)
    findings = .array(report.told.map(\.json))
  }

  /// A name that no catalog has, with what was probably meant.
  private init(_ name: String, known: [String]) {
    let names = known + (Bundled.current == nil ? [] : Bundled.adapterNames)
    let nearest = name.contains("@") ? nil : Suggestion.nearest(to: name, among: names)
    self.init(
      .notFound,
      nearest.map {
        "no catalog has an adapter '\(name)'\(remedy: "did you mean '\($0)'?")"
      } ?? "\(StoreError.notInCatalogs(name, known: known))")
  }
}
