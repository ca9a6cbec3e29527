import TensorFiles

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
    try read { metadata throws(TensorFileError) in try metadata.string(key) }
  }

  func integer(_ key: String) throws(TokenizerError) -> Int? {
    try read { metadata throws(TensorFileError) in try metadata.integer(key) }
  }

  func bool(_ key: String) throws(TokenizerError) -> Bool? {
    try read { metadata throws(TensorFileError) in try metadata.bool(key) }
  }

  func integers(_ key: String) throws(TokenizerError) -> [Int]? {
    try read { metadata throws(TensorFileError) in try metadata.integers(key) }
  }

  func floats(_ key: String) throws(TokenizerError) -> [Float]? {
    try read { metadata throws(TensorFileError) in try metadata.floats(key) }
  }

  func strings(_ key: String) throws(TokenizerError) -> GGUFStrings? {
    try read { metadata throws(TensorFileError) in try metadata.strings(key) }
  }

  /// The error for a defect of this file.
  func error(_ defect: TokenizerDefect) -> TokenizerError { .tokenizer(defect, file: file) }

  private func read<Value>(
    _ get: (GGUFMetadata) throws(TensorFileError) -> Value
  ) throws(TokenizerError) -> Value {
    do {
      return try get(metadata)
    } catch {
      throw .tensorFile(error)
    }
  }
}
