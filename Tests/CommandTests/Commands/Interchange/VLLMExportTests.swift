import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct VLLMExportTests {
  private let sample: SampleBase
  private let served: String

  init() throws {
    sample = try SampleBase(adapters: ["echo", "other"]).install()
    served = sample.folder.path("served")
  }

  private func run(_ words: String...) throws -> ProcessResult {
    try Tool.run(words, store: sample.folder)
  }

  private func export(_ more: String...) throws -> ProcessResult {
    try Tool.run(
      ["export", "--to", "vllm", "-o", served, "--base-model", "you/model"] + more,
      store: sample.folder)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: served + "/adapters").sorted()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: served + "/" + name, encoding: .utf8)
  }

  @Test func aClusterInstallsWhatIsLocked() throws {
    try export("--locked").expectStatus(
      2, saying: "came from a folder of this machine, where no cluster finds it")
    let server = try FaultServer(root: sample.folder.path("site"))
    try run("publish", sample.folder.path("site"), sample.package, "--package-version", "1.0.0")
      .expectSuccess()
    try run("catalog", "add", server.url("plain", file: "index.json")).expectSuccess()
    try run("remove", "echo").expectSuccess()
    try run("install", "echo").expectSuccess()
    try export("--locked").expectSuccess()
    let manifests = try text("kubernetes.yaml")
    let lock = try run("lock").text.split(separator: "\n").map { "    \($0)" }
    #expect(manifests.contains("  fmadapter.lock: |\n" + lock.joined(separator: "\n") + "\n---\n"))
    #expect(manifests.contains("fmadapter install --locked /lock/fmadapter.lock"))
    #expect(!manifests.contains("fmadapter update") && !manifests.contains("fmadapter catalog add"))
    try export().expectSuccess()
    #expect(try text("kubernetes.yaml").contains("fmadapter update"))
  }

  @Test func aClusterPinsTheKeysThatArePinnedHere() throws {
    let key = Fixtures.path("AdaptersTests", "signatures/p256")
    let site = sample.folder.path("site")
    let server = try FaultServer(root: site)
    let address = server.url("plain", file: "index.json")
    try run("publish", site, sample.package, "--package-version", "1.0.0", "--sign", key + ".pem")
      .expectSuccess()
    try run("catalog", "add", address, "--key", key + ".pub").expectSuccess()
    try run("remove", "echo").expectSuccess()
    try run("install", "echo").expectSuccess()
    try export().expectSuccess()
    let manifests = try text("kubernetes.yaml")
    let pem = try String(contentsOfFile: key + ".pub", encoding: .utf8)
    let name = "\(try PublicKey(file: key + ".pub").fingerprint.prefix(16)).pub"
    let lines = pem.split(separator: "\n").map { "    \($0)\n" }.joined()
    #expect(
      manifests.contains("  name: vllm-sample-keys\ndata:\n  \(name): |\n\(lines)---\n"),
      "\(manifests)")
    #expect(manifests.contains("fmadapter catalog add \(address.shellWord) --key /keys/\(name)\n"))
    #expect(manifests.contains("- name: keys\n              mountPath: /keys\n"))
    #expect(manifests.contains("configMap:\n            name: vllm-sample-keys\n"))
    try export("--locked").expectSuccess()
    #expect(!(try text("kubernetes.yaml").contains("-keys")))
  }

  @Test func theFolderFollowsTheStore() throws {
    try export().expectSuccess(
      saying: "added echo\n", "start vLLM with 'sh \(served)/serve.sh'\n",
      "echo came from this machine: publish it, and name its catalog in kubernetes.yaml\n")
    let report = try export("--json").expectSuccess().object()
    #expect(report["baseModel"] as? String == "you/model")
    #expect(report["--max-lora-rank"] as? Int == 8 && report["--max-loras"] as? Int == 1)
    #expect(try names() == ["echo"])
    #expect(
      try text("adapters/echo/adapter_config.json").contains(
        "\"base_model_name_or_path\": \"you/model\""))
    let again = try export().expectSuccess()
    #expect(again.errorText == "" || !again.errorText.contains("echo\n"), "\(again.errorText)")

    try run("install", sample.folder.path("other.fmadapter")).expectSuccess()
    try export().expectSuccess(
      saying: "added other\n",
      "a vLLM that runs over this folder has to be started again: its flags are others now\n")
    #expect(try text("serve.sh").contains("--max-lora-rank 8 --max-loras 2 --max-cpu-loras 2"))
    try run("remove", "echo").expectSuccess()
    let last = try export("--slots", "3").expectSuccess(saying: "removed echo\n")
    #expect(last.text == served + "\n")
    #expect(try names() == ["other"])
    #expect(try text("serve.sh").contains("--max-loras 3 --max-cpu-loras 3"))
    #expect(try text("kubernetes.yaml").contains("--base-model you/model --slots 3"))
  }

  /// What is meant for a shell stays one word of it.
  @Test func theScriptIsOneOfAShell() throws {
    try Tool.run(
      ["export", "--to", "vllm", "-o", served, "--base-model", "/a b/$(touch x)/'m\\odel"],
      store: sample.folder
    ).expectSuccess()
    let python = try sample.folder.write(
      "#!/bin/sh\nprintf '%s\\n' \"$VLLM_LORA_RESOLVER_CACHE_DIR\" \"$@\"\n", to: "python")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python)
    let result = try Subprocess.run(
      "/bin/sh", [served + "/serve.sh", "--port", "9"],
      environment: ["VLLM_PYTHON": python, "PATH": "/usr/bin:/bin"],
      directory: sample.folder.path(""))
    let words = result.text.split(separator: "\n").map(String.init)
    #expect(words.first == (try FileSystem.resolved(served)) + "/adapters")
    let place = try #require(words.firstIndex(of: "--model"))
    #expect(words[place + 1] == "/a b/$(touch x)/'m\\odel")
    #expect(words.suffix(2) == ["--port", "9"])
  }

  /// The gateway routes nothing that lets a server load files.
  @Test func theManifestsNameOneThingAlike() throws {
    try export().expectSuccess()
    let (deployment, gateway) = (try text("kubernetes.yaml"), try text("gateway.yaml"))
    for text in [deployment, gateway] {
      #expect(text.contains("  name: vllm-sample\n") && text.contains("app: vllm-sample\n"))
    }
    #expect(deployment.contains("# fmadapter base install …: say where the cluster gets sample\n"))
    #expect(
      deployment.contains("# fmadapter install echo: publish it, and add its catalog above\n"))
    #expect(!gateway.contains("value: /\n") && !gateway.contains("value: /v1\n"))
  }

  static let refused: [(words: [String], status: Int32, text: String)] = [
    (
      ["echo", "--to", "vllm", "-o", "OUT"], 2, "vllm takes all installed adapters of a base; leave"
    ),
    (
      ["--to", "peft", "-o", "OUT"], 2,
      "an adapter is needed; give its name, or the path of a package"
    ),
    (["echo", "--to", "peft", "-o", "OUT", "--slots", "2"], 2, "--slots is for vllm: "),
    (
      ["echo", "--to", "mlx", "-o", "OUT", "--base-model", "a/b"], 2,
      "--base-model is for peft and vllm"
    ),
    (
      ["--to", "vllm", "-o", "OUT"], 2,
      "it is not known what sample was made of; give it with --base-model, to the letter as vLLM gets it with --model"
    ),
    (
      ["--to", "vllm", "-o", "/nowhere/x", "--base-model", "a/b"], 3,
      "/nowhere: there is no such folder"
    ),
  ]

  @Test(arguments: refused)
  func whatItCannotDoIsSaid(_ words: [String], _ status: Int32, _ text: String) throws {
    let words = words.map { $0 == "OUT" ? served : $0 }
    try Tool.run(["export"] + words, store: sample.folder).expectStatus(status, saying: text)
    #expect(!FileManager.default.fileExists(atPath: served + "/serve.sh"))
  }

  /// One that is damaged keeps none of the others away, and what was there of it stays.
  @Test func aDamagedAdapterStaysAsItWas() throws {
    try run("install", sample.folder.path("other.fmadapter")).expectSuccess()
    try export().expectSuccess()
    let file = "store/adapters/fmadapter-echo-ccccccc/package.fmadapter/adapter_weights.bin"
    try FileSystem.makeWritable(sample.folder.path(file))
    try sample.folder.write("x", to: file)
    let result = try export().expectStatus(4)
    #expect(result.errorText.contains("adapter_weights.bin"), "\(result.errorText)")
    #expect(try names() == ["echo", "other"])
  }

  /// What came to the folder as one that vLLM can serve is not served once it is another.
  @Test func whatIsLeftOutNowIsGone() throws {
    try export().expectSuccess(saying: "added echo\n")
    let package = sample.folder.path("echo.fmadapter")
    let metadata = package + "/metadata.json"
    let text = try String(contentsOfFile: metadata, encoding: .utf8)
    try text.replacing("\"weightsSHA256\":", with: "\"invocationTokens\": [1], \"weightsSHA256\":")
      .write(toFile: metadata, atomically: true, encoding: .utf8)
    try run("remove", "echo").expectSuccess()
    try run("install", package).expectSuccess()
    try export().expectSuccess(
      saying: "echo is left out: it begins at its invocation", "removed echo\n")
    #expect(try names() == [])
  }

  @Test func aPEFTFolderNamesTheModelThatWasSaid() throws {
    let out = sample.folder.path("out")
    try run("export", "echo", "--to", "peft", "-o", out).expectSuccess()
    func settings() throws -> String {
      try String(contentsOfFile: out + "/adapter_config.json", encoding: .utf8)
    }
    #expect(try settings().contains("\"base_model_name_or_path\": null"))
    try run("export", "echo", "--to", "peft", "-o", out, "--force", "--base-model", "you/model")
      .expectSuccess()
    #expect(try settings().contains("\"base_model_name_or_path\": \"you/model\""))
  }

  /// llama.cpp's server needs two settings in each request, which is said with each file for it.
  @Test func whoExportsForLlamaCppIsToldOfItsServer() throws {
    let out = sample.folder.path("echo.gguf")
    try run("export", "echo", "--to", "gguf", "-o", out).expectSuccess(
      saying: " --lora \(out)\n",
      "send \"lora\": [{\"id\": 0, \"scale\": 1}] and \"cache_prompt\": false with each request\n")
  }
}
