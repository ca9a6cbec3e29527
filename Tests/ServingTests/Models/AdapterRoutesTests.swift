import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct AdapterRoutesTests {
  private static let note = "Tag this note. We cooked soup by the river."

  private func post(_ path: String, _ body: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of("POST", path, body, port: port)
  }

  private func load(_ name: String, _ path: String, _ port: Int) throws -> TestAnswer {
    try post(
      "/v1/load_lora_adapter", #"{"lora_name": "\#(name)", "lora_path": "\#(path)"}"#, port)
  }

  private func text(_ model: String, _ port: Int, _ fields: String = "") throws -> String? {
    let body =
      #"{"model": "\#(model)", "max_tokens": 12, "messages": [{"role": "user", "content": "\#(Self.note)"}]\#(fields)}"#
    let answer = try post("/v1/chat/completions", body, port)
    return answer.json[path: "choices.0.message.content"]?.string
  }

  /// A store without adapters whose clients may load those that are bundled.
  private func served(adapters: [String] = []) async throws -> ServedStore {
    try await ServedStore(adapters: adapters) {
      $0.adapterFolders = [ServedStore.bundled("")]
    }
  }

  @Test func nothingIsLoadedUnlessItIsAllowed() async throws {
    try await ServedStore(adapters: []).serving { port in
      for answer in [
        try load("mine", "tagging.fmadapter", port),
        try post("/v1/unload_lora_adapter", #"{"lora_name": "mine"}"#, port),
        try post("/lora-adapters", "[]", port),
      ] {
        #expect(answer.status == 403)
        #expect(answer.json[path: "error.code"]?.string == "adapter_changes_not_allowed")
      }
    }
  }

  @Test func whatIsLoadedAnswersUntilItIsLetGo() async throws {
    let expected = try await ServedStore(adapters: ["tagging"]).serving { try text("tagging", $0) }
    try await served().serving { port in
      let base = try text(ServedStore.baseName, port)
      let loaded = try load("mine", "tagging.fmadapter", port)
      #expect(loaded.status == 200)
      #expect(loaded.body == "Success: LoRA adapter 'mine' added successfully.")
      #expect(try text("mine", port) == expected && expected != base)
      #expect(try text("\(ServedStore.baseName)+mine:0.0", port) == base)
      let listed = try TestAnswer.of("GET", "/v1/models", port: port).json[path: "data"]?.array
      let card = try #require(listed?.first { $0[path: "id"]?.string == "mine" })
      #expect(card[path: "parent"]?.string == ServedStore.baseName)
      #expect(!card.line.contains(ServedStore.bundled("")))
      #expect(try load("mine", "tagging.fmadapter", port).status == 400)
      let other =
        #"{"lora_name": "mine", "lora_path": "\#(ServedStore.bundled("playwriting.fmadapter"))", "load_inplace": true}"#
      #expect(try post("/v1/load_lora_adapter", other, port).status == 200)
      #expect(try text("mine", port) != expected)
      let removed = try post("/v1/unload_lora_adapter", #"{"lora_name": "mine"}"#, port)
      #expect(removed.body == "Success: LoRA adapter 'mine' removed successfully.")
      #expect(try post("/v1/unload_lora_adapter", #"{"lora_name": "mine"}"#, port).status == 404)
      #expect(try text("mine", port) == nil)
    }
  }

  @Test func pathsLeadIntoTheFoldersAlone() async throws {
    let folder = try TemporaryDirectory()
    let inside = folder.path("allowed")
    try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: inside + "/link.fmadapter",
      withDestinationPath: ServedStore.bundled("tagging.fmadapter"))
    try FileManager.default.createDirectory(
      atPath: inside + "/broken.fmadapter", withIntermediateDirectories: true)
    let served = try await ServedStore(adapters: []) { $0.adapterFolders = [inside] }
    try await served.serving { port in
      for (path, status) in [
        ("../x", 400), ("a/../../x", 400), ("", 400), ("/", 404), ("/etc/passwd", 404),
        (inside, 404), ("link.fmadapter", 404), ("none.fmadapter", 404),
        ("broken.fmadapter", 400), (ServedStore.bundled("tagging.fmadapter"), 404),
        (inside + "-beside", 404),
      ] {
        let answer = try load("mine", path, port)
        #expect(answer.status == status, "\(path): \(answer.body)")
        #expect(answer.json[path: "error.param"]?.string == "lora_path")
        #expect(!answer.body.contains(inside))
      }
    }
  }

  @Test func namesAreTheirOwn() async throws {
    try await served(adapters: ["tagging"]).serving { port in
      for name in [
        "tagging", ServedStore.baseName, "", "a b", "a/b", "a+b", "a:1",
        String(repeating: "a", count: 129),
      ] {
        let answer = try load(name, "playwriting.fmadapter", port)
        #expect(answer.status == 400, "\(name)")
        #expect(answer.json[path: "error.param"]?.string == "lora_name")
      }
    }
  }

  @Test func strengthsAreSetForARequest() async throws {
    try await ServedStore().serving { port in
      let listed = try #require(
        try TestAnswer.of("GET", "/lora-adapters", port: port).json.array)
      #expect(listed.compactMap { $0[path: "id"]?.integer } == [0, 1])
      #expect(listed.allSatisfy { $0[path: "scale"]?.number?.double == 0 })
      let base = ServedStore.baseName
      for entry in listed {
        let (id, name) = (try #require(entry[path: "id"]?.integer), entry[path: "path"]?.string)
        let own = try text(try #require(name), port)
        #expect(try text(base, port, #", "lora": [{"id": \#(id), "scale": 1}]"#) == own)
        #expect(
          try text(base, port, #", "lora": [{"id": \#(id), "scale": 0.0}]"#) == text(base, port))
        #expect(
          try text(base, port, #", "lora": [{"id": \#(id), "scale": 0.5}]"#)
            == text("\(base)+\(name ?? ""):0.5", port))
      }
      #expect(try text(base, port, #", "lora": []"#) == text(base, port))
    }
  }

  /// A number stays with its name, whatever comes and goes.
  @Test func numbersStayAsTheyAre() async throws {
    let served = try await self.served(adapters: ["tagging"])
    try await served.serving { port in
      func names() throws -> [String] {
        let list = try TestAnswer.of("GET", "/lora-adapters", port: port).json.array ?? []
        #expect(list.map { $0[path: "id"]?.integer } == Array(list.indices).map(Optional.some))
        return list.compactMap { $0[path: "path"]?.string }
      }
      #expect(try names() == ["tagging"])
      _ = try load("playwriting", "playwriting.fmadapter", port)
      #expect(try names() == ["tagging", "playwriting"])
      _ = try await served.store.installAdapter(
        .path(ServedStore.bundled("playwriting.fmadapter")))
      #expect(try names() == ["tagging", "playwriting"])
      #expect(try post("/lora-adapters", #"[{"id": 1, "scale": 1}]"#, port).status == 200)
      _ = try post("/lora-adapters", "[]", port)
      _ = try post("/v1/unload_lora_adapter", #"{"lora_name": "playwriting"}"#, port)
      #expect(try names() == ["tagging", "playwriting"])
      _ = try served.store.removeAdapter("playwriting")
      #expect(try names() == ["tagging"])
    }
  }

  @Test(arguments: [
    (#"[{"id": 9, "scale": 1}]"#, "lora[0].id"), (#"[{"id": 0}]"#, "lora[0].scale"),
    (#"[{"scale": 1}]"#, "lora[0].id"), (#"[{"id": 0, "scale": 11}]"#, "lora[0].scale"),
    (#"[1]"#, "lora[0]"), (#"{"id": 0}"#, "lora"),
  ])
  func strengthsAreChecked(_ lora: String, _ place: String) async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let body = #"{"model": "\#(ServedStore.baseName)", "prompt": "a", "lora": \#(lora)}"#
      let answer = try post("/v1/completions", body, port)
      #expect(answer.status == 400)
      #expect(answer.json[path: "error.param"]?.string == place)
      let other = try post(
        "/v1/completions", #"{"model": "tagging", "prompt": "a", "lora": []}"#, port)
      #expect(other.json[path: "error.param"]?.string == "lora")
    }
  }

  @Test func strengthsAreSetForABase() async throws {
    try await served(adapters: ["tagging"]).serving { port in
      let base = ServedStore.baseName
      let (alone, own) = (try text(base, port), try text("tagging", port))
      _ = try load("mine", "playwriting.fmadapter", port)
      let mine = try text("mine", port)
      #expect(
        try post("/lora-adapters", #"[{"id": 0, "scale": 1}]"#, port).json[path: "success"]
          == .bool(true))
      #expect(try text(base, port) == own)
      #expect(try text(base, port, #", "lora": []"#) == alone)
      #expect(try text("mine", port) == mine)
      #expect(try post("/lora-adapters", #"[{"id": 1, "scale": 1}]"#, port).status == 200)
      #expect(try text(base, port) == mine)
      // Of what is gone, no strength is left.
      _ = try post("/v1/unload_lora_adapter", #"{"lora_name": "mine"}"#, port)
      #expect(try text(base, port) == alone)
      #expect(try post("/lora-adapters", #"[{"id": 5, "scale": 1}]"#, port).status == 400)
      #expect(try post("/lora-adapters", "{}", port).status == 400)
    }
  }
}
