import AdapterStore
import SystemFiles

extension Library {
  /// What `body` makes of the packages that `texts` name, at the paths that `find` finds.
  ///
  /// Where it fails and one of them was replaced or removed meanwhile, it is done again with what stands there then.
  func reading<R>(
    _ texts: [String], find: ((String) async throws -> String)? = nil,
    _ body: ([String]) async throws -> R
  ) async throws -> R {
    let found = try await paths(texts, find)
    let before = Self.stamp(found)
    do {
      return try await body(found)
    } catch {
      if Self.stamp(found) == before { throw error }
    }
    return try await body(try await paths(texts, find))
  }

  private func paths(
    _ texts: [String], _ find: ((String) async throws -> String)?
  ) async throws -> [String] {
    var paths: [String] = []
    for text in texts {
      if let find {
        paths.append(try await find(text))
      } else {
        paths.append(try await packagePath(text))
      }
    }
    return paths
  }

  /// The packages, and the entries that they are of if they are installed.
  private static func stamp(_ paths: [String]) -> StoreStamp {
    StoreStamp(of: paths + paths.map(FilePath.parent(of:)))
  }
}
