import AdapterStore
import Adapters
import FoundationEssentials
import LanguageModels
import TensorFiles

/// The base and the adapters that come with the program.
///
/// They lie in `share/fmadapter-bundled` beside the `bin` that holds the program, or in `adapters` of the checkout in
/// whose `.build` it was built: adapters as `<name>.fmadapter`, bases as `base/<name>.gguf`. `share/fmadapter` below
/// `~/.local` is the user's store, which is why the folder is not called so.
struct Bundled {
  let folder: String

  /// Their names, as the help has them whether they came along or not.
  static let baseName = "afm-9m"
  static let adapterNames = ["commands", "playwriting", "tagging"]

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
    self.folder = folder
  }

  /// The package that `request` means; nil where none is called so.
  ///
  /// - Throws: `Failure` where it has another version than the one that was asked for.
  func adapter(_ request: AdapterRequest) throws -> String? {
    let name = (try? AdapterIdentifier(request.name))?.name ?? request.name
    guard let package = adapter(name) else { return nil }
    let metadata = try Shelf.metadata(of: package)
    let identifier = metadata.adapterIdentifier
    guard [identifier.name, identifier.description].contains(request.name) else { return nil }
    guard request.version == nil || request.version == metadata.version else {
      throw Failure(
        .notFound,
        "no catalog has \(request.text), and the program comes with \(name) \(metadata.version)"
          + "\(remedy: "install that one with 'fmadapter install \(name)'")")
    }
    return package
  }

  /// The package of `name`; nil for a name of another form or of nothing here.
  func adapter(_ name: String) -> String? { entry("", name, ".fmadapter") }

  /// The GGUF file of `name`, likewise.
  func base(_ name: String) -> String? { entry("base/", name, ".gguf") }

  private func entry(_ place: String, _ name: String, _ suffix: String) -> String? {
    guard !name.isEmpty, !Shelf.isPath(name) else { return nil }
    let path = FilePath.join(folder, place + name + suffix)
    return Shelf.exists(path) ? path : nil
  }
}

// What to do where nothing is installed.
extension Bundled {
  /// The first steps in an empty store, as the end of a sentence.
  static var firstSteps: String {
    guard current?.base(baseName) != nil else {
      return
        "begin with 'fmadapter base install PATH', or a model of 'fmadapter base list --suggest'"
    }
    return "begin with 'fmadapter base install \(baseName)' and 'fmadapter install tagging', "
      + "which come with the program"
  }

  /// How to get the base that is `signed` so, where it comes with the program; any base without a signature.
  static func baseRemedy(signed signature: String? = nil) -> String? {
    guard let path = current?.base(baseName) else { return nil }
    if let signature, (try? LanguageModel(path: path).signature) != signature { return nil }
    return "'fmadapter base install \(baseName)' installs the one that comes with the program"
  }

  /// How to get what is missing by `error`, where it comes with the program.
  static func remedy(for error: StoreError) -> String? {
    switch error {
    case .noAdapter(let name, _) where current?.adapter(name) != nil:
      "it comes with the program: 'fmadapter install \(name)'"
    case .noBase(let name, _) where current?.base(name) != nil:
      "it comes with the program: 'fmadapter base install \(name)'"
    case .noCurrentBase(installed: 0): baseRemedy()
    default: nil
    }
  }
}
