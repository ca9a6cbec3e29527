import Foundation
import SystemFiles
import TestSupport
import Tokenization

@testable import TensorFiles

/// What the tests of chats need of files; vocabularies are those of the tests of Tokenization.
enum ChatFixture {
  /// A small tokenizer: `afm`, or `marks` with the marks of all other formats.
  static func tokenizer(_ name: String) throws -> Tokenizer {
    try Tokenizer(GGUFFile(path: Fixtures.path("TokenizationTests", "tokenizers/\(name).gguf")))
  }

  /// The vocabulary of a real model.
  static func vocabulary(_ name: String) throws -> GGUFFile {
    try GGUFFile(path: Fixtures.path("TokenizationTests", "vocab/ggml-vocab-\(name).gguf"))
  }

  /// The metadata of a file with this chat template.
  static func metadata(template: String?) throws -> GGUFMetadata {
    try metadata(template: template.map { .text($0) })
  }

  static func metadata(template: GGUFValue?) throws -> GGUFMetadata {
    var writer = GGUFWriter()
    if let template { writer.set("tokenizer.chat_template", template) }
    return try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf").metadata
  }

  /// The JSON fixture `name`.
  static func json<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value {
    let url = Fixtures.url("ChatTemplatesTests", name)
    return try JSONDecoder().decode(type, from: Data(contentsOf: url))
  }
}
