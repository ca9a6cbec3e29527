import FoundationEssentials
import JSON
import SystemFiles

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

  /// Writes `value`, which JSON can hold, to `path`, all or nothing.
  static func write(
    _ value: some Encodable, to path: String, dates: JSONEncoder.DateEncodingStrategy = .iso8601
  ) throws(FileError) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = dates
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("a record of the store holds nothing that JSON cannot")
    }
    try AtomicFile.write(Array(data), to: path)
  }
}
