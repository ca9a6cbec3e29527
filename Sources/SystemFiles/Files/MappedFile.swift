import CFMSystem
import Glibc

/// A file mapped read-only into memory for as long as this value, or any bytes taken from it, lives.
///
/// Pages are read on first use, so opening costs the same for any size. Replace files by rename, never in place: where
/// a file is cut while it is mapped, its lost pages read as zeros, and ``checkUnchanged()`` throws from then on. Whoever
/// reads a mapping asks it afterwards, before anything is made of what was read.
///
/// The loss is caught by a handler of SIGBUS, installed with the first mapping; faults elsewhere go to the handler that
/// was there before.
public final class MappedFile: Sendable {
  /// The path that the file was opened with.
  public let path: String
  /// All bytes of the file.
  public let bytes: TensorBytes
  private let mapping: FileMapping

  /// Maps the regular file at `path`, which may be empty; what is not in memory yet comes in huge pages where `isLong` and the
  /// system has them for files.
  ///
  /// - Throws: `FileError.system`, `.notRegular` or `.isPointer`.
  public init(path: String, isLong: Bool = false) throws(FileError) {
    self.path = path
    mapping = try FileMapping(path: path)
    if isLong { unsafe _ = madvise(.init(mutating: mapping.base), mapping.count, MADV_HUGEPAGE) }
    bytes = unsafe TensorBytes(base: mapping.base, count: mapping.count, owner: mapping)
  }

  /// Lets go of what the system keeps of the file in memory, as far as it is on the disk already and nobody else maps it: what is read
  /// next comes in the pages that suit the reader.
  package func forget() {
    // Only a hint: pages that stay are no error.
    posix_fadvise(mapping.descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  /// Asks the system whether the file still has the size and the modification time that it was opened with.
  ///
  /// - Throws: `FileError.changed` when it has not, or when bytes were read that it no longer had.
  public func checkUnchanged() throws(FileError) {
    guard !mapping.hasLostPages,
      try FileStamp(descriptor: mapping.descriptor, path: path) == mapping.stamp
    else { throw .changed(path: path) }
  }

  /// What `read` makes of the bytes; neither its result nor its error counts where the file changed meanwhile.
  package func reading<R>(
    _ read: (TensorBytes) throws(FileError) -> R
  ) throws(FileError) -> R {
    let result = Result { () throws(FileError) in try read(bytes) }
    try checkUnchanged()
    return try result.get()
  }

  /// The first file of this process that was cut while it was mapped and read; nil while there is none.
  package static var firstCut: String? {
    unsafe first_lost_file().map { unsafe String(cString: $0) }
  }
}

/// Size and time of last change: what tells one content of a file from the next.
struct FileStamp: Equatable {
  let size: Int
  let seconds: Int
  let nanoseconds: Int
  let isRegular: Bool

  init(descriptor: Int32, path: String) throws(FileError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .system(.inspect, path: path, code: errno)
    }
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }
}

/// Owner of the mapped pages and of the open file behind them.
@safe
private final class FileMapping: FilePages {
  // Read-only pages, unmapped only when the last user is gone.
  nonisolated(unsafe) let base: UnsafeRawPointer
  let count: Int
  let descriptor: Int32
  let stamp: FileStamp
  // Nil for lack of memory, or for an empty file, which has nothing to lose.
  private nonisolated(unsafe) let watch: OpaquePointer?

  var hasLostPages: Bool { unsafe watch.map { unsafe watched_pages_are_lost($0) != 0 } ?? false }

  init(path: String) throws(FileError) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .system(.open, path: path, code: errno) }
    do throws(FileError) {
      stamp = try FileStamp(descriptor: file, path: path)
      guard stamp.isRegular else { throw .notRegular(path: path) }
      try refusePointer(file, size: stamp.size, path: path)
      unsafe base = try FileMapping.map(file, count: stamp.size, path: path)
    } catch {
      close(file)
      throw error
    }
    count = stamp.size
    descriptor = file
    unsafe watch = count == 0 ? nil : unsafe watch_pages(base, count, path)
  }

  deinit {
    if let watch = unsafe watch { unsafe unwatch_pages(watch) }
    unsafe munmap(UnsafeMutableRawPointer(mutating: base), max(count, 1))
    close(descriptor)
  }

  private static func map(
    _ file: Int32, count: Int, path: String
  ) throws(FileError) -> UnsafeRawPointer {
    // An empty file cannot be mapped; one anonymous page stands in for it.
    let pages = unsafe mmap(
      nil, max(count, 1), PROT_READ, count == 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE,
      count == 0 ? -1 : file, 0)
    guard unsafe pages != MAP_FAILED else { throw .system(.map, path: path, code: errno) }
    return unsafe UnsafeRawPointer(pages.unsafelyUnwrapped)
  }
}
