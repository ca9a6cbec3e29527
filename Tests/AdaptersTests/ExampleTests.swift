import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import Adapters

/// Prints what is wrong with a package, or what it is; tells whether it may be used.
func review(_ package: String) throws -> Bool {
  let report = try AdapterCheck.run(package: package)
  for finding in report.findings { print(finding) }
  guard report.isAccepted else { return false }
  let info = try AdapterInfo(package: package)
  print(info.metadata.adapterIdentifier, "rank", info.rank, "alpha", info.alpha)
  return true
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    let source = Fixtures.repository.appendingPathComponent("adapters/afm-9m/tagging.fmadapter")
    #expect(try review(source.path))
    let copy = try folder.copy(source, to: "copy.fmadapter")
    try folder.write("{}", to: "copy.fmadapter/metadata.json")
    #expect(try !review(copy))
  }
}
