import FoundationEssentials
import SystemFiles

/// Files that are complete and verified, and still those of unfinished downloads: the next attempt finds them, until what
/// they are for is in place.
struct HeldFiles {
  private var partials: [PartialFile] = []
  /// In the order of their coming.
  private(set) var files: [DownloadedFile] = []

  fileprivate mutating func add(_ file: DownloadedFile, _ partial: PartialFile) {
    files.append(file)
    partials.append(partial)
  }

  /// Lets them go: nobody needs them any more.
  func remove() { partials.forEach { $0.remove() } }

  /// Keeps them for the next attempt.
  func release(now: Date) { partials.forEach { $0.release(now: now) } }

  /// What a receipt says of the file `path` that was made of these, the first of which is at `url`.
  func source(_ url: String, of path: String, isMade: Bool = false) -> FileSource {
    // One file that nobody vouches for is enough.
    let isVouched = files.allSatisfy { !$0.vouchers.isEmpty }
    let all = files.flatMap(\.vouchers)
    let names = isVouched ? DigestVoucher.allCases.filter(all.contains) : []
    let isWhole = files.count == 1 && !isMade
    return FileSource(
      path: path, url: url, entityTag: isWhole ? files[0].entityTag : nil,
      vouchers: names.map(\.rawValue), parts: isWhole ? nil : files.count)
  }
}

extension Downloader {
  /// Downloads `files` to their names in `folder`, one after another, and adds them to `held`.
  ///
  /// - Throws: as ``download(_:to:control:progress:)``.
  func hold(
    _ files: [RemoteFile], in folder: String, _ held: inout HeldFiles, _ control: DownloadControl,
    _ progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) {
    for file in files {
      let target = FilePath.join(folder, FilePath.name(of: file.path))
      let (result, partial) = try await complete(file, for: target, control, progress) {
        partial throws(FileError) in
        try FileSystem.linkOrCopy(partial.dataPath, to: target)
      }
      held.add(result, partial)
    }
  }
}
