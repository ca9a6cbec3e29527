import FoundationEssentials
import TensorFiles

/// The base and the adapters that come with the program.
///
/// They lie in `share/fmadapter-bundled` beside the `bin` that holds the program, or in `adapters` of the checkout in
/// whose `.build` it was built: adapters as `<name>.fmadapter`, bases as `base/<name>.gguf`. `share/fmadapter` below
/// `~/.local` is the user's store, which is why the folder is not called so.
struct Bundled {
  let folder: String

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
