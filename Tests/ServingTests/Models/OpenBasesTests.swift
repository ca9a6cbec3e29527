import TestSupport
import Testing

@testable import Serving

@Suite struct OpenBasesTests {
  private func made(_ name: String) throws(ServingError) -> ServedBase {
    do {
      return try ServedBase(
        ServedStore.bundled("afm-9m.gguf"), name: name, signature: name,
        ServingOptions(cacheBytes: 16 << 20), prepare: { _ in })
    } catch {
      throw ServingError(.failed, "\(error)")
    }
  }

  private func open(
    _ bases: OpenBases, _ name: String, bytes: Int = 60
  ) throws(ServingError) -> ServedBase {
    try bases.base(signed: name, bytes: bytes) { () throws(ServingError) in try made(name) }
  }

  @Test func whoIsIdleGivesWay() throws {
    let bases = OpenBases(limit: 130)
    for name in ["a", "b", "a"] { _ = try open(bases, name) }
    _ = try open(bases, "c")
    #expect(bases["a"] != nil && bases["b"] == nil && bases["c"] != nil)
  }

  @Test func whoAnswersStays() throws {
    let bases = OpenBases(limit: 100)
    let kept = try open(bases, "a")
    let error = #expect(throws: ServingError.self) { try open(bases, "b") }
    #expect(error?.kind == .unavailable)
    #expect(try open(bases, "a") === kept)
    withExtendedLifetime(kept) {}
  }

  @Test func whatNeverFitsIsRefused() {
    let error = #expect(throws: ServingError.self) {
      try open(OpenBases(limit: 100), "a", bytes: 101)
    }
    #expect(error?.kind == .invalidRequest && error?.code == "model_too_large")
  }

  @Test func keysAndValuesCount() throws {
    let bases = OpenBases(limit: 1 << 20)
    let model = try ServedModel(
      name: "a", base: open(bases, "a"), adapters: [], speculation: .init())
    var request = GenerationRequest(.text(String(repeating: "Once upon a time. ", count: 60)))
    request.maximumTokens = 2
    var generation: Generation? = try Generation(
      request, GenerationPrompt(request, model), model, seed: nil)
    while try generation?.next(isCancelled: { false }) != nil {}
    generation = nil
    #expect(model.base.pool.bytes > 0)
    let left = (1 << 20) - 60 - model.base.pool.bytes
    #expect(throws: ServingError.self) { try open(bases, "b", bytes: left + 1) }
    _ = try open(bases, "b", bytes: left)
  }

  /// Where the machine has less memory than the limit says.
  @Test func idleOnesGoWhereOneCannotBeOpened() throws {
    let bases = OpenBases(limit: 1000)
    _ = try open(bases, "a")
    var attempts = 0
    let opened = try bases.base(signed: "b", bytes: 1) { () throws(ServingError) in
      attempts += 1
      if attempts == 1 { throw ServingError(.failed, "There is no memory.") }
      return try made("b")
    }
    #expect(attempts == 2 && opened.name == "b" && bases["a"] == nil)
    #expect(throws: ServingError.self) {
      try OpenBases(limit: 1000).base(signed: "c", bytes: 1) { () throws(ServingError) in
        throw ServingError(.failed, "There is no memory.")
      }
    }
  }
}
