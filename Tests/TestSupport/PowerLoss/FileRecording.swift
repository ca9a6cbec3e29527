import Synchronization
package import SystemFiles

/// What a task has done to the files below a folder, in order.
package struct FileRecording: Sendable {
  package struct Step: Sendable {
    package let operation: FileChange
    /// The bytes that were written, or those of the file that got a second name.
    let bytes: [UInt8]
  }

  package let folder: String
  /// What was there before, and is there now.
  package let before, after: FileTree
  package let steps: [Step]

  /// Records what `body` does below `folder`, in its own task and in those that it waits for.
  package init(of folder: String, _ body: @Sendable () async throws -> Void) async throws {
    let recorder = Recorder()
    self.folder = folder
    before = try FileTree(reading: folder)
    try await FileSystem.$recorder.withValue({ recorder.note($0) }, operation: body)
    after = try FileTree(reading: folder)
    steps = recorder.steps.withLock { $0 }
  }

  private init(_ steps: [Step], like other: FileRecording) {
    (folder, before, after, self.steps) = (other.folder, other.before, other.after, steps)
  }

  /// The same on a file system that cannot exchange: three renames in the place of each exchange.
  package var withoutExchange: FileRecording {
    let steps = steps.flatMap { step in
      guard case .exchange(let first, let second) = step.operation else { return [step] }
      let aside = FilePath.sibling(of: second)
      return [(second, aside), (first, second), (aside, first)].map {
        Step(operation: .rename($0, to: $1), bytes: [])
      }
    }
    return FileRecording(steps, like: self)
  }
}

private final class Recorder: Sendable {
  let steps = Mutex<[FileRecording.Step]>([])

  func note(_ operation: FileChange) {
    let bytes =
      switch operation {
      case .write(let path, let range): read(path, range)
      case .link(let path, to: _): read(path, nil)
      default: [UInt8]()
      }
    steps.withLock { $0.append(FileRecording.Step(operation: operation, bytes: bytes)) }
  }

  private func read(_ path: String, _ range: Range<Int>?) -> [UInt8] {
    do {
      let file = try FileReader(path: path)
      return try file.read(range ?? 0..<file.size)
    } catch {
      preconditionFailure("what was written a moment ago cannot be read: \(error)")
    }
  }
}
