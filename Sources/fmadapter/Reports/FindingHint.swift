import AdapterStore
import Adapters

/// What checks and examinations find, in the words of the command.
enum FindingHint {
  typealias Phrase = (library: String, command: String)

  /// Words of the libraries and those of the command, by the rule or by what stands before its dot.
  static let phrases: [String: [Phrase]] = [
    "suffixes": [
      ("build it anew", "build it anew with 'fmadapter draft build'"),
      ("the file anew", "the file anew with 'fmadapter draft build'"),
    ],
    "file.empty": [
      ("convert its records from CSV", "its records as CSV to 'fmadapter data convert'"),
      ("by converting it.", "with 'fmadapter data convert'."),
      ("by converting it from its encoding", "with 'fmadapter data convert --encoding NAME'"),
    ],
    "file.byte-order-mark": [conversion], "line.json": [conversion],
    "line.utf8": [
      (
        ", or convert it from its encoding",
        "; 'fmadapter data convert --encoding NAME' reads others"
      )
    ],
    "example.form": [
      conversion,
      (
        "is a list of examples.",
        "is a list of examples; 'fmadapter data convert' writes each on a line."
      ),
    ],
    "example.not-to-learn": [conversion], "message.shape": [conversion],
    "message.role": [conversion], "message.content": [conversion],
    "message.tool-marks": [conversion], "pair.missing": [conversion],
    "example.leaked": [split], "template.leaked": [split],
    "answer.end": [("has one for", "has one for with --chat-format")],
    "record.form": [("leave it out", "leave it out with 'fmadapter data convert --skip'")],
    "disk.full": [
      ("some space.", "some space; 'fmadapter prune' removes what is of no more use.")
    ],
    "filesystem.permissions": [("a verification", "'fmadapter verify'")],
    "catalogs.unreadable": [("again.", "again with 'fmadapter catalog add'.")],
    "current.invalid": [("a base", "a base with 'fmadapter base use NAME'")],
    "current.missing": [("Choose one", "Choose one with 'fmadapter base use NAME'")],
    "orphan": [("Remove it", "Remove it with 'fmadapter prune'")],
    "base.unusable": [("Remove it", "Remove it with 'fmadapter base remove'")],
    "base.unreadable": [("again.", "again; 'fmadapter doctor' says more.")],
    "entry.permissions": [
      (
        "Check the permissions.",
        "Check the permissions; 'fmadapter doctor --fix' gives its owner the needed ones."
      )
    ],
    "receipt.missing": [
      (
        " again.",
        " again; 'fmadapter doctor --fix' writes the receipt anew where something still vouches "
          + "for the bytes, and moves them to lost+found where nothing does."
      )
    ],
    "entry.damaged": [
      (
        "Compile it again; a repair",
        "Run 'fmadapter compile' again; 'fmadapter verify --repair'"
      ),
      ("Mend it,", "Mend it with 'fmadapter verify --repair',"),
    ],
    "adapter.obsolete": [("the adapter.", "the adapter with 'fmadapter prune'.")],
  ]

  private static let conversion: Phrase = ("a conversion", "'fmadapter data convert'")
  private static let split: Phrase = ("a split", "fmadapter data split")

  /// What a library says under the name of `rule`.
  static func words(_ text: String, _ rule: String) -> String {
    let family = String(rule.prefix { $0 != "." })
    let known = phrases[rule] ?? phrases[family] ?? []
    return known.reduce(text) { $0.replacing($1.library, with: $1.command) }
  }
}

extension Finding {
  /// The finding as the command says it.
  var inCommand: Finding {
    Finding(
      rule, severity, category, at: place, FindingHint.words(message, rule),
      remedy: FindingHint.words(remedy, rule))
  }
}

extension DoctorFinding {
  /// What to do, as the command says it.
  var stepInCommand: String { FindingHint.words(remedy, rule) }
}

extension StoreProblem {
  /// What to do, as the command says it.
  var stepInCommand: String { FindingHint.words(remedy, rule) }
}

extension Damage {
  /// The file and what is wrong with it, and what there is for that.
  var inCommand: String {
    kind == .denied
      ? "\(self); 'fmadapter doctor --fix' gives its owner the permissions back" : "\(self)"
  }
}
