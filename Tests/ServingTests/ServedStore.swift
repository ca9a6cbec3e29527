import AdapterStore
import Adapters
import Foundation
import Synchronization
import TestSupport

@testable import Serving

/// A store with the embedded base and two of its adapters, and a server of them on a free port.
final class ServedStore: Sendable {
  static let baseName = "afm-9m"

  private let folder: TemporaryDirectory
  let store: AdapterStore
  let models: ServedModels
  let server: InferenceServer
  /// The requests that are over.
  let log = Log()

  final class Log: Sendable {
    private let state = Mutex<[RequestRecord]>([])

    func note(_ record: RequestRecord) { state.withLock { $0.append(record) } }

    /// What came of the requests, once there are so many.
    func records(_ count: Int) async -> [RequestRecord] {
      while true {
        let records = state.withLock { $0 }
        if records.count >= count { return records }
        await Task.yield()
      }
    }
  }

  init(
    _ guarding: RequestGuard = RequestGuard(), adapters: [String] = ["tagging", "playwriting"],
    studio: Studio? = nil,
    _ change: (inout ServingOptions) -> Void = { _ in }
  ) async throws {
    folder = try TemporaryDirectory(inMemory: true)
    store = AdapterStore(root: folder.path("store"), tool: "test")
    let base = try await store.installBase(.path(Self.bundled("afm-9m.gguf"))).base
    for adapter in adapters {
      _ = try await store.installAdapter(.path(Self.bundled("\(adapter).fmadapter")))
    }
    var options = ServingOptions(cacheBytes: 256 << 20)
    change(&options)
    models = try ServedModels(
      base: base.path, name: base.name, signature: base.signature, store: store, options,
      prepare: { _ in })
    server = InferenceServer(models, guarding, studio: studio, log: log.note)
  }

  static func bundled(_ name: String) -> String {
    Fixtures.repository.appendingPathComponent("adapters/afm-9m/\(name)").path
  }

  /// Installs the adapter `activated`, which begins at `invocation`.
  func installActivated(invocation: [Int32]) async throws {
    let base = models.base
    let plain = try Adapter(
      inspecting: Self.bundled("tagging.fmadapter"), base: base.model.contract())
    var metadata = plain.metadata
    metadata.adapterIdentifier =
      AdapterIdentifier(name: "activated", signature: base.signature) ?? metadata.adapterIdentifier
    metadata.statedSettings?.invocation = invocation
    let package = try AdapterWriter.write(
      metadata, layers: plain.layers, to: folder.path("activated"))
    _ = try await store.installAdapter(.path(package))
  }

  /// Serves on a free port while `body` runs.
  func serving<R>(
    _ limits: HTTPLimits = HTTPLimits(), _ body: (Int) async throws -> R
  ) async throws -> R {
    let http = HTTPServer(
      limits, check: server.refusal, handler: server.answer, ended: server.ended)
    let socket = try ListeningSocket(.address("127.0.0.1", port: 0))
    guard case .address(_, let port) = socket.place, http.start(on: [socket]) else {
      throw CancellationError()
    }
    defer { http.stop() }
    return try await body(port)
  }
}
