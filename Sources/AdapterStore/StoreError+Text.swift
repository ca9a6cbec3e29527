import FoundationEssentials
import Glibc
import SystemFiles

// Parts of texts that several errors share.
extension StoreError {
  /// `remedy` is for where there is nothing at all; `called` gives what people type for one of `known`.
  static func missing(
    _ problem: String, _ name: String, among known: [String],
    called: (String) -> String = { $0 }, _ remedy: String
  ) -> ErrorText {
    guard !known.isEmpty else { return "\(problem), nor any other\(remedy: remedy)" }
    // A version that was asked for is looked for among versions.
    let near = name.contains("@") ? nil : TypedName(name).nearest(among: known.map(called))
    return near.map { "\(problem)\(remedy: "did you mean '\($0)'?")" }
      ?? "\(problem)\(remedy: "there are: \(known.firsts)")"
  }

  /// The reason, with a remedy where it has none of its own.
  static func told(_ reason: ErrorText, or remedy: String) -> ErrorText {
    reason.remedy == nil ? "\(reason)\(remedy: remedy)" : reason
  }

  static func remedy(_ error: FileError) -> String? {
    guard case .system(_, _, let code) = error, !error.isUnconfirmed else { return nil }
    if error.isDenied { return "check the permissions, or set FMADAPTER_HOME to another place" }
    return code == EROFS
      ? "the file system is read-only: set FMADAPTER_HOME to another place" : nil
  }
}

extension [String] {
  /// The first names, and how many there are besides.
  var firsts: String {
    prefix(20).joined(separator: ", ")
      + (count > 20 ? " and \(Figures.grouped(count - 20)) more" : "")
  }
}

/// Runs `body`, whose file errors become storage errors.
func storing<R>(_ body: () throws(FileError) -> R) throws(StoreError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw .storage(error)
  }
}
