import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct ConcurrencyTests {
  /// Stores that share nothing but the directory, each on a thread of its own, as processes would.
  private func eight<R: Sendable>(
    _ fixture: StoreFixture, _ body: @escaping @Sendable (AdapterStore, Int) async throws -> R
  ) async throws -> [R] {
    try await withThrowingTaskGroup(of: R.self) { group in
      for index in 0..<8 {
        let store = fixture.store()
        group.addTask { try await body(store, index) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func eightInstallTheSame() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.package()
    let outcomes = try await eight(fixture) { store, _ in
      try await store.installAdapter(.path(source)).outcome
    }
    #expect(outcomes.filter { $0 == .installed }.count == 1)
    #expect(outcomes.allSatisfy { $0 != .replaced })
    #expect(try fixture.names("ingest") == [])
  }

  @Test func ofEightThatRemoveTheSameOneDoes() async throws {
    let fixture = try StoreFixture()
    let package = try fixture.package()
    let base = try fixture.base("a.gguf")
    for _ in 0..<10 {
      try await fixture.store().installAdapter(.path(package))
      try await fixture.store().installBase(.path(base))
      let outcomes = try await eight(fixture) { store, index in
        do throws(StoreError) {
          if index.isMultiple(of: 2) {
            try store.removeAdapter(index < 4 ? "demo" : "fmadapter-demo-0123456")
          } else {
            try store.removeBase("a")
          }
          return Int32(index % 2 * 100)
        } catch {
          return [.noAdapter, .noBase].contains(error.code) ? 3 : -1
        }
      }
      #expect(outcomes.sorted() == [0, 3, 3, 3, 3, 3, 3, 100])
      #expect(try fixture.names("ingest") == [])
    }
  }

  @Test func eightInstallTwoVersionsAndOneOfThemIsThere() async throws {
    let fixture = try StoreFixture()
    let sources = try [fixture.package(version: 1), fixture.package(version: 2)]
    _ = try await eight(fixture) { store, index in
      try await store.installAdapter(.path(sources[index % 2])).outcome
    }
    let adapter = try fixture.store().adapter(named: "demo")
    let receipt = try #require(adapter.receipt)
    for file in receipt.files {
      let path = FilePath.join(FilePath.parent(of: adapter.path), file.path)
      #expect(try FileRecord(path: file.path, file: path) == file, "a mixture of both")
    }
    #expect(try fixture.names("ingest") == [])
  }

  @Test func installingAndRemovingAtOnceEndsInOneOfTheTwo() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.package()
    _ = try await eight(fixture) { store, index in
      for _ in 0..<5 {
        if index.isMultiple(of: 4) {
          _ = try? store.removeAdapter("fmadapter-demo-0123456")
        } else {
          // It may be removed again before its own installer looks at it, and was installed all the same.
          try await store.installAdapter(.path(source))
        }
        _ = try store.adapters()
      }
    }
    let (adapters, problems) = try fixture.store().adapters()
    #expect(adapters.count <= 1 && problems.isEmpty)
    #expect(try fixture.names("ingest") == [])
    #expect(try await fixture.store().installAdapter(.path(source)).outcome != .replaced)
  }

  @Test func eightAddAndRemoveCatalogsAndNoneIsLost() async throws {
    let fixture = try StoreFixture()
    let sources = try (0..<8).map { try CatalogSource("https://\($0).example/", directory: "/") }
    _ = try await eight(fixture) { store, index in
      for _ in 0..<5 {
        try store.addCatalog(sources[index])
        if index.isMultiple(of: 4) { try store.removeCatalog(sources[index]) }
      }
    }
    let (catalogs, problems) = fixture.store().catalogs()
    let kept = sources.enumerated().filter { !$0.offset.isMultiple(of: 4) }.map(\.element)
    #expect(Set(catalogs) == Set(kept))
    #expect(catalogs.count == kept.count && problems.isEmpty)
  }
}
