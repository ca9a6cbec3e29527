import Adapters
import SystemFiles

/// What files of a store look like: as long as that stays the same, so does what was read of them.
package struct StoreStamp: Sendable {
  private struct Mark: Equatable {
    let device, inode: UInt64
    let size: Int
    let modified: Double
  }

  private let marks: [Mark?]

  /// What stands at `paths` now.
  package init(of paths: [String]) {
    marks = paths.map { path in
      (try? FileSystem.info(path)).flatMap(\.self).map { info in
        Mark(device: info.device, inode: info.inode, size: info.size, modified: info.modified)
      }
    }
  }

  /// Whether every change since `time`, in seconds since 1970, would have left a mark: file systems keep times in steps, so what had just
  /// been changed then may have been changed again.
  package func isSettled(at time: Double) -> Bool {
    marks.allSatisfy { ($0?.modified ?? 0) < time - 2 }
  }

  /// Whether nothing has changed between two looks.
  package static func == (left: Self, right: Self) -> Bool { left.marks == right.marks }
}

extension AdapterStore {
  /// What the folders look like now that say which bases and adapters there are.
  package func stamp() -> StoreStamp {
    StoreStamp(of: [layout.current, layout.bases, layout.adapters])
  }

  /// The files that say which base is in use, and what it is, if it is `base`.
  package func paths(of base: InstalledBase) -> [String] {
    let folder = layout.base(base.signature)
    return [
      layout.current, layout.bases, folder, FilePath.join(folder, StoreLayout.receipt), base.path,
    ]
  }

  /// The files that say which adapters there are, and what `adapter` is.
  package func paths(of adapter: InstalledAdapter) -> [String] {
    let folder = layout.adapter(adapter.identifier)
    let files = [PackageFile.metadata, PackageFile.weights].map {
      FilePath.join(adapter.path, $0)
    }
    return [layout.adapters, folder, FilePath.join(folder, StoreLayout.receipt), adapter.path]
      + files
  }
}
