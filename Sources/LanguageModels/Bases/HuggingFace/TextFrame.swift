import Adapters

/// The tokens that stand around every text, as a folder says.
struct TextFrame {
  /// In front; nil is none.
  private(set) var first: Int?
  /// Behind.
  private(set) var last: Int?

  /// What the steps behind the merging of a `tokenizer.json` put around a text; without such steps nothing.
  ///
  /// They go before what `tokenizer_config.json` says of begin and end, as in transformers.
  init(_ json: CheckpointSettings) {
    for step in json.steps("post_processor", "processors") {
      switch step["type"]?.string {
      case "TemplateProcessing":
        let parts = step["single"]?.array ?? []
        first = Self.id(parts.first, step)
        last = Self.id(parts.last, step)
      case "BertProcessing", "RobertaProcessing":
        first = step["cls"]?.array?.last?.integer
        last = step["sep"]?.array?.last?.integer
      default: break
      }
    }
  }

  /// The token that a part of a template is; nil for a text's place.
  private static func id(_ part: JSONValue?, _ step: JSONObject) -> Int? {
    guard let name = part?.object?["SpecialToken"]?.object?["id"]?.string else { return nil }
    let ids = step["special_tokens"]?.object?[name]?.object?["ids"]?.array
    return ids?.count == 1 ? ids?.first?.integer : nil
  }
}
