import CFMZstd
import SystemFiles

/// Unpacks a Zstandard file (RFC 8878) from its start, a piece at a time, by libzstd; frames that stand one behind the other are
/// one text, without those to be skipped.
@safe final class ZstdReader: Unpacker {
  var position: Int { packed.position }
  private(set) var made = 0

  private var packed: PackedBytes
  private let stream: OpaquePointer
  /// Whether the bytes behind those that were unpacked begin a frame.
  private var isBetweenFrames = true

  static func takes(_ start: [UInt8]) -> Bool {
    start.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
      || start.count >= 4 && start[0] >> 4 == 5 && start[1...3] == [0x2A, 0x4D, 0x18]
  }

  init(_ file: FileReader) throws(FileError) {
    packed = PackedBytes(file)
    guard let stream = unsafe ZSTD_createDStream() else {
      throw packed.defect(ZstdDefect.noMemory)
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
      let isOver = try !packed.fill()
      if isOver && isBetweenFrames { break }
      let unpacked = try unpack(into: &text, from: count)
      // What is in the stream may still come without further bytes.
      guard !isOver || unpacked > 0 || isBetweenFrames else {
        throw packed.defect(ZstdDefect.cut)
      }
      count += unpacked
    }
    text.removeLast(size - count)
    made += count
    return text
  }

  private func unpack(into text: inout [UInt8], from start: Int) throws(FileError) -> Int {
    let (result, made) = unsafe packed.take { source in
      unsafe text.withUnsafeMutableBytes { target in
        var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var output = unsafe ZSTD_outBuffer(
          dst: target.baseAddress, size: target.count, pos: start)
        let result = unsafe ZSTD_decompressStream(stream, &output, &input)
        return unsafe (input.pos, (result, output.pos - start))
      }
    }
    guard ZSTD_isError(result) == 0 else {
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_memory_allocation: throw packed.defect(ZstdDefect.noMemory)
      case ZSTD_error_frameParameter_windowTooLarge: throw packed.defect(ZstdDefect.window)
      default: throw packed.defect(ZstdDefect.damaged)
      }
    }
    isBetweenFrames = result == 0
    return made
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
