import Adapters
import JSON
import LanguageModels
import SystemFiles
import TensorFiles

/// A file of a repository, as the hub lists it.
struct HubFile: Sendable, Equatable {
  /// Path within the repository, without steps upwards.
  let path: String
  let size: Int?
  /// SHA-256 of what is stored apart from git, else the name that git gives to the bytes.
  let claim: DigestClaim?

  /// The file's own name.
  var name: String { FilePath.name(of: path) }

  /// Whether `path` stays inside of the folder that it is put into, and is shown as it is.
  static func isSafe(_ path: String) -> Bool {
    1...1024 ~= path.utf8.count && path.isShownAsItIs && !path.contains("\\")
      && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255
      }
  }
}

/// The files of one commit of a repository.
struct HubListing: Sendable {
  /// 40 hexadecimal digits.
  let commit: String
  let files: [HubFile]
  let reference: HubReference
  let hub: ModelHub
  /// What the hub read in a GGUF file of the repository, where it has one.
  private let architecture: String?

  /// Bytes that a listing may have: some hundred thousand files.
  static let limit = 32 << 20

  /// Reads the answer of `hub` about `reference`; files with names that are no paths are left out.
  ///
  /// - Throws: `StoreError.hub(.badListing)`.
  init(parsing bytes: [UInt8], _ reference: HubReference, _ hub: ModelHub) throws(StoreError) {
    let page = hub.page(reference.repository)
    func bad(_ reason: String) -> StoreError { .hub(.badListing(reason), page: page) }
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limit: Self.limit, values: 2 << 20).root
    } catch {
      throw bad("line \(error.line): \(error)")
    }
    guard let commit = root.object?["sha"]?.string, isSignature(commit) else {
      throw bad("it names no commit")
    }
    guard let siblings = root.object?["siblings"]?.array else { throw bad("it lists no files") }
    var files: [HubFile] = []
    for entry in siblings {
      guard let object = entry.object, let path = object["rfilename"]?.string else {
        throw bad("a file has no name")
      }
      guard HubFile.isSafe(path) else { continue }
      guard let file = HubFile(path, object) else {
        throw bad("the sizes of '\(path)' cannot be right")
      }
      files.append(file)
    }
    (self.commit, self.files, self.reference, self.hub) = (commit, files, reference, hub)
    architecture = root.object?["gguf"]?.object?["architecture"]?.string
  }
}

extension HubFile {
  /// Nil where the sizes are beyond reason, or contradict each other.
  fileprivate init?(_ path: String, _ object: JSONObject) {
    let stored = object["lfs"]?.object
    let sizes = [object["size"], stored?["size"]].compactMap { $0 }.filter { $0 != .null }
    let numbers = sizes.map(\.integer)
    let largest = DownloadPolicy().largestFile
    guard numbers.allSatisfy({ $0.map { 0...largest ~= $0 } ?? false }),
      Set(numbers).count <= 1
    else { return nil }
    self.path = path
    size = numbers.first ?? nil
    if let stored {
      let digest = stored["sha256"]?.string?.lowercased() ?? ""
      claim = isSHA256(digest) ? DigestClaim(.hub, digest) : nil
    } else {
      let name = object["blobId"]?.string?.lowercased() ?? ""
      claim =
        isSignature(name) && (size ?? 0) <= DigestClaim.largestInGit
        ? DigestClaim(.hubGit, name) : nil
    }
  }
}

extension HubListing {
  /// A base or a package, and its files.
  struct Candidate: Sendable, Equatable {
    let choice: HubChoice
    let files: [HubFile]
  }

  /// What a base is installed from.
  enum BaseSource: Sendable, Equatable {
    /// A GGUF file, or all parts of one.
    case model(Candidate)
    /// A folder with weights as safetensors: what tells of them, then the weights.
    case folder(path: String, about: [HubFile], weights: [HubFile])

    var isOneFile: Bool {
      if case .model(let model) = self { model.files.count == 1 } else { false }
    }
  }

  private var page: String { hub.page(reference.repository) }

