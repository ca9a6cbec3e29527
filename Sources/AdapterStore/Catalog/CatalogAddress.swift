import FoundationEssentials
import SystemFiles

/// Addresses of catalogs, and addresses inside them.
///
/// What a catalog says may lead to other servers, but neither from https to http, nor from the network to files, nor out
/// of its folder by `..`. References: RFC 3986, sections 3 and 5.2.
enum CatalogAddress {
  /// Why an address is not followed, as the end of a sentence with what to write instead.
  struct Refusal: Error, Equatable {
    let reason: ErrorText
  }

  /// The folder that `reference` means in the catalog at `catalog`, with a slash at its end.
  static func folder(
    _ reference: String, relativeTo catalog: String
  ) throws(Refusal) -> String {
    let isWhole = scheme(of: reference) != nil
    guard !reference.isEmpty, reference.utf8.count <= 2048,
      reference.utf8.allSatisfy({ isAllowed($0) || (isWhole && "[]".utf8.contains($0)) })
    else {
      throw Refusal(
        reason: "not an address of a folder"
          + "\(remedy: "write up to 2048 letters, digits and -._~%/:+,;=@")")
    }
    try checkSegments(reference)
    let folder = reference.hasSuffix("/") ? reference : reference + "/"
    guard let scheme = scheme(of: reference) else {
      guard !reference.hasPrefix("//") else {
        throw Refusal(reason: "the scheme is missing\(remedy: "write the whole address")")
      }
      // There, files are found by their digests, wherever they stood in the folder.
      if let place = try? RegistryReference(catalog) { return place.repositoryAddress }
      guard reference.hasPrefix("/") else { return parent(of: catalog) + folder }
      guard let origin = origin(of: catalog) else { throw local }
      return origin + folder
    }
    try check(scheme, folder, from: catalog)
    return folder
  }

  /// The part of `url` up to and with its last slash.
  static func parent(of url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }

  /// The scheme in lower case; nil for a relative reference.
  static func scheme(of url: String) -> String? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    let scheme = url[..<colon]
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.utf8.allSatisfy({ isAlphanumeric($0) || "+-.".utf8.contains($0) })
    else { return nil }
    return scheme.lowercased()
  }

  private static let local = Refusal(
    reason: "a catalog leads to files only inside its own folder"
      + "\(remedy: "write a relative path")")

  private static func check(
    _ scheme: String, _ folder: String, from catalog: String
  ) throws(Refusal) {
    let from = Self.scheme(of: catalog)
    switch scheme {
    case "file": throw local
    case "http" where from == "https" || from == "oci":
      throw Refusal(
        reason: "a catalog that came by https does not lead to http\(remedy: "write https")")
    case "http", "https": break
    default: throw Refusal(reason: "the scheme is not known here\(remedy: "write https")")
    }
    let rest = folder.dropFirst(scheme.count + 1)
    let authority = rest.dropFirst(2).prefix { $0 != "/" }
    // Brackets stand around a host of IPv6, and nowhere else.
    let path = rest.dropFirst(2 + authority.count)
    guard rest.hasPrefix("//"), !authority.isEmpty, !authority.contains("@"),
      !path.contains(where: "[]".contains)
    else {
      throw Refusal(reason: "the address has no plain host\(remedy: "write https://host/path/")")
    }
  }

  /// Scheme and host of a catalog on the network.
  private static func origin(of url: String) -> String? {
    guard let scheme = scheme(of: url), scheme != "file" else { return nil }
    let authority = url.dropFirst(scheme.count + 3).prefix { $0 != "/" }
    return "\(scheme)://\(authority)"
  }

  /// Refuses steps upwards, however they are written.
  private static func checkSegments(_ reference: String) throws(Refusal) {
    guard let plain = reference.percentDecoded else {
      throw Refusal(reason: "a % is followed by something else than two hexadecimal digits")
    }
    let separators: Set<Character> = ["/", "\\"]
    for segment in plain.split(whereSeparator: separators.contains)
    where segment == "." || segment == ".." {
      throw Refusal(
        reason: "steps such as .. lead out of the folder"
          + "\(remedy: "write the path without them")")
    }
    guard plain.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw Refusal(reason: "the address holds a control character\(remedy: "write it without")")
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "-._~%/:+,;=@".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
