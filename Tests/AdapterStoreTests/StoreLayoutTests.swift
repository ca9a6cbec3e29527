import Testing

@testable import AdapterStore

@Suite struct StoreLayoutTests {
  @Test(arguments: [
    (["FMADAPTER_HOME": "/a", "XDG_DATA_HOME": "/b", "HOME": "/c"], "/a"),
    (["FMADAPTER_HOME": "a", "HOME": "/c"], "/here/a"),
    (["FMADAPTER_HOME": "", "XDG_DATA_HOME": "/b", "HOME": "/c"], "/b/fmadapter"),
    (["XDG_DATA_HOME": "b", "HOME": "/c"], "/c/.local/share/fmadapter"),
    (["HOME": "/c"], "/c/.local/share/fmadapter"),
  ])
  func theFirstVariableThatSaysSoDecides(_ environment: [String: String], _ root: String) throws {
    #expect(try StoreLocation.root(environment: environment, directory: "/here") == root)
  }

  @Test func withoutAnyThereIsNoPlace() {
    #expect(throws: StoreError.noHome) {
      try StoreLocation.root(environment: ["HOME": "relative"], directory: "/here")
    }
  }
}
