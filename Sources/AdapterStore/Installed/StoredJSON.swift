import Adapters
import Foundation
import TensorFiles

/// Files of the store's own, in JSON.
enum StoredJSON {
  /// Reads the file at `path`; nil when it is missing, unreadable, of more than `limit` bytes, or not a `Value`.
  static func read<Value: Decodable>(
    _ path: String, limit: Int, dates: JSONDecoder.DateDecodingStrategy = .iso8601
  ) -> Value? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dates
    guard let bytes = try? FileSystem.read(path, limit: limit),
      // Foundation's reader has no bounds of its own.
      (try? JSONDocument(parsing: bytes, limit: limit)) != nil
    else { return nil }
    return try? decoder.decode(Value.self, from: Data(bytes))
  }
}
