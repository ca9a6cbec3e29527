import Kernels
import SystemFiles
import TensorFiles

/// How much each input of each matrix of a base matters: the mean of its square over a text.
///
/// Read from llama.cpp's files, of today and of before 2025, and written as they are today; source:
/// <https://github.com/ggml-org/llama.cpp/tree/master/tools/imatrix>.
public struct ImportanceMatrix: Sendable, Equatable {
  /// What is known of one tensor.
  package struct Entry: Sendable, Equatable {
    /// Sums of the squares of inputs, `(matrices, columns)`: one matrix, or one for each expert.
    var sums: [Float]
    /// How many rows were summed, of each matrix, or once for all.
    var counts: [Float]

    /// Traps unless `counts` divide `sums`.
    init(sums: [Float], counts: [Float]) {
      precondition(!counts.isEmpty && sums.count.isMultiple(of: counts.count), "counts of others")
      (self.sums, self.counts) = (sums, counts)
    }
  }

  /// By the names of tensors, such as `blk.0.attn_q.weight`.
  package var entries: [String: Entry]
  /// Names of the texts.
  var texts: [String]
  /// Pieces of text that were evaluated.
  package var chunks: Int
  /// Tokens of each; 0 where the file does not say it.
  var chunkLength: Int
  /// Named in errors.
  var path = ""

  /// Puts together what was measured.
  init(
    entries: [String: Entry], texts: [String] = [], chunks: Int = 0, chunkLength: Int = 0
  ) {
    (self.entries, self.texts) = (entries, texts)
    (self.chunks, self.chunkLength) = (chunks, chunkLength)
  }

  /// Reads and checks the file at `path`.
  ///
  /// - Throws: `BaseModelError`: `.importance` for a defect, or `.file`.
  public init(path: String) throws(BaseModelError) {
    let file: MappedFile
    do { file = try MappedFile(path: path) } catch { throw .file(error) }
    let isGGUF = file.bytes.begin(with: "GGUF")
    do throws(ImportanceProblem) {
      self = isGGUF ? try Self(gguf: GGUFFile.read(path)) : try Self(old: file.bytes, path)
    } catch {
      switch error {
      case .defect(let defect): throw .importance(defect, file: path)
      case .file(let error): throw .file(error)
      }
    }
    do { try file.checkUnchanged() } catch { throw .file(error) }
    self.path = path
  }

  /// The importance of each column, `(matrices, columns)`: 1 of experts that no row took.
  ///
  /// - Throws: `.importance`, `.missingEntry` or `.wrongSize`.
  package func columns(
    of tensor: String, count columns: Int, matrices: Int = 1
  ) throws(BaseModelError) -> [Float] {
    guard let entry = entries[tensor] else {
      throw .importance(.missingEntry(tensor), file: path)
    }
    guard entry.sums.count == columns * matrices else {
      throw .importance(
        .wrongSize(tensor, expected: columns * matrices, actual: entry.sums.count), file: path)
    }
    let each = entry.sums.count / entry.counts.count
    return entry.sums.enumerated().map { index, sum in
      let count = entry.counts[index / each]
      return count > 0 ? sum / count : 1
    }
  }

  /// Writes the matrix as GGUF; the file appears complete or not at all.
  ///
  /// - Throws: `BaseModelError.file`.
  public func write(to path: String) throws(BaseModelError) {
    var head = GGUFWriter()
    head.set("general.type", .text("imatrix"))
    head.set("imatrix.datasets", .strings(texts.map { Array($0.utf8) }))
    head.set("imatrix.chunk_count", .uint32(UInt32(clamping: chunks)))
    head.set("imatrix.chunk_size", .uint32(UInt32(clamping: chunkLength)))
    let sorted = entries.sorted { $0.key < $1.key }
    for (name, entry) in sorted {
      let matrices = entry.counts.count
      let more = matrices == 1 ? [] : [matrices]
      head.append(
        .init(
          name: name + ".in_sum2", type: .f32, dimensions: [entry.sums.count / matrices] + more))
      head.append(.init(name: name + ".counts", type: .f32, dimensions: [1] + more))
    }
    do throws(FileError) {
      var stream = try GGUFStream(head, path: path)
      for (_, entry) in sorted {
        try stream.write(quantize(.f32, values: entry.sums))
        try stream.write(quantize(.f32, values: entry.counts))
      }
      try stream.commit()
    } catch {
      throw .file(error)
    }
  }
}

/// What stops the reading.
private enum ImportanceProblem: Error {
  case defect(ImportanceDefect)
  case file(FileError)
}

