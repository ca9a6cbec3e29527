import Foundation
import FoundationModels
import SystemFiles

/// Why no server gets an image; the reason ends a sentence.
struct ImageDefect: Error {
  let reason: String
}

/// Where a server finds an image: at an address of its own, or in the request.
enum ImageAddress {
  /// Bytes of an image of this machine at most: servers take no more, and a request is held in memory.
  static let byteLimit = 20 << 20

  /// An address of https, http or data; images of this machine become data.
  static func forServer(
    _ image: Transcript.ImageAttachment
  ) throws(ImageDefect) -> URL {
    guard image.orientation == .up else {
      throw ImageDefect(reason: "it is to be turned, and images are sent as their files are")
    }
    guard let url = image.url else { throw ImageDefect(reason: "it has no address") }
    if url.isFileURL { return try data(of: url) }
    guard ["https", "http", "data"].contains(url.scheme ?? "") else {
      throw ImageDefect(
        reason: "a server takes images by https, http, data and file addresses only")
    }
    return url
  }

  /// What is no image stays on this machine, whatever a transcript says of it.
  private static func data(of url: URL) throws(ImageDefect) -> URL {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.read(url.path(percentEncoded: false), limit: byteLimit)
    } catch {
      throw ImageDefect(reason: reason(error))
    }
    guard let type = mediaType(bytes) else {
      throw ImageDefect(reason: "its file is no JPEG, PNG, GIF or WebP")
    }
    guard let url = URL(string: "data:\(type);base64,\(Data(bytes).base64EncodedString())") else {
      throw ImageDefect(reason: "its data makes no address")
    }
    return url
  }

  private static func reason(_ error: FileError) -> String {
    switch error {
    case .tooLarge(_, let size, let limit):
      "its file has \(Figures.bytes(size)), more than the \(Figures.grouped(limit)) that are sent"
    case .notRegular: "its path names no file"
    case .system(_, _, let code): "its file cannot be read: \(systemMessage(code))"
    default: "its file cannot be read: \(error.text.problem)"
    }
  }

  /// The type of a file that begins with `bytes`, of those that servers take.
  private static func mediaType(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
      return "image/gif"
    }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "image/webp"
    }
    return nil
  }
}
