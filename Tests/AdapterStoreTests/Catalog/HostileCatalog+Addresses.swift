import Foundation

extension HostileCatalog {
  static let addresses: [HostileCatalog] = [
    HostileCatalog(
      "from https to http", url: "http://adapters.example/x/",
      "a catalog that came by https does not lead to http; write https"),
    HostileCatalog(
      "to a file", url: "file:///etc/",
      "a catalog leads to files only inside its own folder; write a relative path"),
    HostileCatalog(
      "to a file in capitals", url: "FILE:///etc/",
      "a catalog leads to files only inside its own folder; write a relative path"),
    HostileCatalog(
      "another scheme", url: "ftp://adapters.example/x/",
      "the scheme is not known here; write https"),
    HostileCatalog(
      "steps upwards", url: "../../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "steps upwards in the middle", url: "a/../../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "steps upwards at a host", url: "https://adapters.example/a/../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded steps", url: "%2e%2E/x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded slashes", url: "a%2F..%2f..%2fx/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded backslashes", url: "a%5C..%5Cx/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "an encoded line end", url: "a%0d%0aHost:%20x/",
      "the address holds a control character; write it without"),
    HostileCatalog(
      "half an escape", url: "a%2/",
      "a % is followed by something else than two hexadecimal digits"),
    HostileCatalog(
      "a host without a scheme", url: "//evil.example/x/",
      "the scheme is missing; write the whole address"),
    HostileCatalog(
      "a password", url: "https://user:secret@adapters.example/x/",
      "the address has no plain host; write https://host/path/"),
    HostileCatalog(
      "no host", url: "https:///x/", "the address has no plain host; write https://host/path/"),
    HostileCatalog("a query", url: "x/?a=b", alphabet),
    HostileCatalog("a fragment", url: "x/#a", alphabet),
    HostileCatalog("a space", url: "my adapters/", alphabet),
    HostileCatalog("empty address", url: "", alphabet),
    HostileCatalog("too long", url: String(repeating: "a", count: 2049), alphabet),
  ]

  private static let alphabet =
    "not an address of a folder; write up to 2048 letters, digits and -._~%/:+,;=@"

  private init(_ name: String, url: String, _ reason: String) {
    self.init(
      name, "fmadapter-demo-0123456/1.0.0/", url, "adapters[0].url, line 11: " + reason)
  }
}
