import Foundation
import LanguageModels
import TestSupport
import Testing

@testable import AdapterStore

/// While a folder of the hub is converted, which may take minutes.
@Suite(.waits) struct ConversionTests {
  private static let reference = "hf:o/r"
  private static let commit = String(repeating: "c", count: 40)

  /// A store over `fixture`, and a hub that has one folder.
  private func store(_ fixture: StoreFixture) throws -> AdapterStore {
    let files = ["config.json", "tokenizer.json", "model.safetensors"]
    let listing: [String: Any] = [
      "sha": Self.commit, "siblings": files.map { ["rfilename": $0, "size": 2] },
    ]
    let hub = ModelHub(environment: [:])
    var objects = Dictionary(
      uniqueKeysWithValues: files.map {
        (hub.file($0, of: "o/r", at: Self.commit), ScriptedServer.Object(bytes: Array("{}".utf8)))
      })
    objects[hub.listing(try HubReference(Self.reference))] = .init(
      bytes: [UInt8](try JSONSerialization.data(withJSONObject: listing)))
    return fixture.store(over: ScriptedServer(objects))
  }

  /// A conversion that says when it begins, and works until its task is cancelled.
  private func endless(_ began: AsyncStream<Void>.Continuation) -> FolderConversion {
    FolderConversion(name: "q8_0", isDemanded: false, examine: { _ in }) { _, _ in
      began.finish()
      while !Task.isCancelled { sched_yield() }
      throw BaseModelError.cancelled
    }
  }

  @Test(arguments: ["the store", "the control", "the task"])
  func anythingElseIsAnsweredAndACancellationEndsIt(_ how: String) async throws {
    let fixture = try StoreFixture()
    let store = try store(fixture)
    try await store.installAdapter(.path(try fixture.package("demo")))
    let (began, begins) = AsyncStream<Void>.makeStream()
    let (conversion, control) = (endless(begins), DownloadControl())
    let task = Task {
      try await store.installBase(
        .hub(try HubReference(Self.reference), conversion), control: control)
    }
    for await _ in began {}
    #expect(try store.adapters().adapters.map(\.identifier.name) == ["demo"])
    #expect(store.pause(Self.reference) && store.resume(Self.reference))
    switch how {
    case "the store": #expect(store.cancel(Self.reference))
    case "the control": control.cancel()
    default: task.cancel()
    }
    await #expect(throws: StoreError.cancelled) { try await task.value }
    #expect(!store.cancel(Self.reference))
    #expect(try store.bases().bases.isEmpty)
  }

  @Test func severalDownloadsOfOneNameAreEndedTogether() {
    let (first, second) = (DownloadControl(), DownloadControl())
    let downloads = DownloadsInProgress()
    downloads.begin(first, as: ["name", "address"])
    downloads.begin(second, as: ["address"])
    #expect(downloads.controls(of: "address").count == 2)
    downloads.end(second, as: ["address"])
    #expect(downloads.controls(of: "address").map { $0 === first } == [true])
    downloads.end(first, as: ["name", "address"])
    #expect(downloads.controls(of: "name").isEmpty && downloads.controls(of: "address").isEmpty)
  }
}
