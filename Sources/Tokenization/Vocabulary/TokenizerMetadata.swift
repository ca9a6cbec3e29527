import SystemFiles
import TensorFiles

/// Keys of this program's own, for what a `tokenizer.json` says and no key of llama.cpp can.
package enum OwnKeys {
  /// Further tokens that end an answer, as a list.
  package static let ends = "tokenizer.fmadapter.eos_token_ids"
  /// Tokens that take the white space before them along, as a list.
  package static let stripsLeft = "tokenizer.fmadapter.lstrip_token_ids"
  /// Tokens that take the white space after them along, as a list.
  package static let stripsRight = "tokenizer.fmadapter.rstrip_token_ids"
  /// Whether byte-level tokenizers compose characters first.
  package static let composes = "tokenizer.fmadapter.nfc"
  /// Whether byte-level pieces that are in the vocabulary are taken whole, where that is not as usual.
  package static let ignoresMerges = "tokenizer.fmadapter.ignore_merges"
  /// Whether a space is put in front of the start of a text alone, not of what follows a special token.
  package static let prefixesStartOnly = "tokenizer.fmadapter.space_prefix_start_only"
  /// Whether none is put in front of text that begins with one.
  package static let sparesPrefix = "tokenizer.fmadapter.space_prefix_unless_space"
  /// Whether each space begins a piece.
  package static let splitsAtSpaces = "tokenizer.fmadapter.split_spaces"

  /// Whether a model's name alone makes its special tokens take white space along, as in llama.cpp, where neither list is there.
  package static func isPhi3(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.contains("phi-3") || name.contains("phi3")
  }
}

/// The metadata of a file, with errors as this module throws them.
struct TokenizerMetadata {
  private let metadata: GGUFMetadata
  private let file: String

  /// `file` is its name in errors.
  init(_ metadata: GGUFMetadata, file: String) {
    self.metadata = metadata
    self.file = file
  }

  func string(_ key: String) throws(TokenizerError) -> String? {
    try read(GGUFMetadata.string, key)
  }
  func integer(_ key: String) throws(TokenizerError) -> Int? { try read(GGUFMetadata.integer, key) }
  func bool(_ key: String) throws(TokenizerError) -> Bool? { try read(GGUFMetadata.bool, key) }
  func integers(_ key: String) throws(TokenizerError) -> [Int]? {
    try read(GGUFMetadata.integers, key)
  }
  func floats(_ key: String) throws(TokenizerError) -> [Float]? {
    try read(GGUFMetadata.floats, key)
  }
  func strings(_ key: String) throws(TokenizerError) -> GGUFStrings? {
    try read(GGUFMetadata.strings, key)
  }

  /// The error for a defect of this file.
  func error(_ defect: TokenizerDefect) -> TokenizerError { .tokenizer(defect, file: file) }

  private func read<Value>(
    _ get: (GGUFMetadata) -> (String) throws(FileError) -> Value, _ key: String
  ) throws(TokenizerError) -> Value {
    do { return try get(metadata)(key) } catch { throw .file(error) }
  }
}
