/// A change of the file system, as ``FileSystem/recorder`` is told of it.
package enum FileChange: Sendable, Equatable {
  case makeDirectory(String)
  /// A file that was opened, and made empty where there was none.
  case create(String)
  /// These bytes of the file were written.
  case write(String, Range<Int>)
  /// The file has so many bytes from now on.
  case cut(String, to: Int)
  case link(String, to: String)
  case rename(String, to: String)
  case exchange(String, String)
  case remove(String)
  case changeMode(String, UInt32)
  /// What was changed in the file, or the names in the directory, is on the disk.
  case sync(String)
}

extension FileSystem {
  /// Told of each change that this task makes, once it is made; nil in the program.
  ///
  /// Tests put together what a loss of power would leave of the changes that no sync had brought to the disk.
  @TaskLocal package static var recorder: (@Sendable (FileChange) -> Void)?

  static func record(_ change: @autoclosure () -> FileChange) { recorder?(change()) }
}
