import CFMZstd
import SystemFiles

/// Unpacks a Zstandard file (RFC 8878) from its start, a piece at a time, by libzstd; frames that stand one behind the other are
/// one text, without those to be skipped.
@safe final class ZstdReader: Unpacker {
  private(set) var position = 0
  private(set) var made = 0

  private let file: FileReader
  private let stream: OpaquePointer
  private var packed: [UInt8] = []
  /// Bytes of `packed` that were unpacked.
  private var taken = 0
  /// Whether the bytes behind those that were unpacked begin a frame.
  private var isBetweenFrames = true

  private static let packedSize = 64 << 10

  static func takes(_ start: [UInt8]) -> Bool {
    start.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
      || start.count >= 4 && start[0] >> 4 == 5 && start[1...3] == [0x2A, 0x4D, 0x18]
  }

  init(_ file: FileReader) throws(FileError) {
    self.file = file
    guard let stream = unsafe ZSTD_createDStream() else {
      throw .malformed(.init(ZstdDefect.noMemory), path: file.path, offset: 0)
    }
    unsafe self.stream = stream
  }

  deinit {
    unsafe _ = ZSTD_freeDStream(stream)
  }

  func read(_ size: Int) throws(FileError) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      if taken == packed.count, position < file.size {
        packed = try file.read(position..<min(file.size, position + Self.packedSize))
        taken = 0
      }
      let isOver = taken == packed.count
      if isOver && isBetweenFrames { break }
      let unpacked = try unpack(into: &text, from: count)
      // What is in the stream may still come without further bytes.
      guard !isOver || unpacked > 0 || isBetweenFrames else { throw defect(.cut) }
      count += unpacked
    }
    text.removeLast(size - count)
    made += count
    return text
  }

  private func unpack(into text: inout [UInt8], from start: Int) throws(FileError) -> Int {
    let (result, read, made) = unsafe packed.withUnsafeBytes { source in
      unsafe text.withUnsafeMutableBytes { target in
        var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: taken)
        var output = unsafe ZSTD_outBuffer(
          dst: target.baseAddress, size: target.count, pos: start)
        let result = unsafe ZSTD_decompressStream(stream, &output, &input)
        return unsafe (result, input.pos - taken, output.pos - start)
      }
    }
    taken += read
    position += read
    guard ZSTD_isError(result) == 0 else {
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_memory_allocation: throw defect(.noMemory)
      case ZSTD_error_frameParameter_windowTooLarge: throw defect(.window)
      default: throw defect(.damaged)
      }
    }
    isBetweenFrames = result == 0
    return made
  }

  private func defect(_ defect: ZstdDefect) -> FileError {
    .malformed(.init(defect), path: file.path, offset: position)
  }
}

/// What can be wrong with a file that Zstandard made.
enum ZstdDefect: FormatDefect {
  case cut
  case damaged
  case window
  case noMemory

  var text: ErrorText {
    switch self {
    case .cut: "the zstd file ends within its data\(remedy: "copy or download the file again")"
    case .damaged: "the zstd file is damaged\(remedy: "copy or download the file again")"
    case .window:
      "the zstd file needs more than 128 MiB to be decompressed\(remedy: "compress it with a window of 128 MiB at most")"
    case .noMemory:
      "there is no memory to decompress the zstd file\(remedy: "end some programs, then try again")"
    }
  }
}
