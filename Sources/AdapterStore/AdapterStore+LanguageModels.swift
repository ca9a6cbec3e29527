import LanguageModels

extension AdapterStore {
  /// A store at `root` for the bases that this package can run.
  ///
  /// `root` is an absolute path, see ``StoreLocation``; `tool` is the program's name and version, for receipts.
  public init(root: String, tool: String, network: NetworkOptions = NetworkOptions()) {
    self.init(root: root, tool: tool, network: network) { path in
      try LanguageModel(path: path).contract
    }
  }
}
