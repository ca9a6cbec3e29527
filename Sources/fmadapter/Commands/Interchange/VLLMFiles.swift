import AdapterStore
import Adapters
import Interchange
import JSON
import SystemFiles

/// What starts vLLM over a folder of adapters: a script, and manifests for Kubernetes.
///
/// Adapters are found by vLLM's resolver for folders, which compares `base_model_name_or_path` with `--model` to the letter:
/// <https://docs.vllm.ai/en/latest/design/lora_resolver_plugins/>. The objects of the gateway are those of
/// <https://gateway-api-inference-extension.sigs.k8s.io>.
struct VLLMFiles {
  let baseName: String
  let baseModel: String
  let origin: BaseOrigin?
  let entries: [VLLMExport.Entry]
  /// Adapters in one batch, as they were asked for.
  let slots: Int?
  /// What a cluster installs, to the byte; nil where it installs and updates by names.
  var lock: LockFile?
  /// The keys of which one has to have signed a catalog, by its address.
  var keys: [String: [PublicKey]] = [:]

  /// Addresses of the catalogs that the adapters came from.
  var catalogs: [String] { Set(entries.compactMap(\.adapter.receipt?.catalog)).sorted() }

  /// Names in the folder.
  static let adapters = "adapters"
  static let script = "serve.sh"
  static let deployment = "kubernetes.yaml"
  static let gateway = "gateway.yaml"

  /// What `--max-lora-rank` may be.
  static let ranks = [8, 16, 32, 64, 128, 256, 320, 512]
  private static let usualSlots = 4

  private var flags: [(name: String, value: Int)] {
    let highest = entries.map(\.rank).max() ?? 0
    let slots = slots ?? min(max(entries.count, 1), Self.usualSlots)
    return [
      ("--max-lora-rank", Self.ranks.first { $0 >= highest } ?? highest), ("--max-loras", slots),
      ("--max-cpu-loras", max(slots, entries.count)),
    ]
  }

  var texts: [(name: String, text: String)] {
    [
      (Self.script, startScript), (Self.deployment, deploymentManifests),
      (Self.gateway, gatewayManifests),
    ]
  }

  var startScript: String {
    """
    #!/bin/sh
    # Starts vLLM with the adapters of this folder, each of which is a model by its name.
    # 'fmadapter export --to vllm' writes this file anew; what stands behind its name goes to vLLM: sh serve.sh --port 9000
    # Whoever can reach the server can let it load files of its machine, so it listens to this machine alone.
    set -eu
    here=$(cd "$(dirname "$0")" && pwd)
    export VLLM_PLUGINS=lora_filesystem_resolver
    export VLLM_LORA_RESOLVER_CACHE_DIR="$here/\(Self.adapters)"
    export VLLM_ALLOW_RUNTIME_LORA_UPDATING=True
    exec "${VLLM_PYTHON:-python3}" -m vllm.entrypoints.openai.api_server \\
      --model \(baseModel.shellWord) --host 127.0.0.1 --enable-lora \\
      \(flags.map { "\($0.name) \($0.value)" }.joined(separator: " ")) "$@"

    """
  }

  func json(removed: [String]) -> JSONObject {
    var object: JSONObject = [
      "form": .string("vllm"), "baseModel": .string(baseModel),
      "adapters": .array(
        entries.map { entry in
          .object([
            "name": .string(entry.adapter.identifier.name),
            "identifier": .string(entry.adapter.identifier.description),
            "rank": .integer(entry.rank), "outcome": .string(entry.change.rawValue),
          ])
        }),
      "removed": .texts(removed),
    ]
    for flag in flags { object[flag.name] = .integer(flag.value) }
    return object
  }
}

extension VLLMFiles {
  /// A name that objects of Kubernetes may have.
  private var name: String {
    let letters = baseName.lowercased().map { letter in
      letter.isASCII && (letter.isLetter || letter.isNumber) ? letter : "-"
    }
    let words = String(letters.prefix(40)).split(separator: "-")
    return "vllm-" + (words.isEmpty ? "base" : words.joined(separator: "-"))
  }

  private static let note = """
    # 'fmadapter export --to vllm' writes this file anew: change what it says by an overlay (kubectl kustomize), not here.

    """

  /// What follows `fmadapter install` on another machine; nil for what came from a folder of this one.
  func installation(of adapter: InstalledAdapter) -> String? {
    let name = adapter.identifier.name
    guard let receipt = adapter.receipt else { return nil }
    if receipt.catalog != nil { return name.shellWord }
    if let hub = receipt.hub { return hub.reference.shellWord }
    if NetworkArguments.isAddress(receipt.source) || RegistryReference.isReference(receipt.source) {
      return receipt.source.shellWord
    }
    let own = Bundled.current.map { $0.folder + "/" }
    return own.map(receipt.source.hasPrefix) == true ? name.shellWord : nil
  }

  /// Commands that bring base and adapters into an empty store, and those that fill the folder.
  private var commands: (install: [String], export: String) {
    let base = origin?.installation.map { "fmadapter base install \($0)" }
    let adapters = entries.map { entry in
      installation(of: entry.adapter).map { "fmadapter install \($0)" }
        ?? "# fmadapter install \(entry.adapter.identifier.name): publish it, and add its catalog above"
    }
    let first = [base ?? "# fmadapter base install …: say where the cluster gets \(baseName)"]
    let slots = slots.map { " --slots \($0)" } ?? ""
    let export =
      "fmadapter export --to vllm -o /served --base-model \(baseModel.shellWord)\(slots)"
    if lock != nil {
      return (first + ["fmadapter install --locked /lock/\(Self.lockName)"], export)
    }
    let install =
      first
      + catalogs.map { catalog in
        let keys = (keys[catalog] ?? []).map { " --key /keys/\(Self.fileName($0))" }
        return "fmadapter catalog add \(catalog.shellWord)" + keys.joined()
      } + adapters
    return (install, export)
  }