extension GGUFFile {
  fileprivate static func read(_ path: String) throws(ImportanceProblem) -> GGUFFile {
    do { return try GGUFFile(path: path) } catch { throw .file(error) }
  }
}

extension ImportanceMatrix {
  /// The form of today: tensors `NAME.in_sum2` and `NAME.counts`.
  private init(gguf file: GGUFFile) throws(ImportanceProblem) {
    var (numbers, texts): ([String: Int], [String]) = ([:], [])
    do throws(FileError) {
      for key in ["imatrix.chunk_count", "imatrix.chunk_size"] {
        numbers[key] = try file.metadata.integer(key)
      }
      if let names = try file.metadata.strings("imatrix.datasets") {
        texts = names.map { String(decoding: $0, as: UTF8.self) }
      }
    } catch {
      throw .file(error)
    }
    self.init(entries: [:], texts: texts)
    for tensor in file.tensors where tensor.name.hasSuffix(".in_sum2") {
      let name = String(tensor.name.dropLast(".in_sum2".count))
      guard let counts = file.tensor(named: name + ".counts") else {
        throw .defect(.unpaired(name))
      }
      entries[name] = try Self.entry(name, sums: tensor, counts: counts)
    }
    for tensor in file.tensors where tensor.name.hasSuffix(".counts") {
      let name = String(tensor.name.dropLast(".counts".count))
      guard entries[name] != nil else { throw .defect(.unpaired(name)) }
    }
    guard !entries.isEmpty else { throw .defect(.noEntries) }
    for key in ["imatrix.chunk_count", "imatrix.chunk_size"] where numbers[key] == nil {
      throw .defect(.missingKey(key))
    }
    (chunks, chunkLength) = (
      numbers["imatrix.chunk_count"] ?? 0, numbers["imatrix.chunk_size"] ?? 0
    )
  }

  private static func entry(
    _ name: String, sums: GGUFTensor, counts: GGUFTensor
  ) throws(ImportanceProblem) -> Entry {
    for tensor in [sums, counts] where tensor.type != .f32 {
      throw .defect(.wrongType(tensor.name, type: tensor.type.name))
    }
    return try entry(
      name, dequantize(.f32, bytes: sums.bytes), dequantize(.f32, bytes: counts.bytes))
  }

  private static func entry(
    _ name: String, _ sums: [Float], _ counts: [Float]
  ) throws(ImportanceProblem) -> Entry {
    guard sums.count.isMultiple(of: counts.count) else {
      throw .defect(.wrongCounts(name, counts: counts.count, values: sums.count))
    }
    for values in [sums, counts] {
      if let index = values.firstIndex(where: { !($0 >= 0 && $0.isFinite) }) {
        throw .defect(.badValue(name, index: index))
      }
    }
    return Entry(sums: sums, counts: counts)
  }

  /// Bytes of a name: what GGUF allows, less what comes behind it.
  private static let nameBytes = 63 - ".in_sum2".utf8.count

  /// The form of before.
  ///
  /// How many entries, then of each its name, how often it was summed, and sums; at the end how many pieces there were, and the
  /// name of the text. Numbers are of four bytes.
  private init(old bytes: TensorBytes, _ path: String) throws(ImportanceProblem) {
    var cursor = ByteCursor(bytes, path: path)
    func number(_ range: ClosedRange<Int>) throws(ImportanceProblem) -> Int {
      let offset = cursor.offset
      guard let value = try? cursor.read(Int32.self, "number"), range.contains(Int(value)) else {
        throw .defect(.notAMatrix(offset: offset))
      }
      return Int(value)
    }
    func take(_ count: Int) throws(ImportanceProblem) -> TensorBytes {
      let offset = cursor.offset
      guard let taken = try? cursor.take(UInt64(count), "values") else {
        throw .defect(.notAMatrix(offset: offset))
      }
      return taken
    }
    self.init(entries: [:])
    // An entry takes 17 bytes at least.
    for _ in 0..<(try number(1...max(1, bytes.count / 17))) {
      let name = String(decoding: try take(try number(1...Self.nameBytes)).array, as: UTF8.self)
      let calls = try number(0...Int(Int32.max))
      let sums = dequantize(.f32, bytes: try take(4 * (try number(1...Int(Int32.max)))))
      entries[name] = try Self.entry(name, sums, [Float(max(1, calls))])
    }
    guard cursor.left > 0 else { return }
    chunks = try number(0...Int(Int32.max))
    guard cursor.left > 0 else { return }
    let text = try take(try number(0...1 << 16))
    texts = text.count > 0 ? [String(decoding: text.array, as: UTF8.self)] : []
  }
}
