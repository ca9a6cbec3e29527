import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct StudioRoutesTests {
  private static let key = ["Authorization: Bearer token"]

  /// Serves a studio in a folder of its own.
  private func serving(
    _ body: (_ port: Int, _ program: TestProgram, _ folder: TemporaryDirectory) throws -> Void
  ) async throws {
    let (folder, program) = (try TemporaryDirectory(), TestProgram())
    var guarding = RequestGuard()
    guarding.setKeys("token")
    let studio = Studio(folder: folder.path("made"), program)
    try await ServedStore(guarding, adapters: [], studio: studio).serving { port in
      try body(port, program, folder)
    }
  }

  private func ask(
    _ method: String, _ path: String, _ body: String = "", _ more: [String] = [], _ port: Int
  ) throws -> TestAnswer {
    try TestAnswer.of(method, "/studio/\(path)", body, fields: Self.key + more, port: port)
  }

  @Test func nobodyComesInWithoutTheToken() async throws {
    try await serving { port, _, _ in
      for route in InferenceServer.studioRoutes + InferenceServer.pageRoutes where !route.isOpen {
        let path = route.path.hasSuffix("/") ? route.path + "1" : route.path
        let bare = try TestAnswer.of(route.method, path, "{}", port: port)
        #expect(bare.status == 401, "\(route.method) \(path)")
        let wrong = try TestAnswer.of(
          route.method, path, "{}", fields: ["Authorization: Bearer tokem"], port: port)
        #expect(wrong.status == 401, "\(route.method) \(path)")
        let other = try TestAnswer.of(
          route.method, path, "{}", fields: Self.key + ["Origin: https://evil.example"], port: port)
        #expect(other.status == 403, "\(route.method) \(path)")
        let renamed = try TestAnswer.of(
          route.method, path, "{}", fields: Self.key + ["Origin: null"], port: port)
        #expect(renamed.status == 403, "\(route.method) \(path)")
      }
    }
  }

  @Test func aServerWithoutAStudioHasThePageAlone() async throws {
    try await ServedStore(adapters: []).serving { port in
      let about = try TestAnswer.of("GET", "/studio/about", port: port)
      #expect(about.json[path: "commands"] == .bool(false))
      for route in InferenceServer.studioRoutes {
        let path = route.path.hasSuffix("/") ? route.path + "1" : route.path
        let answer = try TestAnswer.of(route.method, path, "{}", port: port)
        #expect(answer.json[path: "error.code"]?.string == "route_not_found", "\(path)")
      }
    }
  }

  @Test func commandsAreRunAndTheirWordsAreTold() async throws {
    try await serving { port, _, _ in
      let about = try ask("GET", "about", "", [], port)
      #expect(about.json[path: "commands"] == .bool(true))
      let done = try ask("POST", "run", #"{"words": ["list", "--json"]}"#, [], port)
      #expect(done.json[path: "code"]?.integer == 4)
      #expect(done.json[path: "output"]?.string == "list --json é\n")
      #expect(done.json[path: "errors"]?.string == "said\n")
      for (body, message) in [
        (#"{"words": ["never"]}"#, "words: this is refused."),
        (#"{"words": ["a", 1]}"#, "words: this has to be an array of texts, as after 'fmadapter'."),
        (#"{"words": "a"}"#, "words: this has to be an array of texts, as after 'fmadapter'."),
      ] {
        let refused = try ask("POST", "run", body, [], port)
        #expect(refused.status == 400)
        #expect(refused.json[path: "error.message"]?.string == message)
      }
      #expect(try ask("POST", "run", #"{"words": ["fail"]}"#, [], port).status == 500)
      #expect(try ask("POST", "run", "[", [], port).status == 400)
    }
  }

  @Test func jobsAreHeldStoppedAndForgotten() async throws {
    try await serving { port, program, _ in
      let job = try ask("POST", "jobs", #"{"words": ["wait", "x"]}"#, [], port).json
      #expect(job[path: "id"]?.integer == 1 && job[path: "state"]?.string == "running")
      #expect(job[path: "words"] == .array([.string("wait"), .string("x")]))
      for (act, state) in [("pause", "paused"), ("go on", "running"), ("stop", "ended")] {
        let changed = try ask("POST", "jobs/1", #"{"do": "\#(act)"}"#, [], port).json
        #expect(changed[path: "state"]?.string == state)
      }
      #expect(program.asked == ["pause", "go on", "stop"])
      let told = try ask("GET", "jobs/1", "", ["Lines-From: 1"], port).json
      #expect(told[path: "code"]?.integer == 130 && told[path: "count"]?.integer == 2)
      #expect(told[path: "lines"] == .array([.array([.string("out"), .string("half")])]))
      #expect(try ask("POST", "jobs/1", #"{"do": "dance"}"#, [], port).status == 400)
      #expect(try ask("GET", "jobs", "", [], port).json[path: "jobs"]?.array?.count == 1)
      #expect(try ask("DELETE", "jobs/1", "", [], port).status == 200)
      #expect(try ask("GET", "jobs/1", "", [], port).status == 404)
      #expect(try ask("GET", "jobs/x", "", [], port).status == 404)
    }
  }

  @Test func theEndOfTheServerEndsJobs() async throws {
    let (folder, program) = (try TemporaryDirectory(), TestProgram())
    let studio = Studio(folder: folder.path("made"), program)
    let job = try studio.start(["wait"], isKept: true)
    studio.close()
    #expect(job.hasEnded && program.asked == ["stop"])
    #expect(throws: ServingError.self) { try studio.start(["list"], isKept: true) }
  }

  /// Somebody waits for what it prints, and the server for that answer.
  @Test func theEndOfTheServerEndsWhatSomebodyWaitsFor() async throws {
    let (folder, program) = (try TemporaryDirectory(), TestProgram())
    let studio = Studio(folder: folder.path("made"), program)
    let job = try studio.start(["wait"], isKept: false)
    studio.close()
    studio.wait(for: job, isGone: { false })
    #expect(job.hasEnded && program.asked == ["stop"])
  }

  @Test func filesStayInTheFolder() async throws {
    try await serving { port, _, folder in
      #expect(try ask("GET", "files", "", [], port).json[path: "files"] == .array([]))
      #expect(try ask("PUT", "files/a.fmadapter%2Fx.bin", "first", [], port).status == 200)
      let more = try ask("PUT", "files/a.fmadapter%2Fx.bin", "+two", ["Upload-Offset: 5"], port)
      #expect(more.status == 200)
      let file = folder.path("made/a.fmadapter/x.bin")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "first+two")
      let read = try ask("GET", "files/a.fmadapter%2Fx.bin", "", [], port)
      #expect(read.body == "first+two" && read.head.contains("Content-Security-Policy: sandbox"))
      #expect(read.head.contains("Content-Type: application/octet-stream"))
      let list = try ask("GET", "files", "", [], port).json
      #expect(list[path: "files.0.name"]?.string == "a.fmadapter/x.bin")
      #expect(list[path: "files.0.size"]?.integer == 9)
      #expect(
        try ask("PUT", "files/a.fmadapter%2Fx.bin", "x", ["Upload-Offset: 10"], port).status == 400)
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("made/out"), withDestinationPath: "/etc")
      for name in [
        "..%2Fx", "%2Fetc%2Fpasswd", ".hidden", "-x", "a%2F%2Fb", "a%00b", "a b", "%zz",
        "out%2Fpasswd", "out",
      ] {
        let answer = try ask("PUT", "files/\(name)", "x", [], port)
        #expect(answer.status == 400, "\(name)")
        #expect([400, 404].contains(try ask("GET", "files/\(name)", "", [], port).status))
      }
      #expect(try ask("DELETE", "files/a.fmadapter", "", [], port).status == 200)
      #expect(try ask("DELETE", "files/a.fmadapter", "", [], port).status == 404)
    }
  }

  @Test func estimatesAreThoseOfEvaluations() async throws {
    try await serving { port, _, _ in
      let answer = try ask("POST", "estimates", #"{"values": [[0.5, 1], []]}"#, [], port).json
      #expect(answer[path: "estimates.0.value"]?.number?.double == 0.5)
      #expect(answer[path: "estimates.0.count"]?.integer == 2)
      #expect(answer[path: "estimates.1"] == .null)
      #expect(try ask("POST", "estimates", #"{"values": 1}"#, [], port).status == 400)
    }
  }
}
