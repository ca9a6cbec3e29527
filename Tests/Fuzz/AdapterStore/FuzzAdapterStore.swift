import Fuzzing
import Glibc
import SystemFiles

@testable import AdapterStore

private let url = "https://example.org/a/catalog.json"

private let parser = chosen([
  "catalog": { bytes in _ = try Catalog(parsing: bytes, url: url) },
  "catalog-signed": { bytes in
    let envelope = try SignedIndex.envelope(bytes, at: url)
    _ = try Catalog(parsing: envelope.payload, url: url)
  },
  "lock": { bytes in
    let lock = try LockFile(parsing: bytes, path: "a")
    let again = try? LockFile(parsing: Array(lock.text.utf8), path: "a")
    precondition(again == lock, "it is written as another one")
  },
  "registry-manifest": { bytes in
    if case .package(let manifest) = try RegistryManifest.read(bytes) {
      let again = try? RegistryManifest.read(manifest.bytes)
      guard case .package(let other)? = again else { preconditionFailure("no manifest any more") }
      precondition(other.layers == manifest.layers)
    }
  },
  // What helpers print comes from programs of the user's.
  "logins": { bytes in
    let logins = RegistryLogins(
      environment: ["REGISTRY_AUTH_FILE": Scratch.set("auth.json", bytes)],
      credentials: Credentials(), helper: { _, _ in bytes })
    for origin in ["https://registry.example:5000", "https://index.docker.io"] {
      _ = try logins.login(origin: origin, repository: "a/b")?.login.authorization
    }
  },
  "tokens": { bytes in
    mkdir(Scratch.folder + "/fmadapter", 0o700)
    Scratch.set("fmadapter/tokens", bytes)
    _ = try Credentials(environment: ["XDG_CONFIG_HOME": Scratch.folder])
  },
  "hub-listing": { bytes in
    let reference = try HubReference("hf:owner/repo")
    let listing = try HubListing(parsing: bytes, reference, ModelHub(environment: [:]))
    _ = "\(listing)"
  },
  // A field a line, as curl gives them.
  "response-head": { bytes in
    var fields = HeaderFields()
    for line in bytes.split(separator: UInt8(ascii: "\n")) { fields.append(text(line)) }
    let head = fields.head(url: url, now: 1_700_000_000)
    _ = RegistryChallenge(head.challenges)
    _ = fields.digests
  },
  "date": { bytes in _ = HeaderFields.seconds(text(bytes), now: 1_700_000_000) },
  "events": { bytes in
    var events = ServerSentEvents()
    var whole = ServerSentEvents()
    let half = bytes.count / 2
    let pieces = try events.append(Array(bytes[..<half])) + events.append(Array(bytes[half...]))
    let all = try whole.append(bytes)
    precondition(all == pieces, "it is read otherwise where it is cut")
  },
  "address": { bytes in
    let address = text(bytes)
    _ = (WebAddress.shown(address), WebAddress.shown(in: address), WebAddress.fileName(address))
    _ = (WebAddress.place(of: address), WebAddress.key(address), WebAddress.identity(address))
    _ = WebAddress.sibling(address, "b")
    if let parsed = WebAddress(address) { _ = (parsed.origin, parsed.isLoopback) }
  },
  "reference": { bytes in
    let reference = text(bytes)
    _ = try? HubReference(reference)
    _ = try? CatalogAddress.folder(reference, relativeTo: url)
    _ = try RegistryReference(reference)
  },
  "receipt": { bytes in
    let path = Scratch.set("receipt.json", bytes)
    _ = (Receipt(reading: path), Receipt.newer(at: path))
  },
  "journal": { bytes in
    let journal = PartialJournal(reading: bytes)
    _ = journal.text
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
