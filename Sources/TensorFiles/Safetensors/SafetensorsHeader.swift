import JSON
import SystemFiles

/// What the header says of one tensor.
struct SafetensorsEntry {
  let name: String
  let type: SafetensorsType
  let shape: [Int]
  /// Bytes from the start of the data.
  let begin: Int
  let end: Int
  /// Where the entry stands in the file.
  let offset: Int
}

/// The header of a safetensors file, a JSON object of one strict form.
///
/// General readers of JSON drop repeated names without a word; here they are an error, as in the reference.
struct SafetensorsHeader {
  private(set) var entries: [SafetensorsEntry] = []
  /// The strings under `__metadata__`.
  private(set) var metadata: [String: String] = [:]
  private let path: String
  private let start: Int

  /// Reads `bytes`, the first of which is byte `start` of the file at `path`.
  init(
    _ bytes: [UInt8], path: String, start: Int, tensorLimit: Int = SafetensorsLimits.tensors
  ) throws(FileError) {
    (self.path, self.start) = (path, start)
    if let first = bytes.first, first != UInt8(ascii: "{") {
      throw defect(.headerStart(first), at: 0)
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(
        parsing: bytes, limit: SafetensorsLimits.headerBytes, values: SafetensorsLimits.values)
    } catch {
      throw defect(.header(error), at: error.offset)
    }
    if let duplicate = document.duplicates.first {
      throw defect(.duplicateName(duplicate.path), at: duplicate.offset)
    }
    for member in document.root.object?.members ?? [] {
      if member.key == "__metadata__" {
        try readMetadata(member)
      } else {
        guard entries.count < tensorLimit else { throw defect(.tooManyTensors, at: member) }
        entries.append(try entry(member))
      }
    }
  }

  /// Reads an object of strings, or `null` for an empty one, as mlx writes it; the reference reads both.
  private mutating func readMetadata(_ member: JSONObject.Member) throws(FileError) {
    if member.value == .null { return }
    guard let object = member.value.object else {
      throw defect(.wrongMetadata(key: member.key), at: member)
    }
    for member in object.members {
      guard let text = member.value.string else {
        throw defect(.wrongMetadata(key: member.key), at: member)
      }
      guard metadata.updateValue(text, forKey: member.key) == nil else {
        throw defect(.duplicateName(member.key), at: member)
      }
    }
  }

  private func entry(_ member: JSONObject.Member) throws(FileError) -> SafetensorsEntry {
    let name = member.key
    guard let object = member.value.object else {
      throw defect(.noObject(tensor: name), at: member)
    }
    if let other = object.members.first(where: { !SafetensorsLimits.fields.contains($0.key) }) {
      throw defect(.unknownField(tensor: name, field: other.key), at: other)
    }
    let fields = try SafetensorsLimits.fields.map { field throws(FileError) in
      guard let found = object.members.first(where: { $0.key == field }) else {
        throw defect(.missingField(tensor: name, field: field), at: member)
      }
      return found
    }
    guard let type = SafetensorsType(rawValue: fields[0].value.string ?? "") else {
      let text = fields[0].value.string ?? fields[0].value.line
      throw defect(.unknownType(tensor: name, type: text), at: fields[0])
    }
    let shape = try numbers(fields[1], tensor: name)
    guard shape.count <= SafetensorsLimits.dimensions else {
      throw defect(.tooManyDimensions(tensor: name), at: fields[1])
    }
    let range = try numbers(fields[2], tensor: name)
    guard range.count == 2 else {
      throw defect(.offsetCount(tensor: name, count: range.count), at: fields[2])
    }
    return SafetensorsEntry(
      name: name, type: type, shape: shape, begin: range[0], end: range[1],
      offset: place(of: member))
  }

  private func numbers(
    _ member: JSONObject.Member, tensor: String
  ) throws(FileError) -> [Int] {
    let numbers = member.value.array?.map { $0.integer.flatMap { $0 < 0 ? nil : $0 } } ?? [nil]
    guard !numbers.contains(nil) else { throw defect(.badNumber(tensor: tensor), at: member) }
    return numbers.compactMap(\.self)
  }

  private func place(of member: JSONObject.Member) -> Int { start + (member.offset ?? 0) }

  private func defect(_ defect: SafetensorsDefect, at member: JSONObject.Member) -> FileError {
    .safetensors(defect, path: path, offset: place(of: member))
  }

  private func defect(_ defect: SafetensorsDefect, at offset: Int) -> FileError {
    .safetensors(defect, path: path, offset: start + offset)
  }
}
