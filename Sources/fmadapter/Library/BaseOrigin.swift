import AdapterStore
import SystemFiles

/// What a base was made of, and how another machine gets it.
struct BaseOrigin: Equatable {
  /// The model that programs of PEFT load: a repository of the hub, or a folder; nil where that is not known.
  var model: String?
  /// What follows `fmadapter base install` on another machine; nil where it came from a file of this one.
  var installation: String?
}

extension Library {
  /// Where the base at `path`, which may be an installed one, comes from.
  func origin(ofBase path: String) -> BaseOrigin? {
    let base = try? store().bases().bases.first { $0.path == path }
    let receipt = base?.receipt
    let suggested = SuggestedModel.all.first { model in
      if let file = model.file { return (try? file.place(in: path)) != nil }
      return receipt?.hub?.repository == model.repository
    }
    if let suggested {
      return BaseOrigin(model: suggested.original, installation: suggested.shortName)
    }
    guard let receipt else { return nil }
    if let hub = receipt.hub {
      // Only a folder that was converted is the model itself: another repository has files made of it.
      let isWhole = hub.conversion != nil && hub.path.isEmpty
      let type =
        hub.conversion?.split(separator: ",").first.map { " --type \($0.lowercased())" } ?? ""
      return BaseOrigin(
        model: isWhole ? hub.repository : nil, installation: hub.reference.shellWord + type)
    }
    if NetworkArguments.isAddress(receipt.source) {
      return BaseOrigin(model: nil, installation: receipt.source.shellWord)
    }
    let isModel = Library.exists(FilePath.join(receipt.source, "config.json"))
    return BaseOrigin(model: isModel ? receipt.source : nil, installation: nil)
  }
}

extension HubOrigin {
  /// What is typed to get the same bytes again.
  var reference: String { "hf:\(repository)@\(commit)" + (path.isEmpty ? "" : "/\(path)") }
}
