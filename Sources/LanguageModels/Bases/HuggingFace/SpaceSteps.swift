import JSON
import TensorFiles
import Tokenization

/// What is done to spaces before SentencePiece's pieces are merged.
struct SpaceSteps: Equatable {
  /// Where a space is put in front.
  enum Prefix { case none, start, everyPart }

  var prefix: Prefix
  /// Whether text that begins with a space gets none.
  var sparesSpace = false
  /// Whether each space begins a piece.
  var splits = false

  /// Those of llama.cpp's keys alone.
  init(prefixes: Bool) { prefix = prefixes ? .everyPart : .none }

  /// Those that transformers has for a model file alone, in a folder with these settings.
  init(_ model: SentencePieceModel, _ configuration: CheckpointSettings?) {
    self.init(prefixes: model.addsDummyPrefix)
    guard prefix != .none, configuration?.bool("legacy") == false else { return }
    (prefix, sparesSpace) = (.start, true)
  }

  /// Those of a `tokenizer.json`; all other steps before merging have to be SentencePiece's.
  ///
  /// - Throws: `BaseModelError.base` for a step of another kind.
  init(_ json: CheckpointSettings) throws(BaseModelError) {
    func refuse(_ feature: String) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: json.path)
    }
    prefix = .none
    var escapes = false
    let steps =
      json.steps("normalizer", "normalizers") + json.steps("pre_tokenizer", "pretokenizers")
    for step in steps {
      switch (step["type"]?.string, step["pattern"]?.object?["String"]?.string) {
      case ("Prepend"?, _) where step["prepend"]?.string == "\u{2581}": prefix = .everyPart
      case ("Replace"?, " "?) where step["content"]?.string == "\u{2581}": escapes = true
      // No space is left to split at.
      case ("Split"?, " "?) where escapes && step["invert"] != .bool(true): break
      case ("Metaspace"?, _) where step["replacement"]?.string ?? "\u{2581}" == "\u{2581}":
        escapes = true
        guard apply(metaspace: step) else {
          let scheme = step["prepend_scheme"]?.string ?? ""
          throw refuse("Metaspace with the prepend_scheme “\(scheme)”")
        }
      case (let type, _): throw refuse("the step \(type ?? "nothing") before merging")
      }
    }
    guard escapes else { throw refuse("no sign for spaces") }
  }

  /// Takes a step of type Metaspace, behind what puts a space in front itself or not; false for an unknown scheme.
  private mutating func apply(metaspace step: JSONObject) -> Bool {
    splits = step["split"] != .bool(false)
    guard prefix == .none else { return true }
    let isOff = step["add_prefix_space"] == .bool(false)
    switch step["prepend_scheme"]?.string ?? (isOff ? "never" : "always") {
    case "always": (prefix, sparesSpace) = (.everyPart, true)
    case "first": (prefix, sparesSpace) = (.start, true)
    case "never": break
    default: return false
    }
    return true
  }

  func set(on head: inout GGUFWriter) {
    head.set("tokenizer.ggml.add_space_prefix", .bool(prefix != .none))
    for (key, value) in [
      (OwnKeys.prefixesStartOnly, prefix == .start),
      (OwnKeys.sparesPrefix, prefix != .none && sparesSpace), (OwnKeys.splitsAtSpaces, splits),
    ] where value {
      head.set(key, .bool(true))
    }
  }
}

extension CheckpointSettings {
  /// The steps of a `part` of a `tokenizer.json`, which has several in a `list`, or is the only one.
  func steps(_ part: String, _ list: String) -> [JSONObject] {
    guard let step = self.part(part)?.object else { return [] }
    return step[list]?.array?.compactMap(\.object) ?? [step]
  }
}
