import Glibc

/// What is wrong with a text in a given encoding.
public enum EncodingDefect: Error, Equatable, Sendable {
  /// This system knows no encoding of this name.
  case unknown(name: String)
  /// The text has bytes, from this one on, that mean nothing in the encoding.
  case invalid(name: String, offset: Int)
  /// A text is longer than those that are taken.
  case tooLarge(size: Int)
}

extension EncodingDefect: ExplainedError {
  /// What is wrong, and what to do.
  public var text: ErrorText {
    switch self {
    case .unknown(let name):
      "no encoding is called '\(name)' here"
        + "\(remedy: "give a name such as windows-1252, shift_jis, gb18030 or utf-16le")"
    case .invalid(let name, let offset):
      "byte \(Figures.grouped(offset)): the text is not in \(name)\(remedy: "give the encoding that it is in")"
    case .tooLarge(let size):
      "the text has \(Figures.bytes(size)); no more than \(Figures.grouped(EncodedText.sizeLimit)) are taken in another encoding than UTF-8"
        + "\(remedy: "write it as UTF-8 first, for one with iconv")"
    }
  }
}

/// Texts in encodings other than UTF-8, as the system's iconv reads them.
public enum EncodedText {
  /// Names that the web and office programs use for more than a standard of that name has.
  private static let wider = [
    "shiftjis": "CP932", "sjis": "CP932", "windows31j": "CP932", "gb2312": "GB18030",
    "gbk": "GB18030", "eucjp": "EUC-JP-MS",
    "euckr": "CP949", "ksc56011987": "CP949", "iso88591": "CP1252", "latin1": "CP1252",
    "ansi": "CP1252", "iso88599": "CP1254", "tis620": "CP874", "macroman": "MACINTOSH",
  ]
  private static let piece = 64 << 10
  /// Bytes of a text at most, which is read whole.
  public static let sizeLimit = 1 << 30

  /// The text in UTF-8.
  ///
  /// - Throws: `EncodingDefect`.
  public static func utf8(
    _ bytes: [UInt8], encoding: String
  ) throws(EncodingDefect) -> [UInt8] {
    guard bytes.count <= sizeLimit else { throw .tooLarge(size: bytes.count) }
    let plain = encoding.lowercased().filter { $0.isLetter || $0.isNumber }
    let isName =
      !encoding.isEmpty
      && encoding.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    guard isName, let converter = unsafe iconv_open("UTF-8", wider[plain] ?? encoding),
      unsafe converter != iconv_t(bitPattern: -1)
    else {
      throw .unknown(name: encoding)
    }
    defer { unsafe iconv_close(converter) }
    var (text, taken) = ([UInt8](), 0)
    text.reserveCapacity(bytes.count * 3 / 2)
    while taken < bytes.count {
      let (part, count, isStopped) = unsafe converted(bytes[taken...], converter)
      text += part
      taken += count
      if isStopped { throw .invalid(name: encoding, offset: taken) }
    }
    return text
  }

  /// A piece of the text in UTF-8, how many bytes it was, and whether what comes then cannot be read.
  private static func converted(
    _ bytes: ArraySlice<UInt8>, _ converter: iconv_t
  ) -> (text: [UInt8], count: Int, isStopped: Bool) {
    var (input, count, isStopped) = (bytes.prefix(piece).map { CChar(bitPattern: $0) }, 0, false)
    let isLast = input.count == bytes.count
    let text = unsafe [UInt8](unsafeUninitializedCapacity: 4 * piece) { output, written in
      unsafe output.withMemoryRebound(to: CChar.self) { output in
        unsafe input.withUnsafeMutableBufferPointer { input in
          var (source, left) = (input.baseAddress, input.count)
          var (target, room) = (output.baseAddress, output.count)
          let result = unsafe iconv(converter, &source, &left, &target, &room)
          // A letter may wait for marks behind it, as in windows-1258.
          if isLast, result != -1 { _ = unsafe iconv(converter, nil, nil, &target, &room) }
          count = input.count - left
          written = output.count - room
          // A character that the piece cuts is the next one's.
          isStopped =
            result == -1 && (errno == EILSEQ || errno == EINVAL && (isLast || count == 0))
        }
      }
    }
    return (text, count, isStopped)
  }
}
