import Adapters
package import FoundationEssentials
package import SystemFiles

/// Why a catalog whose keys are known is not believed.
package enum CatalogFault: ExplainedError, Equatable {
  /// The entry of the list may have keys, and cannot be read.
  case unknownKeys(entry: String)
  /// There is no signed index; `place` is where it should be.
  case unsigned(place: String)
  /// Another key signed it, by its own word that which is named.
  case otherKey(named: String, pinned: [String])
  /// It names the key, which did not sign these bytes.
  case forged(key: String)
  /// It says nothing of its number and its end.
  case noSerial
  /// It was good until then.
  case expired(Date, now: Date)
  /// A newer one was seen before.
  case rolledBack(serial: Int, seen: Int)
  /// Another one of this number was seen before.
  case twoOfOneSerial(Int)
  /// The same key signed it for another catalog.
  case otherCatalog

  /// What is wrong, and what to do.
  package var text: ErrorText {
    switch self {
    case .unknownKeys(let entry):
      "the entry of the list at \(entry) cannot be read, so its keys are not known\(remedy: "remove the catalog, and add it again with its keys")"
    case .unsigned(let place):
      "it has keys here, and there is no signed index at \(place)\(remedy: "tell its publisher, or remove the catalog and add it without keys")"
    case .otherKey(let named, let pinned):
      "it is signed by the key \(named.isEmpty ? "of an unknown name" : printable(named)), and its keys here are \(pinned.joined(separator: ", "))\(remedy: "ask its publisher, in another way than by the catalog, whether the key changed; then remove the catalog, and add it with the new one")"
    case .forged(let key):
      "it names the key \(key), which did not sign it as it is\(remedy: "do not use it: it was changed on its way or on its server; tell its publisher")"
    case .noSerial:
      "it is signed without a serial number and an end\(remedy: "ask its publisher to publish it again")"
    case .expired(let end, let now):
      "it was good until \(end.ISO8601Format()), and it is \(now.ISO8601Format()) here: somebody may be holding newer ones back\(remedy: "look at this machine's clock, or ask its publisher to sign it again")"
    case .rolledBack(let serial, let seen):
      "it is number \(serial), and number \(seen) was seen before: somebody gives out an old one\(remedy: "try again later, and tell its publisher if it stays so")"
    case .twoOfOneSerial(let serial):
      "there are two of number \(serial), with other contents\(remedy: "tell its publisher: the key is used in two places, or by somebody else")"
    case .otherCatalog:
      "it is another catalog that the same key signed\(remedy: "look at the address, and tell its publisher; if the catalog was made anew, remove it here and add it again")"
    }
  }
}
