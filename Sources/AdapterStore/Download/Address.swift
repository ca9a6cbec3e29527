import Foundation

/// Parts of an address.
enum Address {
  /// The host with its port, for people.
  static func host(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    return host.isEmpty ? "this machine" : String(host)
  }

  /// `url` without a user's name and password, for records and messages.
  static func withoutUser(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<scheme.upperBound] + rest[rest.index(after: at)...])
  }

  /// The file `name` in the folder at `url`; a query stays at the end.
  static func join(_ url: String, _ name: String) -> String {
    let end = url.firstIndex { "?#".contains($0) } ?? url.endIndex
    let (path, query) = (url[..<end], url[end...].prefix { $0 != "#" })
    return String(path + (path.hasSuffix("/") ? "" : "/") + name + query)
  }

  /// The last component of the path, without escapes; "base" when there is none.
  static func fileName(_ url: String) -> String {
    let path = url.prefix { !"?#".contains($0) }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let plain = (name.removingPercentEncoding ?? name).filter { $0 != "/" && $0 != "\0" }
    return plain.isEmpty ? "base" : plain
  }
}
