import JSON
import SystemFiles

/// Whether the labels of a file tell right answers from wrong ones, as trl's unpaired preferences
/// do.
///
/// Labels of 0 and 1, as tables have them, may also be classes: they tell it where every label of
/// the file is a truth value.
struct FileLabels {
  private var areTruths: Bool?

  /// Whether `label` says that an answer is a right one; nil where it says something else.
  ///
  /// `others` are all labels of the file, asked for once at most.
  mutating func isRight(_ label: JSONValue, _ others: () -> Bool) -> Bool? {
    if let truth = label.truth { return truth }
    guard let isRight = label.isOne else { return nil }
    let areTruths = areTruths ?? others()
    self.areTruths = areTruths
    return areTruths ? isRight : nil
  }

  /// What LLaMA-Factory's `kto_tag` says, which is never a class.
  static func isRight(tag: JSONValue) -> Bool? { tag.truth ?? tag.isOne }

  /// Whether `object` has no label, or one that is a truth value or 0 or 1.
  static func fits(_ object: JSONObject) -> Bool {
    object.members.allSatisfy { member in
      member.key.lowercased() != "label" || member.value.saysNothing
        || member.value.truth != nil || member.value.isOne != nil
    }
  }

  /// Whether every line of `file` fits.
  static func fit(_ file: FileReader) -> Bool {
    var lines = LineReader(file, limit: DataSetReader.lineLimit)
    while let line = try? lines.next() {
      let document = try? JSONDocument(parsing: line.text, limit: .max)
      if let object = document?.root.object, !fits(object) { return false }
    }
    return true
  }
}
