import AdapterStore
import Foundation
import TestSupport

@testable import Serving

/// A store with the embedded base and two of its adapters, and a server of them on a free port.
final class ServedStore: Sendable {
  static let baseName = "afm-9m"

  private let folder: TemporaryDirectory
  let store: AdapterStore
  let models: ServedModels
  let server: InferenceServer

  init(
    _ guarding: RequestGuard = RequestGuard(), adapters: [String] = ["tagging", "playwriting"],
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
    server = InferenceServer(models, guarding)
  }

  static func bundled(_ name: String) -> String {
    Fixtures.repository.appendingPathComponent("adapters/afm-9m/\(name)").path
  }

  /// Serves on a free port while `body` runs.
  func serving<R>(
    _ limits: HTTPLimits = HTTPLimits(), _ body: (Int) async throws -> R
  ) async throws -> R {
    let http = HTTPServer(limits, check: server.refusal, handler: server.answer)
    let socket = try ListeningSocket(.address("127.0.0.1", port: 0))
    guard case .address(_, let port) = socket.place, http.start(on: socket) else {
      throw CancellationError()
    }
    defer { http.stop() }
    return try await body(port)
  }
}
