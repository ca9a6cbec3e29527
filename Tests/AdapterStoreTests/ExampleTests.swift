import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import AdapterStore

/// Brings a base and an adapter for it into the store at `root`; gives the identifiers of all that is there.
func fill(_ root: String, base: String, package: String) async throws -> [String] {
  let store = AdapterStore(root: root, tool: "example 1.0")
  try await store.installBase(.path(base))
  try await store.installAdapter(.path(package))
  return try store.adapters().adapters.map { "\($0.identifier)" }
}
// docs:end

// docs:begin
/// Installs the newest release of an adapter that a catalog has; whoever holds `control` can pause it.
func install(
  _ name: String, from catalog: String, into store: AdapterStore, control: DownloadControl
) async throws -> InstalledAdapter? {
  guard let request = AdapterRequest(name) else { return nil }
  let source = try CatalogSource(catalog, directory: "/")
  try store.addCatalog(source)
  let (offer, _) = try await store.resolve(request, from: source)
  async let installation = store.installAdapter(.offer(offer), control: control)
  for await progress in control.progress {
    print(progress.file, progress.received, progress.total ?? 0)
  }
  return try await installation.adapter
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() async throws {
    let folder = try TemporaryDirectory()
    let adapters = Fixtures.repository.appendingPathComponent("adapters").path
    let identifiers = try await fill(
      folder.path("store"), base: adapters + "/afm-9m/afm-9m.gguf",
      package: adapters + "/afm-9m/tagging.fmadapter")
    #expect(identifiers.count == 1)
    #expect(identifiers[0].hasPrefix("fmadapter-tagging-"))
    let site = folder.path("site")
    _ = try CatalogPublisher(directory: site).publish([adapters + "/afm-9m/commands.fmadapter"])
    let store = AdapterStore(root: folder.path("store"), tool: "example 1.0")
    let adapter = try await install(
      "commands", from: site, into: store, control: DownloadControl())
    #expect(adapter?.identifier.name == "commands")
  }
}
