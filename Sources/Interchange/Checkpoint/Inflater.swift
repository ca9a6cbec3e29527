import CFMZlib
import SystemFiles

/// Decompresses deflate (RFC 1951), which entries of zip archives are in, by zlib; all of it at once.
enum Inflater {
  /// What is wrong with a stream, and where in it.
  struct Defect: Error, Equatable {
    let offset: Int
    let problem: String
  }

  /// Bytes that zlib counts in one call.
  private static let most = 1 << 30

  /// The bytes that `input` stands for, which have to be `size`.
  ///
  /// - Throws: `Defect`.
  static func inflate(_ input: [UInt8], size: Int) throws(Defect) -> [UInt8] {
    var stream = unsafe z_stream()
    guard unsafe inflate_init_raw(&stream) == Z_OK else {
      throw Defect(offset: 0, problem: "there is no memory to decompress it")
    }
    defer { unsafe _ = inflateEnd(&stream) }
    // The byte more shows that a stream goes on.
    var output = [UInt8](repeating: 0, count: size + 1)
    var (taken, made, status) = (0, 0, Z_OK)
    unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        while status == Z_OK {
          let (given, room) = (min(source.count - taken, most), min(target.count - made, most))
          unsafe stream.next_in = UnsafeMutablePointer(
            mutating: source.baseAddress.map { unsafe $0 + taken })
          unsafe stream.next_out = target.baseAddress.map { unsafe $0 + made }
          unsafe (stream.avail_in, stream.avail_out) = (uInt(given), uInt(room))
          status = unsafe CFMZlib.inflate(&stream, Z_NO_FLUSH)
          taken += unsafe given - Int(stream.avail_in)
          made += unsafe room - Int(stream.avail_out)
        }
      }
    }
    if status == Z_STREAM_END, made == size {
      output.removeLast()
      return output
    }
    throw Defect(
      offset: taken,
      problem: made > size
        ? "it stands for more than \(size) bytes"
        : status == Z_STREAM_END
          ? "it stands for \(made) bytes, not \(size)"
          : status == Z_BUF_ERROR ? "it was cut" : "it is damaged (zlib's error \(status))")
  }
}

/// CRC-32 as zip has it.
enum Checksum {
  static func of(_ bytes: TensorBytes) -> UInt32 {
    var value = crc32_z(0, nil, 0)
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let part = bytes.slice(start..<min(start + (1 << 16), bytes.count)).array
      value = unsafe part.withUnsafeBufferPointer {
        unsafe crc32_z(value, $0.baseAddress, $0.count)
      }
    }
    return UInt32(value)
  }
}
