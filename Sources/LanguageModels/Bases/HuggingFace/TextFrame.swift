import JSON

/// The tokens that stand around every text, as a folder says.
struct TextFrame {
  /// In front; nil is none.
  private(set) var first: Int?
  /// Behind.
  private(set) var last: Int?

  /// What the steps behind the merging of a `tokenizer.json` put around a text; without such steps nothing.
  ///
  /// They go before what `tokenizer_config.json` says of begin and end, as in transformers.
  ///
  /// - Throws: `BaseModelError.base` for more than one token at an end, of which a base has no place.
  init(_ json: CheckpointSettings) throws(BaseModelError) {
    var (front, behind): ([Int], [Int]) = ([], [])
    for step in json.steps("post_processor", "processors") {
      switch step["type"]?.string {
      case "TemplateProcessing":
        let parts = step["single"]?.array ?? []
        let text = parts.firstIndex { $0.object?["Sequence"] != nil } ?? parts.endIndex
        front += parts[..<text].flatMap { Self.ids($0, step) }
        behind += parts[text...].flatMap { Self.ids($0, step) }
      case "BertProcessing", "RobertaProcessing":
        front += [step["cls"]?.array?.last?.integer].compactMap(\.self)
        behind += [step["sep"]?.array?.last?.integer].compactMap(\.self)
      default: break
      }
    }
    for (place, tokens) in [("in front of", front), ("behind", behind)] where tokens.count > 1 {
      throw .base(
        .unsupportedTokenizer(
          feature: "\(tokens.count) tokens \(place) every text (post_processor)"),
        file: json.path)
    }
    (first, last) = (front.first, behind.first)
  }

  /// The tokens that a part of a template is; none for a text's place.
  private static func ids(_ part: JSONValue, _ step: JSONObject) -> [Int] {
    guard let name = part.object?["SpecialToken"]?.object?["id"]?.string else { return [] }
    let ids = step["special_tokens"]?.object?[name]?.object?["ids"]?.array
    return ids?.compactMap(\.integer) ?? []
  }
}