  private func fault(_ fault: HubFault) -> StoreError { .hub(fault, page: page) }

  /// What to fetch of `file`, as the file `path` of the entry.
  func remote(_ file: HubFile, as path: String) -> RemoteFile {
    var remote = RemoteFile(
      url: hub.file(file.path, of: reference.repository, at: commit), path: path, size: file.size)
    remote.claims = file.claim.map { [$0] } ?? []
    remote.hub = HubRequest(
      page: page, revision: reference.revision ?? "main", path: file.path, commit: commit)
    return remote
  }

  /// The base that the reference means; a folder of safetensors goes first where `converts`.
  ///
  /// - Throws: `StoreError.hub` with `.several`, `.noFile` or `.noBase`, or `.invalidBase`.
  func base(converts: Bool) throws(StoreError) -> BaseSource {
    if let path = reference.path, let file = files.first(where: { $0.path == path }) {
      guard file.path.hasSuffix(".gguf") else {
        throw fault(
          .noBase(
            "'\(path)' is no GGUF file\(remedy: "name one, or the folder that the file is in")"))
      }
      guard let model = models().first(where: { $0.files.contains(file) }) else {
        throw fault(.noFile(try missing(file) ?? path, known: []))
      }
      guard !converts else { throw fault(.noBase("\(HubContent.fixedType)")) }
      return try checked(model)
    }
    let folder = reference.path.map { $0 + "/" } ?? ""
    let bases = models().filter { $0.choice.path.hasPrefix(folder) && Self.isBase($0) }
    if let path = reference.path, !files.contains(where: { $0.path.hasPrefix(folder) }) {
      throw fault(.noFile(path, known: models().filter(Self.isBase).map(\.choice.path)))
    }
    let weights = checkpoint(folder)
    if let weights, converts || bases.isEmpty { return weights }
    guard !converts || bases.isEmpty else { throw fault(.noBase("\(HubContent.fixedType)")) }
    guard !bases.isEmpty else { throw fault(.noBase(content(folder))) }
    guard bases.count == 1 else { throw fault(.several(.base, bases.map(\.choice))) }
    return try checked(bases[0])
  }

  /// Refuses a file that could be gigabytes before it comes, by what the hub says of it.
  private func checked(_ model: Candidate) throws(StoreError) -> BaseSource {
    // A projector that stands beside models says nothing of them.
    guard let architecture, architecture != "clip" else { return .model(model) }
    do throws(BaseModelError) {
      _ = try Architecture(named: architecture, in: "the file")
    } catch {
      throw .invalidBase(path: model.choice.reference, reason: "\(error)")
    }
    return .model(model)
  }

  /// Models that are complete, parts together.
  private func models() -> [Candidate] {
    let known = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    return files.compactMap { file in
      guard file.path.hasSuffix(".gguf") else { return nil }
      guard let part = GGUFPartName(file.path), part.count > 1 else { return candidate([file]) }
      guard part.number == 1, part.count <= files.count else { return nil }
      let parts = (1...part.count).compactMap { known[part.path(of: $0)] }
      return parts.count == part.count ? candidate(parts) : nil
    }.sorted { ($0.choice.size ?? 0, $0.choice.path) < ($1.choice.size ?? 0, $1.choice.path) }
  }

  /// The first part of the model of `file` that is not listed.
  private func missing(_ file: HubFile) throws(StoreError) -> String? {
    guard let part = GGUFPartName(file.path) else { return nil }
    let known = Set(files.map(\.path))
    return (1...part.count).lazy.map(part.path(of:)).first { !known.contains($0) }
  }

  /// Parts that see, and statistics of weights, are GGUF files too.
  private static func isBase(_ model: Candidate) -> Bool {
    let name = FilePath.name(of: model.choice.path).lowercased()
    return !name.contains("mmproj") && !name.contains("imatrix")
  }

  private func candidate(_ files: [HubFile]) -> Candidate {
    Candidate(choice: choice(files[0].path, files, parts: files.count), files: files)
  }

