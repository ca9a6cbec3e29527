import SystemFiles

/// The name of one of the files that a model is split over: `NAME-00002-of-00003.gguf`.
///
/// As `gguf-split` of llama.cpp and the `gguf` package name them.
public struct GGUFPartName: Sendable, Equatable {
  /// All before the numbers, folders included.
  public let stem: String
  /// From 1.
  public let number: Int
  /// How many parts there are.
  public let count: Int

  /// Takes a path apart; nil when it is not one of a part.
  public init?(_ path: String) {
    let end = Array(path.utf8.suffix(Self.endingBytes))
    guard end.count == Self.endingBytes,
      let number = Self.number(end[1..<6]), let count = Self.number(end[10..<15]),
      number >= 1, number <= count, end == Array(Self.ending(number, of: count).utf8)
    else { return nil }
    stem = String(decoding: path.utf8.dropLast(Self.endingBytes), as: UTF8.self)
    (self.number, self.count) = (number, count)
  }

  /// Bytes of `-00002-of-00003.gguf`.
  private static let endingBytes = 20

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: digits, as: UTF8.self))
  }

  /// The path of part `number` of the same model.
  public func path(of number: Int) -> String { stem + Self.ending(number, of: count) }

  /// What the name of part `number` ends with.
  static func ending(_ number: Int, of count: Int) -> String {
    func digits(_ value: Int) -> String {
      String(repeating: "0", count: max(0, 5 - "\(value)".count)) + "\(value)"
    }
    return "-\(digits(number))-of-\(digits(count)).gguf"
  }
}

/// Models that are split over several files.
///
/// The first part has all metadata. Every part has three keys: `split.no`, its number from zero, `split.count`, how many
/// parts there are, and `split.tensors.count`, the tensors of all of them together.
extension GGUFFile {
  /// Keys that a file has only because it is a part.
  static let partKeys: Set = ["split.no", "split.count", "split.tensors.count"]

  /// The other parts of the model whose first one is `self`, in order; none when it is whole.
  ///
  /// - Throws: `FileError.gguf` when `self` is not the first, or another is missing, not the one that its name
  ///   says, or of another model; or what is wrong with that file.
  func otherParts() throws(FileError) -> [GGUFFile] {
    guard let count = try metadata.integer("split.count"), count > 1 else { return [] }
    guard count <= GGUFLimits.parts else {
      throw defect(.valueOutOfRange(key: "split.count", value: "\(count)"))
    }
    let name = GGUFPartName(path)
    let number = try metadata.integer("split.no")
    if let number, 1..<count ~= number {
      let first = name.map { FilePath.name(of: $0.path(of: 1)) } ?? "-00001"
      throw defect(.laterPart(number + 1, of: count, first: first))
    }
    guard number == 0 else {
      throw defect(.wrongPart(number, of: count, expected: 1, total: count))
    }
    guard let name, name.number == 1, name.count == count else {
      throw defect(.partName(count: count))
    }
    var parts: [GGUFFile] = []
    for number in 2...count {
      parts.append(try part(number, of: count, at: name.path(of: number)))
    }
    try checkTensors(of: [self] + parts)
    return parts
  }

  private func part(
    _ number: Int, of count: Int, at path: String
  ) throws(FileError) -> GGUFFile {
    guard FileSystem.kind(of: path) != nil else {
      throw defect(.missingPart(number, of: count, name: FilePath.name(of: path)))
    }
    let part = try GGUFFile(part: path)
    let found = (try part.metadata.integer("split.no"), try part.metadata.integer("split.count"))
    guard found == (number - 1, count) else {
      throw part.defect(.wrongPart(found.0, of: found.1, expected: number, total: count))
    }
    return part
  }

  /// That each tensor is in one part, and that all are there.
  private func checkTensors(of parts: [GGUFFile]) throws(FileError) {
    let total = parts.reduce(0) { $0 + $1.tensors.count }
    for part in parts {
      guard let stated = try part.metadata.integer("split.tensors.count"), stated != total else {
        continue
      }
      throw part.defect(.partTensors(count: total, expected: stated))
    }
    var places: [ExactName: String] = [:]
    for part in parts {
      for tensor in part.tensors {
        if let other = places.updateValue(part.path, forKey: ExactName(tensor.name)) {
          throw part.defect(.tensorInTwoParts(tensor.name, other: FilePath.name(of: other)))
        }
      }
    }
  }

  /// A defect of the keys that say which part it is.
  private func defect(_ defect: GGUFDefect) -> FileError {
    let entry = metadata.entry("split.no") ?? metadata.entry("split.count")
    return .gguf(defect, path: path, offset: entry?.offset ?? 0)
  }
}

extension GGUFFile {
  /// Writes the model to the one file `output`, which appears whole or not at all.
  ///
  /// Of parts it is the file that they were split from: the same keys but for those of parts, the same tensors in the same
  /// order. `progress` is called for each piece of 4 MiB, with the bytes of tensors that are written and those of all;
  /// what it throws ends the work.
  ///
  /// - Throws: `FileError`, or what `progress` throws; then nothing is at `output`.
  public func writeWhole(
    to output: String, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws {
    var head = GGUFWriter(alignment: alignment)
    head.set(metadata)
    for tensor in tensors {
      head.append(.init(name: tensor.name, type: tensor.type, dimensions: tensor.dimensions))
    }
    let total = tensors.reduce(0) { $0 + $1.bytes.count }
    var done = 0
    var stream = try GGUFStream(head, path: output)
    for tensor in tensors {
      for start in stride(from: 0, to: tensor.bytes.count, by: 4 << 20) {
        try progress(done + start, total)
        let end = min(start + 4 << 20, tensor.bytes.count)
        try stream.write(tensor.bytes.slice(start..<end))
      }
      done += tensor.bytes.count
    }
    try progress(total, total)
    try checkUnchanged()
    try stream.commit()
  }
}
