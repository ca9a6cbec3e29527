import Foundation
import TestSupport
import Testing

/// The program killed at random points, and interrupted.
@Suite(.waits) struct KillTests {
  /// What is going on when the program is killed.
  private func action(_ round: Int, _ store: FaultStore) -> [String] {
    switch round % 5 {
    case 0: ["update"]
    case 1: ["install", "--force", store.versions[0].path]
    case 2: ["remove", FaultStore.identifier]
    case 3: ["install", "--force", store.versions[1].path]
    default: ["prune", "--yes"]
    }
  }

  @Test func aKillAtAnyPointLeavesAWholeStore() throws {
    let store = try FaultStore()
    let server = try store.addCatalog()
    defer { withExtendedLifetime(server) {} }
    let install = try Tool.launch(["install", store.versions[0].path], store: store.folder).duration
    let update = try Tool.launch(["update"], store: store.folder).duration
    try #require(store.installedVersion() == "9.0.0")
    _ = try store.run("install", "--force", store.versions[0].path)
    var random = SeededGenerator(seed: 41)
    for round in 0..<(runsAllTests ? 200 : 7) {
      let usual = action(round, store) == ["update"] ? update : install
      let program = try store.start(action(round, store))
      // Where it is hit depends on the machine; that it may be hit anywhere does not.
      usleep(UInt32(Double(random.float(in: 0.1..<1.1)) * (usual / .microseconds(1))))
      kill(program.process.processIdentifier, SIGKILL)
      _ = try program.finish()

      let state = "\(random), round \(round), \(action(round, store))"
      #expect(try store.run("list").status == 0, "\(state)")
      let verified = try store.run("verify")
      #expect(verified.status == 0, "\(state): \(verified.text)")
      if ["update", "install"].contains(action(round, store)[0]) {
        #expect(
          try store.names("adapters") == [FaultStore.identifier], "the old or the new, \(state)")
      }
      let left = try store.leftovers()
      // What is new has a folder there, and what it replaces gets one on its way out.
      #expect(left.orphans.count <= 2 && left.partials.count <= 1, "\(state): \(left)")
      // A download that was cut short goes on; one of the two others is new to the store, whatever is in it.
      let updated = try store.run("update")
      #expect(updated.status == 0, "\(state): \(updated.errorText)")
      for version in store.versions {
        try store.run("install", "--force", version.path).expectSuccess()
      }
      // What was about to be made has no name yet, and waits a minute.
      #expect(try store.names("ingest").filter { !$0.hasPrefix(".") } == [], "\(state)")
      #expect(try store.names("adapters") == [FaultStore.identifier], "\(state)")
    }
  }

  @Test func ctrlCEndsItSoonAndLeavesAWholeStore() throws {
    let store = try FaultStore()
    try store.run("install", store.versions[0].path).expectSuccess()
    try store.plantEndless()
    var random = SeededGenerator(seed: 43)
    for round in 0..<(runsAllTests ? 20 : 4) {
      let words = round.isMultiple(of: 2) ? ["verify"] : ["install", store.versions[1].path]
      let program = try store.start(words)
      usleep(UInt32(random.float(in: 20_000..<150_000)))
      let start = ContinuousClock.now
      program.interrupt()
      let result = try program.finish()
      let time = start.duration(to: .now)
      #expect(time < soon, "\(words) \(time)")
      // Before the program listens, the signal ends it as it ends every program: 128 + 2.
      #expect(
        result.status == 130 || words != ["verify"] && result.status == 0,
        "\(words): \(result.status), \(result.errorText)")
      #expect(try store.names("ingest").count { !$0.hasPrefix(".") } <= 1)
    }
    try store.run("remove", "fmadapter-large-0123456").expectSuccess()
    try store.run("verify").expectSuccess()
  }

  @Test func somethingIsSaidBeforeTheWorkIsDone() throws {
    let store = try FaultStore()
    try store.plantEndless()
    let program = try Subprocess(
      "/bin/sh", ["-c", "exec \"$TOOL\" verify 2>&1"],
      environment: ["FMADAPTER_HOME": store.root, "TOOL": Tool.path])
    let first = program.readSome()
    #expect(String(decoding: first, as: UTF8.self).hasPrefix("verifying "))
    #expect(program.process.isRunning)
    program.interrupt()
    try program.finish().expectStatus(130)
  }

  @Test func eightProcessesInstallRemoveAndVerify() throws {
    let store = try FaultStore()
    let sample = try SampleBase()
    let jobs: [[String]] = [
      ["install", store.versions[0].path], ["install", store.versions[0].path],
      ["install", store.versions[1].path], ["install", sample.package],
      ["base", "install", sample.base], ["remove", FaultStore.identifier], ["verify"],
      ["prune", "--partials-only", "--yes"],
    ]
    for _ in 0..<(runsAllTests ? 10 : 2) {
      let programs = try jobs.map(store.start)
      for (job, program) in zip(jobs, programs) {
        let result = try program.finish()
        // What another has just removed is not found; that is the only way to fail.
        #expect([0, 3].contains(result.status), "\(job): \(result.errorText)")
      }
      #expect(try store.names("ingest") == [])
      let verified = try store.run("verify")
      #expect(verified.status == 0, "\(verified.text)")
    }
    #expect(try store.names("adapters").contains("fmadapter-echo-ccccccc"))
    #expect(try store.names("bases") == [SampleBase.signature])
  }
}