  private func choice(_ path: String, _ files: [HubFile], parts: Int) -> HubChoice {
    let sizes = files.map(\.size)
    let size = sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
    return HubChoice(
      path: path, size: size, parts: parts, reference: reference.at(path).description)
  }

  /// Files that tell of a checkpoint, by their names.
  private static let about = [
    "config.json", "generation_config.json", "tokenizer.json", "tokenizer.model",
    "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja",
    "chat_template.json", "modules.json", index,
  ]

  static let index = "model.safetensors.index.json"

  private func checkpoint(_ folder: String) -> BaseSource? {
    let here = files.filter { $0.path == folder + $0.name }
    let weights = here.filter { $0.name.hasSuffix(".safetensors") }
    let whole = weights.filter { $0.name == "model.safetensors" }
    guard here.contains(where: { $0.name == "config.json" }), !weights.isEmpty,
      !whole.isEmpty || here.contains(where: { $0.name == Self.index })
    else { return nil }
    let about = here.filter {
      Self.about.contains($0.name) && (whole.isEmpty || $0.name != Self.index)
    }
    return .folder(
      path: String(folder.dropLast()), about: about, weights: whole.isEmpty ? weights : whole)
  }

  /// What a folder without a base has instead.
  private func content(_ folder: String) -> ErrorText {
    let names = Set(files.filter { $0.path.hasPrefix(folder) }.map(\.name))
    if !packages(folder).isEmpty {
      return "\(HubContent.adapter)"
    }
    if names.contains("adapter_config.json") { return "\(HubContent.peft)" }
    if names.contains(where: { $0.hasSuffix(".safetensors") }) {
      return
        "its safetensors have no config.json or no index beside them\(remedy: "look for a repository in the form of transformers, or with GGUF files")"
    }
    let old = [".bin", ".pth", ".pt", ".ckpt"]
    if names.contains(where: { name in old.contains(where: name.hasSuffix) }) {
      return
        "its weights are pickles, which may run any program and are not read\(remedy: "look for one with safetensors or GGUF files")"
    }
    return
      "it has neither a GGUF file nor config.json and safetensors\(remedy: "look for one whose name ends with GGUF")"
  }
}

extension HubListing {
  /// The package that the reference means.
  ///
  /// - Throws: `StoreError.hub` with `.several`, `.noFile` or `.noPackage`.
  func package() throws(StoreError) -> Candidate {
    let folder = reference.path.map { $0 + "/" } ?? ""
    let found = packages(folder)
    if let path = reference.path, !files.contains(where: { $0.path.hasPrefix(folder) }) {
      throw fault(.noFile(path, known: packages("").map(\.choice.path)))
    }
    if let whole = found.first(where: { $0.choice.path == reference.path ?? "" }) { return whole }
    guard let first = found.first else { throw fault(.noPackage(instead(folder))) }
    guard found.count == 1 else { throw fault(.several(.package, found.map(\.choice))) }
    return first
  }

  /// The folders that have what every package has.
  private func packages(_ prefix: String) -> [Candidate] {
    var folders: [String: [HubFile]] = [:]
    for file in files where file.path.hasPrefix(prefix) && PackageFile.known.contains(file.name) {
      folders[String(file.path.dropLast(file.name.count)), default: []].append(file)
    }
    return folders.filter { _, files in
      PackageFile.required.allSatisfy { name in files.contains { $0.name == name } }
    }.sorted { $0.key < $1.key }.map { folder, files in
      let path = String(folder.hasSuffix("/") ? folder.dropLast() : folder[...])
      return Candidate(choice: choice(path, files, parts: files.count), files: files)
    }
  }

  /// What a folder without a package has instead.
  private func instead(_ folder: String) -> ErrorText {
    let names = Set(files.filter { $0.path.hasPrefix(folder) }.map(\.name))
    if names.contains("adapter_config.json") { return "\(HubContent.peft)" }
    let isBase = names.contains { $0.hasSuffix(".gguf") || $0 == "config.json" }
    return isBase
      ? "\(HubContent.base)"
      : "no folder of it has metadata.json and adapter_weights.bin\(remedy: "check the name")"
  }
}
