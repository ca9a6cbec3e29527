import JSON
import SystemFiles

/// Tokens that were added to a vocabulary: those in `tokenizer.json`, in `tokenizer_config.json`, and beside older tokenizers in
/// `added_tokens.json`.
struct AddedTokens {
  struct AddedToken {
    let id: Int
    let text: String
    /// Whether it is a mark, which text of a user must not set.
    let isControl: Bool
    /// Whether it takes the white space before it, or after it along.
    var stripsLeft = false
    var stripsRight = false
    /// Whether it is none within a word.
    var isSingleWord = false
    /// Whether it is looked for in what a text becomes, not in the text.
    var isNormalized = false
  }

  private(set) var tokens: [AddedToken] = []
  private var ids: Set<Int> = []

  /// Of tokens with one number, the first file that has it counts.
  ///
  /// - Throws: `BaseModelError.base` for an `added_tokens.json` that is no list of numbers.
  init(
    _ folder: String, _ json: CheckpointSettings?, _ configuration: CheckpointSettings?,
    _ named: NamedTokens
  ) throws(BaseModelError) {
    let entries =
      json?.value("added_tokens")?.array?.compactMap { entry in
        entry.object.flatMap { object in object["id"]?.integer.map { ($0, object) } }
      } ?? []
    let later = configuration?.part("added_tokens_decoder")?.object.members.compactMap { member in
      Int(member.key).flatMap { id in member.value.object.map { (id, $0) } }
    }
    for (id, object) in entries + (later ?? []) { append(id, object) }
    try appendOlder(FilePath.join(folder, "added_tokens.json"), named)
    appendNamed(json, named)
  }

  /// The number of the token with this text.
  func id(of text: String) -> Int? { tokens.first { $0.text == text }?.id }

  private mutating func append(_ token: AddedToken) {
    if ids.insert(token.id).inserted { tokens.append(token) }
  }

  private mutating func append(_ id: Int, _ object: JSONObject) {
    guard let text = object["content"]?.string else { return }
    append(
      AddedToken(
        id: id, text: text,
        isControl: object["special"] == .bool(true) || Self.looksSpecial(text),
        stripsLeft: object["lstrip"] == .bool(true), stripsRight: object["rstrip"] == .bool(true),
        isSingleWord: object["single_word"] == .bool(true),
        isNormalized: object["normalized"] == .bool(true)))
  }

  /// Texts with their numbers: marks are those that have a name.
  private mutating func appendOlder(
    _ path: String, _ named: NamedTokens
  ) throws(BaseModelError) {
    guard let file = try CheckpointSettings.ifPresent(path, limit: 8 << 20) else { return }
    let marks = named.all
    for member in file.object.members {
      guard let id = member.value.integer, id >= 0 else {
        throw file.bad(member.key, "is not the number of a token")
      }
      let isControl = marks.contains(member.key) || Self.looksSpecial(member.key)
      append(AddedToken(id: id, text: member.key, isControl: isControl))
    }
  }

  /// Tokens with a name are marks, also where they are plain pieces of the vocabulary.
  private mutating func appendNamed(_ json: CheckpointSettings?, _ named: NamedTokens) {
    guard let vocabulary = json?.part("model")?.part("vocab")?.object else { return }
    let marks = named.all.subtracting(tokens.map(\.text))
    for member in vocabulary.members where marks.contains(member.key) {
      guard let id = member.value.integer else { continue }
      append(AddedToken(id: id, text: member.key, isControl: true))
    }
  }

  /// Marks that some models call ordinary; the list is that of llama.cpp's converter.
  private static func looksSpecial(_ text: String) -> Bool {
    ["<pad>", "<mask>", "<2mass>", "[@BOS@]"].contains(text)
      || [("<|", "|>"), ("<｜", "｜>"), ("<unused", ">")].contains {
        text.hasPrefix($0) && text.hasSuffix($1)
      }
  }
}

/// The tokens that have a name in a folder, such as `eos_token`, by their texts.
struct NamedTokens {
  private let files: [CheckpointSettings]

  private static let names = ["bos", "eos", "unk", "sep", "pad", "cls", "mask"]

  /// As transformers: `special_tokens_map.json` goes before `tokenizer_config.json` where that is so old that it does not list
  /// the added tokens.
  init(
    _ folder: String, _ configuration: CheckpointSettings?
  ) throws(BaseModelError) {
    let map = try CheckpointSettings.ifPresent(FilePath.join(folder, "special_tokens_map.json"))
    let isOld = configuration?.has("added_tokens_decoder") != true
    files = (isOld ? [map, configuration] : [configuration, map]).compactMap(\.self)
  }

  /// The text of the token `name`.
  subscript(name: String) -> String? {
    files.lazy.compactMap { Self.text($0.value(name + "_token")) }.first
  }

  /// All of them, and those that are special without a name.
  var all: Set<String> {
    let others = files.flatMap { file in
      ["additional_special_tokens", "extra_special_tokens"].flatMap { key in
        file.value(key)?.array?.compactMap(Self.text) ?? []
      }
    }
    return Set(Self.names.compactMap { self[$0] } + others)
  }

  private static func text(_ entry: JSONValue?) -> String? {
    entry?.string ?? entry?.object?["content"]?.string
  }
}
