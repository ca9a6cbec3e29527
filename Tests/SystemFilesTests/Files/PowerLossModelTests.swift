import TestSupport
import Testing

@testable import SystemFiles

/// What a loss of power may leave, by the model that tests of the store rest on.
@Suite struct PowerLossModelTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// All states after `body`, in its midst or at its end.
  private func crashes(
    _ body: @Sendable () async throws -> Void
  ) async throws -> [PowerLossModel.Crash] {
    let recording = try await FileRecording(of: folder.path, body)
    let model = try PowerLossModel(recording)
    #expect(model.end(in: "") == recording.after)
    return model.crashes(in: "", limit: .max, seed: 1)
  }

  @Test(
    arguments: [
      (false, [[7], [], [0, 0], [8], [8, 9]]), (true, [[7], [8, 9]]),
    ] as [(Bool, Set<[UInt8]>)])
  func aNameMayComeWithoutItsBytes(syncs: Bool, possible: Set<[UInt8]>) async throws {
    let (path, copy) = (try folder.write([7], to: "file"), folder.path("copy"))
    let crashes = try await crashes {
      let file = try WritableFile(path: copy)
      try file.write([8, 9], at: 0)
      if syncs { try file.sync() }
      try FileSystem.rename(copy, to: path)
    }
    #expect(Set(crashes.compactMap { $0.tree.bytes("file") }) == possible)
  }

  @Test func namesComeInAnyOrderButThatOfOneName() async throws {
    let (one, two) = (folder.path("one"), folder.path("two"))
    let crashes = try await crashes {
      for path in [one, two] { try FileSystem.createDirectory(path, lasts: false) }
      try FileSystem.rename(two, to: folder.path("three"))
    }
    let lost = crashes.filter { !$0.isKill }.map { $0.tree.items.keys.sorted() }
    #expect(Set(lost) == [[], ["one"], ["two"], ["one", "two"], ["three"], ["one", "three"]])
  }

  @Test func aSyncOfAFolderBringsItsNamesAndNoBytes() async throws {
    let path = folder.path("file")
    let crashes = try await crashes {
      try WritableFile(path: path).write([8, 9], at: 0)
      try FileSystem.syncDirectory(folder.path)
    }
    let ends = crashes.filter { $0.isEnd && !$0.isKill }.map { $0.tree.bytes("file") }
    #expect(Set(ends) == [[], [0, 0], [8], [8, 9]])
  }

  @Test func anExchangeIsWholeOrNot() async throws {
    for name in ["one", "two"] { try folder.write(name, to: "\(name)/file") }
    let crashes = try await crashes {
      try FileSystem.exchange(folder.path("one"), folder.path("two"))
    }
    let texts = crashes.map { crash in
      ["one/file", "two/file"].map { String(decoding: crash.tree.bytes($0) ?? [], as: UTF8.self) }
    }
    #expect(Set(texts) == [["one", "two"], ["two", "one"]])
  }

  @Test func anAtomicFileIsTheOldOrTheNew() async throws {
    let path = try folder.write([7], to: "file")
    let crashes = try await crashes { try AtomicFile.write([8, 9], to: path) }
    #expect(Set(crashes.map { $0.tree.bytes("file") }) == [[7], [8, 9]])
    #expect(Set(crashes.filter(\.isEnd).map { $0.tree.bytes("file") }) == [[8, 9]])
  }

  @Test(arguments: [true, false]) func aFolderThatIsToLastDoes(lasts: Bool) async throws {
    let path = folder.path("one/two")
    let crashes = try await crashes { try FileSystem.createDirectory(path, lasts: lasts) }
    let ends = crashes.filter(\.isEnd).map { $0.tree.items.keys.contains("one/two") }
    #expect(Set(ends) == (lasts ? [true] : [true, false]))
  }
}
