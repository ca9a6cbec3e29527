import TensorFiles

/// One part of a file that has a digest of its own, to be read by whichever thread is free.
struct ChunkJob: Sendable {
  let file: Int
  let range: Range<Int>
  let digest: String
  let reader: FileReader

  /// How a part turned out.
  enum Outcome: Sendable, Equatable {
    case right, wrong, cancelled
    case failed(TensorFileError)
  }

  func run() -> Outcome {
    do throws(TensorFileError) {
      guard let found = try reader.sha256(range, isCancelled: { Task.isCancelled }) else {
        return .cancelled
      }
      return found == digest ? .right : .wrong
    } catch {
      if case .changed = error { return .wrong }
      return .failed(error)
    }
  }
}

extension FileRecord {
  /// The parts that have digests.
  var ranges: [Range<Int>] {
    stride(from: 0, to: size, by: Self.chunkSize).map { $0..<min($0 + Self.chunkSize, size) }
  }

  /// Whether the record can be one of a file inside an entry: other records are no basis for anything.
  var isSound: Bool {
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    return size >= 0 && chunks.count == (size - 1 + Self.chunkSize) / Self.chunkSize
      && ([sha256] + chunks).allSatisfy(Self.isDigest)
      && components.allSatisfy { !["", ".", ".."].contains($0) && !$0.contains("\0") }
  }

  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
