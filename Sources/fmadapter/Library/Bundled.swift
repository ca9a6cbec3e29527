import AdapterStore
import Adapters
import FoundationEssentials
import LanguageModels
import SystemFiles

/// The base and the adapters that come with the program.
///
/// They lie in `share/fmadapter-bundled` beside the `bin` that holds the program, or in `adapters` of the checkout in
/// whose `.build` it was built, in a folder for each base that is called as `base install` has it: adapters as
/// `<base>/<name>.fmadapter`, and of the embedded base `<base>/<base>.gguf`. `share/fmadapter` below `~/.local` is the user's store,
/// which is why the folder is not called so.
struct Bundled {
  let folder: String

  /// Their names, as the help has them whether they came along or not.
  static let baseName = "afm-9m"
  static let adapterNames = ["assistant", "calls", "commands", "playwriting", "tagging", "triage"]

  /// What came with the program that runs; nil where nothing did.
  static let current = Bundled(
    program: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)

  init?(program: String) {
    let programs = FilePath.parent(of: program)
    let prefix = FilePath.parent(of: programs)
    var candidates = [FilePath.join(prefix, "share/fmadapter-bundled")]
    if let build = programs.firstRange(of: "/.build/") {
      candidates.append(programs[..<build.lowerBound] + "/adapters")
    }
    guard let folder = candidates.first(where: FileSystem.isDirectory(following:)) else {
      return nil
    }
    self.init(folder: folder)
  }

  init(folder: String) { self.folder = folder }

  /// A package, and what it says of itself.
  struct Package {
    /// The folder of its base.
    let base: String
    let path: String
    let metadata: AdapterMetadata
  }

  /// The packages of `name`, in whichever capitals, those for the base to begin with first.
  func packages(_ name: String) throws -> [Package] {
    let name = name.lowercased()
    guard !name.isEmpty, !Library.isPath(name) else { return [] }
    return try bases.compactMap { base in
      let path = FilePath.join(folder, "\(base)/\(name).fmadapter")
      guard Library.exists(path) else { return nil }
      return Package(base: base, path: path, metadata: try Library.metadata(of: path))
    }
  }

  /// The names of the folders of bases, that of the base to begin with first.
  private var bases: [String] {
    let entries = (try? FileSystem.list(folder)) ?? []
    let names = entries.filter { $0.kind == .directory }.compactMap(\.name.text)
    let first = SuggestedModel.first.shortName
    return names.filter { $0 == first } + names.filter { $0 != first }
  }

  /// The package that `request` means, of several the one for the first of `signatures` that one is for; nil where none is called so.
  ///
  /// - Throws: `Failure` where it has another version than the one that was asked for.
  func adapter(_ request: AdapterRequest, for signatures: [String]) throws -> Package? {
    let name = (try? AdapterIdentifier(request.name))?.name ?? request.name
    let asked = request.name.lowercased()
    let packages = try packages(name).filter {
      let identifier = $0.metadata.adapterIdentifier
      return [identifier.name, identifier.description].contains(asked)
    }
    let fitting = signatures.lazy.compactMap { signature in
      packages.first { $0.metadata.baseModelSignature == signature }
    }.first
    guard let package = fitting ?? packages.first else { return nil }
    let version = package.metadata.version
    guard request.version == nil || request.version == version else {
      throw Failure(
        .notFound,
        "no catalog has \(request.text), and the program comes with \(name) \(version)"
          + "\(remedy: "install that one with 'fmadapter install \(name)'")")
    }
    return package
  }

  /// The GGUF file of the base `name`, in any case of letters; nil where none is called so.
  func base(_ name: String) -> String? {
    let name = name.lowercased()
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return nil }
    let path = FilePath.join(folder, "\(name)/\(name).gguf")
    return Library.exists(path) ? path : nil
  }

  /// What the base that is `signed` so is installed by: that of the adapters which came for it.
  func baseName(signed signature: String) -> String? {
    bases.first { base in
      let entries = (try? FileSystem.list(FilePath.join(folder, base))) ?? []
      return entries.contains { entry in
        guard let name = entry.name.text, name.hasSuffix(".fmadapter") else { return false }
        let metadata = try? Library.metadata(of: FilePath.join(folder, "\(base)/\(name)"))
        return metadata?.baseModelSignature == signature
      }
    }
  }
}

// What to do where nothing is installed.
extension Bundled {
  /// The first steps in an empty store, as the end of a sentence.
  static var firstSteps: String {
    let model = SuggestedModel.first
    let begin = "begin with '\(model.command)' (\(model.terms))"
    guard current?.base(baseName) != nil else {
      return "\(begin), or another model of 'fmadapter base list --suggest'"
    }
    return "\(begin), or without a network with 'fmadapter base install \(baseName)', "
      + "which comes with the program"
  }

  /// How to get the base that is `signed` so, where it is known; any base without a signature.
  static func baseRemedy(signed signature: String? = nil) -> String? {
    let model = SuggestedModel.first
    guard let signature else {
      let small = "'fmadapter base install \(baseName)' a tiny one that comes with the program"
      return "'\(model.command)' installs one (\(model.terms))"
        + (current?.base(baseName) == nil ? "" : ", \(small)")
    }
    return switch current?.baseName(signed: signature) {
    case baseName:
      "'fmadapter base install \(baseName)' installs the one that comes with the program"
    case let name?: "'fmadapter base install \(name)' installs it"
    case nil: nil
    }
  }

  /// How to get what is missing by `error`, where it comes with the program or is known by a short name.
  static func remedy(for error: StoreError) -> String? {
    let name = error.subject
    return switch error.code {
    case .noAdapter where (try? current?.packages(name))?.isEmpty == false:
      "it comes with the program: 'fmadapter install \(name)'"
    case .noBase where current?.base(name) != nil:
      "it comes with the program: 'fmadapter base install \(name.lowercased())'"
    case .noBase:
      SuggestedModel.named(name).map { "'\($0.command)' installs it (\($0.terms))" }
    case .noBaseInstalled: baseRemedy()
    default: nil
    }
  }
}
