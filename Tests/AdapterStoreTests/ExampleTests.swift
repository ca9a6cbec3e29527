import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import AdapterStore

/// Brings a base and an adapter for it into the store at `root`; gives the identifiers of all that is there.
func fill(_ root: String, base: String, package: String) async throws -> [String] {
  let store = AdapterStore(root: root, tool: "example 1.0")
  try await store.installBase(base)
  try await store.installAdapter(package)
  return try await store.adapters().adapters.map { "\($0.identifier)" }
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() async throws {
    let folder = try TemporaryDirectory()
    let adapters = Fixtures.repository.appendingPathComponent("adapters").path
    let identifiers = try await fill(
      folder.path("store"), base: adapters + "/base/afm-9m.gguf",
      package: adapters + "/tagging.fmadapter")
    #expect(identifiers.count == 1)
    #expect(identifiers[0].hasPrefix("fmadapter-tagging-"))
  }
}
