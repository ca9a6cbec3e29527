import Adapters
import FoundationEssentials
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles

/// The directory where adapters and bases live.
///
/// ```
/// adapters/<identifier>/   package.fmadapter/ (read-only) and receipt.json
/// bases/<signature>/       base.gguf and receipt.json
/// compiled/<key>/          drafts and bases in this machine's form
/// ingest/<name>/           what is on its way in or out
/// locks/<key>              who downloads what
/// checked/<signature>      what a base's file looked like when its bytes were last read
/// current                  signature of the base in use
/// catalogs/<digest>        address of a catalog, and when it was added
/// catalogs.d/              the catalogs as they were last seen
/// ```
/// The directories are the index. An entry comes into being complete, by one rename, and is replaced by one exchange,
/// so any number of processes may read and write at once; no lock is needed for that.
///
/// What reads or removes is over at once. What copies, digests, converts, compiles or downloads runs on threads of its own, so that
/// a download can be cancelled, and everything else asked, meanwhile.
public struct AdapterStore: Sendable {
  /// Reads what adapters have to fit from the model at a path.
  typealias BaseReader = @Sendable (_ path: String) throws -> BaseContract

  /// Reads what the model at a path is, whatever it says of itself; nil where that cannot be told.
  typealias BaseIdentifier = @Sendable (_ path: String) throws -> BaseIdentity?

  /// Absolute path of the store; created with the first thing that is put into it.
  public let root: String
  let layout: StoreLayout
  let readBase: BaseReader
  let identifyBase: BaseIdentifier
  let tool: String
  let process: ProcessFacts
  /// Tells what happens to adapters and bases on their way.
  let hub = StatusHub()
  let downloader: Downloader
  /// Where `hf:` leads.
  let modelHub: ModelHub
  let downloads = DownloadsInProgress()

  /// A store at `root` that asks `identifyBase` and `readBase` about bases.
  init(
    root: String, tool: String, network: NetworkOptions = NetworkOptions(),
    identifyBase: @escaping BaseIdentifier = { _ in nil }, readBase: @escaping BaseReader
  ) {
    let process = ProcessFacts()
    let logins = network.registryLogins
    let transport = RegistryTransport(CurlTransport(policy: network.policy(tool: tool)), logins)
    var downloader = Downloader(
      root: root, transport: transport, process: process, surroundings: network.surroundings)
    downloader.registryLogins = logins
    self.init(
      root: root, tool: tool, process: process, downloader: downloader, modelHub: network.modelHub,
      identifyBase: identifyBase, readBase: readBase)
  }

  /// A store at `root`, with what a test decides.
  init(
    root: String, tool: String, process: ProcessFacts, downloader: Downloader? = nil,
    modelHub: ModelHub = ModelHub(environment: [:]),
    identifyBase: @escaping BaseIdentifier = { _ in nil }, readBase: @escaping BaseReader
  ) {
    self.root = root
    self.tool = tool
    self.process = process
    self.downloader =
      downloader ?? Downloader(root: root, transport: NoTransport(), process: process)
    self.modelHub = modelHub
    self.readBase = readBase
    self.identifyBase = identifyBase
    layout = StoreLayout(root: root)
  }
}

/// What a model is, whatever it says of itself.
struct BaseIdentity: Sendable, Equatable {
  /// The signature that its contents have; nil when the file states none, so that its signature is that.
  var contentSignature: String?
  /// Type of most of its weights.
  var type: String
}

/// What the store knows of the process that it works for.
struct ProcessFacts: Sendable {
  var boot: String
  /// 16 random digits that no other process has: the numbers of the system are given out again in each container.
  var identifier: String
  var now: @Sendable () -> Date
  /// Called before each step of an installation; throwing leaves everything as a killed process would.
  var interruption: @Sendable (InstallStep) throws(SimulatedDeath) -> Void

  private static let own = FilePath.randomName()

  /// The real ones.
  init() {
    boot = IngestName.currentBoot()
    identifier = Self.own
    now = { Date() }
    interruption = { (_: InstallStep) throws(SimulatedDeath) in }
  }
}

/// The steps of an installation, in order.
enum InstallStep: String, Sendable, CaseIterable {
  case copy, digest, verify, receipt, seal, commit, cleanUp
}

/// Stands for the death of the process in tests.
struct SimulatedDeath: Error {}

/// Stands for the network where there is none.
struct NoTransport: Transferring {
  func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    throw .other(host: WebAddress.place(of: request.url), reason: "this store has no network")
  }
}

extension AdapterStore {
  /// A store at `root` for the bases that this package can run.
  ///
  /// `root` is an absolute path, see ``StoreLocation``; `tool` is the program's name and version, for receipts.
  public init(root: String, tool: String, network: NetworkOptions = NetworkOptions()) {
    self.init(root: root, tool: tool, network: network, identifyBase: Self.identity) { path in
      let model = try BaseModel(path: path)
      let contract = try model.contract()
      try model.checkAnswers()
      try model.checkUnchanged()
      return contract
    }
  }

  private static let identity: BaseIdentifier = { path in
    let file = try GGUFFile(path: path)
    let bytes = Dictionary(file.tensors.map { ($0.type.name, $0.bytes.count) }, uniquingKeysWith: +)
    let isStamped = BaseSignature.stamped(file) != nil
    let signature = isStamped ? BaseSignature.ofContents(file) : nil
    try file.checkUnchanged()
    return BaseIdentity(
      contentSignature: signature,
      type: bytes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? "no weights")
  }
}
