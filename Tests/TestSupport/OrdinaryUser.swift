import Foundation

/// A user whom permissions bind: root is refused nothing.
package enum OrdinaryUser {
  private typealias SetUser = @Sendable @convention(c) (uid_t) -> Int32

  /// Runs `body`, which may not leave its thread, as somebody who owns `folder` and all that is in it.
  package static func run<R>(owning folder: String, _ body: () throws -> R) throws -> R {
    guard geteuid() == 0 else { return try body() }
    let nobody: uid_t = 65534
    let inside = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    for path in [folder] + inside.map({ "\(folder)/\($0)" }) { lchown(path, nobody, nobody) }
    // The system's own call is about files and one thread alone; nothing else in the process notices.
    let setUser = unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
    _ = setUser(nobody)
    defer { _ = setUser(0) }
    return try body()
  }
}
