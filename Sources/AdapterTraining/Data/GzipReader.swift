import CFMZlib
import SystemFiles

/// Unpacks a gzip file (RFC 1952) from its start, a piece at a time, by zlib; members that stand one behind the other are one text.
@safe final class GzipReader: Unpacker {
  var position: Int { packed.position }
  private(set) var made = 0

  private var packed: PackedBytes
  private let stream: UnsafeMutablePointer<z_stream>
  /// Whether the bytes behind those that were unpacked begin a member.
  private var isBetweenMembers = true

  static func takes(_ start: [UInt8]) -> Bool { start.starts(with: [0x1F, 0x8B, 8]) }

  init(_ file: FileReader) throws(FileError) {
    packed = PackedBytes(file)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe inflate_init_gzip(stream) == Z_OK else {
      throw packed.defect(GzipDefect.noMemory)
    }
  }

  deinit {
    unsafe _ = inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func read(_ size: Int) throws(FileError) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size, try fill() { count += try unpack(into: &text, from: count) }
    text.removeLast(size - count)
    made += count
    return text
  }

  /// Whether there are packed bytes, after reading on where they are used up.
  private func fill() throws(FileError) -> Bool {
    if try packed.fill() { return true }
    guard isBetweenMembers else { throw packed.defect(GzipDefect.cut) }
    return false
  }

  private func unpack(into text: inout [UInt8], from start: Int) throws(FileError) -> Int {
    if isBetweenMembers {
      guard unsafe inflateReset(stream) == Z_OK else { throw packed.defect(GzipDefect.noMemory) }
    }
    let (status, made) = unsafe packed.take { source in
      unsafe text.withUnsafeMutableBufferPointer { target in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: source.bindMemory(to: UInt8.self).baseAddress)
        unsafe stream.pointee.next_out = target.baseAddress.map { unsafe $0 + start }
        let (given, room) = (source.count, target.count - start)
        unsafe (stream.pointee.avail_in, stream.pointee.avail_out) = (uInt(given), uInt(room))
        let status = unsafe inflate(stream, Z_NO_FLUSH)
        return unsafe (
          given - Int(stream.pointee.avail_in), (status, room - Int(stream.pointee.avail_out))
        )
      }
    }
    // Not enough bytes yet is no error.
    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
      throw packed.defect(status == Z_MEM_ERROR ? GzipDefect.noMemory : .damaged)
    }
    isBetweenMembers = status == Z_STREAM_END
    return made
  }
}

/// What can be wrong with a compressed file.
enum GzipDefect: FormatDefect {
  case cut
  case damaged
  case noMemory

  var text: ErrorText {
    switch self {
    case .cut:
      "the gzip file ends within its data\(remedy: "copy or download the file again")"
    case .damaged:
      "the gzip file is damaged\(remedy: "copy or download the file again")"
    case .noMemory:
      "there is no memory to decompress the gzip file\(remedy: "end some programs, then try again")"
    }
  }
}
