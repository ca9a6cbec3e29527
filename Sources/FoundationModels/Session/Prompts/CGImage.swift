public import Foundation

/// An image as its file has it, where there is no Core Graphics: nothing here decodes or draws it, but it can be passed on.
public final class CGImage: Sendable, Hashable {
  /// The bytes of the file: an extension; none where there is no such file.
  public let data: Data
  /// Points from left to right, as the file says of itself; 0 where that is not known.
  public let width: Int
  /// Points from top to bottom, as the file says of itself; 0 where that is not known.
  public let height: Int

  /// The image whose file has these bytes, such as of PNG, JPEG or GIF: an extension.
  public init(data: Data) {
    self.data = data
    (width, height) = ImageHead(data).size ?? (0, 0)
  }

  /// Whether both have the same bytes.
  public static func == (left: CGImage, right: CGImage) -> Bool { left.data == right.data }

  /// Puts the bytes into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(data) }

  /// A `data:` address of the file.
  fileprivate var address: URL? {
    let type = ImageHead(data).kind.map { "image/\($0.rawValue)" } ?? "application/octet-stream"
    return URL(string: "data:\(type);base64,\(data.base64EncodedString())")
  }
}

extension Transcript.ImageAttachment {
  /// An image that is at hand; `orientation` says how it is to be turned.
  public init(_ image: CGImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(url: image.address, orientation: orientation)
  }

  /// The image as its file has it.
  public var cgImage: CGImage { CGImage(data: data) }
}

extension Attachment where Content == ImageAttachmentContent {
  /// An image that is at hand; `orientation` says how it is to be turned.
  public init(_ image: CGImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(content: .image(Transcript.ImageAttachment(image, orientation: orientation)))
  }
}

/// What the first bytes of an image's file say.
private struct ImageHead {
  enum Kind: String { case png, jpeg, gif, webp }

  let bytes: Data

  init(_ data: Data) { bytes = data }

  var kind: Kind? {
    switch true {
    case begins(with: [0x89, 0x50, 0x4E, 0x47]): .png
    case begins(with: [0xFF, 0xD8, 0xFF]): .jpeg
    case begins(with: Array("GIF8".utf8)): .gif
    case begins(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: "WEBP".utf8): .webp
    default: nil
    }
  }

  /// Width and height.
  var size: (Int, Int)? {
    switch kind {
    case .png: pair(of: 4, at: 16, upwards: false)
    case .gif: pair(of: 2, at: 6, upwards: true)
    case .jpeg: jpegSize
    case .webp, nil: nil
    }
  }

  /// Of the first frame, whose marker is one from C0 to CF but for three that are none of frames.
  private var jpegSize: (Int, Int)? {
    var place = 2
    while let marker = number(of: 2, at: place), marker >> 8 == 0xFF,
      let length = number(of: 2, at: place + 2), length >= 2
    {
      if (0xFFC0...0xFFCF).contains(marker), ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
        return pair(of: 2, at: place + 5, upwards: false).map { ($0.1, $0.0) }
      }
      place += 2 + length
    }
    return nil
  }

  private func begins(with start: [UInt8]) -> Bool { bytes.starts(with: start) }

  private func pair(of count: Int, at place: Int, upwards: Bool) -> (Int, Int)? {
    guard let first = number(of: count, at: place, upwards: upwards),
      let second = number(of: count, at: place + count, upwards: upwards)
    else { return nil }
    return (first, second)
  }

  /// The number in `count` bytes, the lowest one first if it goes upwards.
  private func number(of count: Int, at place: Int, upwards: Bool = false) -> Int? {
    let digits = bytes.dropFirst(place).prefix(count)
    guard digits.count == count else { return nil }
    return (upwards ? digits.reversed() : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
  }
}
