import AdapterStore
import Foundation
import TestSupport
import Testing

/// Containers on one machine that share a store: each gives out the numbers of processes anew, and the program is number 1 in all.
@Suite(.waits, .disabled(if: Container.isMissing)) struct ContainerTests {
  private let folder: TemporaryDirectory
  private let server: FaultServer
  private let store: AdapterStore
  /// The first download stalls after 2 MB, for as long as a server may; the next ones do not.
  private let address: String

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write([UInt8](repeating: 7, count: 3_000_000), to: "site/large.gguf")
    server = try FaultServer(root: folder.path("site"))
    store = AdapterStore(root: folder.path("store"), tool: "tests")
    address = server.url("stall;at=2000000;times=1", file: "large.gguf")
  }

  /// A container whose download has come to its stall.
  private func stalled() throws -> Subprocess {
    let program = try Container.start(["base", "install", address], store: store.root)
    try wait("bytes") { try store.partials().contains { $0.received > 0 } }
    return program
  }

  /// Looks until `isSo`, for half a minute.
  private func wait(_ what: String, until isSo: () throws -> Bool) throws {
    for _ in 0..<3000 {
      if try isSo() { return }
      poll(nil, 0, 10)
    }
    Issue.record("no \(what) within half a minute")
  }

  @Test func whatAKilledContainerLeftIsGoneOnWith() throws {
    let first = try stalled()
    kill(first.process.processIdentifier, SIGKILL)
    _ = try first.finish()
    try wait("end of the process") { try store.partials().allSatisfy { !$0.isActive } }
    let received = try #require(try store.partials().first).received
    // What it comes to is no base; here it is about its way.
    let second = try Container.start(["base", "install", address], store: store.root).finish()
    #expect(second.status == 4, "\(second.errorText)")
    let ranges = try server.requests(of: address).compactMap { $0.headers["range"] }
    #expect(ranges.contains("bytes=\(received)-2999999"), "\(ranges)")
  }

  @Test func aContainerThatLivesIsLeftAlone() throws {
    let first = try stalled()
    defer {
      kill(first.process.processIdentifier, SIGKILL)
      _ = try? first.finish()
    }
    let before = try store.partials()
    #expect(before.map(\.isActive) == [true])
    let package = try SamplePackage()
    for words in [
      ["install", package.path], ["prune", "--partials-only", "--yes"], ["doctor", "--fix"],
      ["remove", try #require(before.first).name],
    ] {
      let result = try Container.start(words, store: store.root).finish()
      #expect([0, 6, 8, 9].contains(result.status), "\(words): \(result.errorText)")
      #expect(try store.partials().map(\.path) == before.map(\.path), "\(words)")
      #expect(try store.partials().map(\.isActive) == [true], "\(words)")
    }
    #expect(first.process.isRunning)
  }
}

/// A namespace in which the program is process 1.
private enum Container {
  private static let words = ["-rpf", "--mount-proc", "--kill-child"]

  /// Whether the system allows none; says so.
  static var isMissing: Bool {
    let probe = try? Subprocess.run("/usr/bin/unshare", words + ["/bin/sh", "-c", "test $$ = 1"])
    let isMissing = probe?.status != 0
    if isMissing { print("skipped: neither user nor process namespaces are allowed here") }
    return isMissing
  }

  /// Starts the program in a namespace of its own.
  static func start(_ arguments: [String], store: String) throws -> Subprocess {
    try Subprocess(
      "/usr/bin/unshare", words + [Tool.path] + arguments, environment: ["FMADAPTER_HOME": store])
  }
}
