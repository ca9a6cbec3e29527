import Synchronization
import SystemFiles

@testable import AdapterStore

/// Answers from a table instead of the network, and counts what it was asked for.
final class ScriptedDownloads: Downloading {
  private let answers: Mutex<[String: Result<[UInt8], StoreError>]>
  private let asked = Mutex<[String]>([])

  init(_ answers: [String: Result<[UInt8], StoreError>] = [:]) {
    self.answers = Mutex(answers)
  }

  /// What was asked for so far.
  var requests: [String] { asked.withLock { $0 } }

  func answer(_ url: String, _ answer: Result<[UInt8], StoreError>) {
    answers.withLock { $0[url] = answer }
  }

  @concurrent func document(
    _ url: String, limit: Int
  ) async throws(StoreError) -> (bytes: [UInt8], url: String) {
    (try bytes(url), url)
  }

  @concurrent func download(
    _ file: RemoteFile, to target: String, control: DownloadControl,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> DownloadedFile {
    let bytes = try bytes(file.url)
    return try storing { () throws(FileError) in
      try AtomicFile.write(bytes, to: target)
      return DownloadedFile(record: try FileRecord(path: file.path, file: target))
    }
  }

  @concurrent func part(of file: RemoteFile, range: Range<Int>) async throws(StoreError) -> [UInt8]
  {
    Array(try bytes(file.url)[range])
  }

  private func bytes(_ url: String) throws(StoreError) -> [UInt8] {
    asked.withLock { $0.append(url) }
    guard let answer = answers.withLock({ $0[url] }) else {
      throw .network(url: url, reason: "the script has no such address")
    }
    return try answer.get()
  }
}
