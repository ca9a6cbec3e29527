import Kernels
import LanguageModels
import TensorFiles

extension AdapterStore {
  /// A store at `root` for the bases that this package can run.
  ///
  /// `root` is an absolute path, see ``StoreLocation``; `tool` is the program's name and version, for receipts.
  public init(root: String, tool: String, network: NetworkOptions = NetworkOptions()) {
    self.init(root: root, tool: tool, network: network, identifyBase: Self.identity) { path in
      try LanguageModel(path: path).contract
    }
  }

  private static let identity: BaseIdentifier = { path in
    let file = try GGUFFile(path: path)
    let bytes = Dictionary(file.tensors.map { ($0.type.name, $0.bytes.count) }, uniquingKeysWith: +)
    let isStamped = BaseSignature.stamped(file) != nil
    return BaseIdentity(
      contentSignature: isStamped ? BaseSignature.ofContents(file) : nil,
      type: bytes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? "no weights")
  }
}