  private static let lockName = "fmadapter.lock"

  private static func fileName(_ key: PublicKey) -> String { "\(key.fingerprint.prefix(16)).pub" }

  /// The lock file, or the keys of the catalogs, as an object of the cluster, and where the first container finds it.
  private var configuration: (object: String, mount: String, volume: String) {
    if let lock { return configuration("lock", [(Self.lockName, lock.text)]) }
    let keys = Set(keys.values.joined()).map { (Self.fileName($0), $0.pem) }
    return keys.isEmpty ? ("", "", "") : configuration("keys", keys.sorted { $0.0 < $1.0 })
  }

  /// An object with `files`, each of which ends with a line, in the folder `/word`.
  private func configuration(
    _ word: String, _ files: [(name: String, text: String)]
  ) -> (object: String, mount: String, volume: String) {
    let data = files.map { file in
      "  \(file.name): |\n" + Self.indented([String(file.text.dropLast())], 4)
    }
    return (
      """
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: \(name)-\(word)
      data:
      \(data.joined(separator: "\n"))
      ---

      """,
      "\n" + Self.indented(["- name: \(word)", "  mountPath: /\(word)"], 12),
      "\n" + Self.indented(["- name: \(word)", "  configMap:", "    name: \(name)-\(word)"], 8)
    )
  }

  /// The container that looks for newer versions; none where the lock file says which there are.
  private var updates: String {
    guard lock == nil else { return "" }
    return """

              - name: updates
                image: fmadapter:\(programVersion)
                restartPolicy: Always
                command: ["/bin/sh", "-uc"]
                args:
                  - |
      \(Self.indented(["while sleep 600; do", "  fmadapter update", "  " + commands.export, "done"], 14))
                env:
                  - name: FMADAPTER_HOME
                    value: /store
                volumeMounts: *volumes
      """
  }

  private static func indented(_ lines: [String], _ count: Int) -> String {
    lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
  }

  private var deploymentManifests: String {
    let (install, export) = commands
    let configuration = configuration
    let about =
      lock == nil
      ? """
      # The first container installs the adapters, the second looks for newer ones: what is new is served at once, what has changed
      # by pods that start later (kubectl rollout restart deployment/\(name)).
      """ : "# The first container installs what the lock file names, or the pod does not start."
    return Self.note + """
      \(about)
      \(configuration.object)\
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: \(name)
      spec:
        replicas: 1
        selector:
          matchLabels:
            app: \(name)
        template:
          metadata:
            labels:
              app: \(name)
          spec:
            initContainers:
              - name: adapters
                image: fmadapter:\(programVersion)
                command: ["/bin/sh", "-euc"]
                args:
                  - |
      \(Self.indented(install + [export], 14))
                env:
                  - name: FMADAPTER_HOME
                    value: /store
                volumeMounts: &volumes
                  - name: store
                    mountPath: /store
                  - name: served
                    mountPath: /served\(configuration.mount)\(updates)
            containers:
              - name: vllm
                image: vllm/vllm-openai:latest
                command: ["/bin/sh", "/served/\(Self.script)"]
                args: ["--host", "0.0.0.0", "--port", "8000"]
                ports:
                  - name: http
                    containerPort: 8000
                startupProbe:
                  httpGet:
                    path: /health
                    port: http
                  periodSeconds: 5
                  failureThreshold: 240
                readinessProbe:
                  httpGet:
                    path: /health
                    port: http
                resources:
                  limits:
                    nvidia.com/gpu: "1"
                volumeMounts:
                  - name: served
                    mountPath: /served
                    readOnly: true
            securityContext:
              fsGroup: 1000
            volumes:
              - name: store
                emptyDir: {}
              - name: served
                emptyDir: {}\(configuration.volume)
      ---
      apiVersion: v1
      kind: Service
      metadata:
        name: \(name)
      spec:
        selector:
          app: \(name)
        ports:
          - name: http
            port: 8000
            targetPort: http

      """
  }

  private var gatewayManifests: String {
    Self.note + """
      # For the inference gateway; its endpoint picker is installed by the gateway's own chart, as \(name)-epp.
      # Only what answers requests is routed: whoever could reach /v1/load_lora_adapter could load files of the server.
      apiVersion: inference.networking.k8s.io/v1
      kind: InferencePool
      metadata:
        name: \(name)
      spec:
        selector:
          matchLabels:
            app: \(name)
        targetPorts:
          - number: 8000
        endpointPickerRef:
          name: \(name)-epp
          port:
            number: 9002
      ---
      apiVersion: gateway.networking.k8s.io/v1
      kind: HTTPRoute
      metadata:
        name: \(name)
      spec:
        parentRefs:
          - name: inference-gateway
        rules:
          - matches:
              - path:
                  type: PathPrefix
                  value: /v1/chat/completions
              - path:
                  type: PathPrefix
                  value: /v1/completions
              - path:
                  type: PathPrefix
                  value: /v1/models
            backendRefs:
              - group: inference.networking.k8s.io
                kind: InferencePool
                name: \(name)

      """
  }
}
