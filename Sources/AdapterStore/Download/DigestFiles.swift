import Foundation
import TensorFiles

extension Downloader {
  /// What files beside `file` say of its digest: `SHA256SUMS` in its folder, and its own `.sha256`.
  ///
  /// `list` is the text of the first, where it has been read already. Each is asked for once, with no second attempt; a
  /// server that has none, or answers with a page, says nothing.
  func publishedDigests(
    of file: RemoteFile, list: String?, _ control: DownloadControl
  ) async -> [DigestClaim] {
    let name = WebAddress.fileName(file.url)
    let own = await text(WebAddress.appending(file.url, ".sha256"), limit: 64 << 10, control)
    return DigestList.digests(of: name, in: list ?? "").map { DigestClaim(.sums, $0) }
      + DigestList.digests(of: name, inOwn: own ?? "").map { DigestClaim(.sidecar, $0) }
  }

  /// The text of `SHA256SUMS` in the folder that the file at `url` is in.
  func digestList(beside url: String, _ control: DownloadControl) async -> String? {
    guard let address = WebAddress.sibling(url, "SHA256SUMS") else { return nil }
    return await text(address, limit: 1 << 20, control)
  }

  private func text(
    _ url: String, limit: Int, _ control: DownloadControl
  ) async -> String? {
    let receiver = BytesReceiver(Expectation(url: url), limit: limit)
    let request = TransferRequest(url: url, limit: limit)
    let isRead = await control.interruptible {
      do throws(TransferFault) {
        try await transport.perform(request, receiver)
        return true
      } catch {
        return false
      }
    }
    return isRead ? String(validating: receiver.bytes, as: UTF8.self) : nil
  }
}

/// Lists of SHA-256 digests, as `sha256sum` writes them: a digest, a space, a space or an asterisk, a name; or, with
/// `--tag`, `SHA256 (name) = digest`.
enum DigestList {
  /// The digests that `text` has for the file `name` of its own folder.
  static func digests(of name: String, in text: String) -> [String] {
    entries(text).filter { $0.name == name || $0.name == "./" + name }.map(\.digest)
  }

  /// The digests that `text`, which stands beside the file `name` alone, has for it.
  ///
  /// A digest without a name will do, and so will a path that ends with the name.
  static func digests(of name: String, inOwn text: String) -> [String] {
    let found = entries(text).filter { FilePath.name(of: $0.name) == name }.map(\.digest)
    let whole = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    return found.isEmpty && isSHA256(whole) ? [whole] : found
  }

  private static func entries(_ text: String) -> [(digest: String, name: String)] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      if line.hasPrefix("SHA256 ("), let end = line.range(of: ") = ", options: .backwards) {
        return entry(line[end.upperBound...], line[..<end.lowerBound].dropFirst(8))
      }
      let rest = line.dropFirst(64)
      guard rest.first == " ", let kind = rest.dropFirst().first, " *".contains(kind) else {
        return nil
      }
      return entry(line.prefix(64), rest.dropFirst(2))
    }
  }

  private static func entry(
    _ digest: Substring, _ name: Substring
  ) -> (digest: String, name: String)? {
    let digest = digest.trimmingCharacters(in: .whitespaces).lowercased()
    return isSHA256(digest) && !name.isEmpty ? (digest, String(name)) : nil
  }
}
