import JSON
public import SystemFiles

/// Writes safetensors files: the same content always gives the same bytes.
public struct SafetensorsWriter: Sendable {
  private struct Item: Sendable {
    let name: String
    let type: SafetensorsType
    let shape: [Int]
    let bytes: TensorBytes
  }

  /// The strings under `__metadata__`.
  public var metadata: [String: String] = [:]
  private var items: [Item] = []
  private var names: Set<ExactName> = [ExactName("__metadata__")]

  /// Starts a file without tensors.
  public init() {}

  /// Adds a tensor; `shape` is its sizes, the slowest-running first.
  ///
  /// Traps when the name is taken or the bytes do not fit the shape.
  public mutating func append(
    _ name: String, _ type: SafetensorsType, shape: [Int], _ bytes: TensorBytes
  ) {
    precondition(names.insert(ExactName(name)).inserted, "name is taken")
    precondition(shape.reduce(type.size, *) == bytes.count, "bytes do not fit the shape")
    items.append(Item(name: name, type: type, shape: shape, bytes: bytes))
  }

  /// Writes the file at once.
  ///
  /// - Throws: `FileError.system`.
  public func write(to path: String) throws(FileError) {
    var file = try AtomicFile(path: path)
    try file.write(head())
    for item in items { try file.write(item.bytes) }
    try file.commit()
  }

  /// Length and text of the header, padded with spaces so that the data starts at a multiple of 8.
  private func head() -> [UInt8] {
    var fields: [String] = []
    if !metadata.isEmpty {
      let pairs = metadata.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      let texts = pairs.map { "\(quoted($0.key)):\(quoted($0.value))" }
      fields.append("\"__metadata__\":{\(texts.joined(separator: ","))}")
    }
    var offset = 0
    for item in items {
      let shape = item.shape.map(String.init).joined(separator: ",")
      fields.append(
        "\(quoted(item.name)):{\"dtype\":\"\(item.type.rawValue)\",\"shape\":[\(shape)],"
          + "\"data_offsets\":[\(offset),\(offset + item.bytes.count)]}")
      offset += item.bytes.count
    }
    var text = Array("{\(fields.joined(separator: ","))}".utf8)
    while !text.count.isMultiple(of: 8) { text.append(32) }
    var encoder = ByteEncoder()
    encoder.append(UInt64(text.count))
    encoder.append(raw: text)
    return encoder.bytes
  }

  private func quoted(_ text: String) -> String { JSONValue.string(text).line }
}
