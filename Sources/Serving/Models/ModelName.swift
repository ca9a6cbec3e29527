/// A model as requests name it: a base, an adapter, or several of both joined by `+`, each adapter with its strength behind a colon.
///
/// `triage`, `fmadapter-triage-2072059`, `triage@1.0.0`, `smollm2+triage:0.5+tone` are such names. What tools for Ollama add, `:latest`,
/// says nothing.
struct ModelName: Equatable {
  struct Part: Equatable {
    /// A name or an identifier of an adapter, or the name or signature of a base.
    let name: String
    /// Nil for any.
    let version: String?
    let strength: Double?
  }

  /// What Ollama's names have where nobody gives them a tag.
  static let usualTag = ":latest"

  let parts: [Part]

  init(_ text: String) {
    parts = text.removingUsualTag.split(separator: "+", omittingEmptySubsequences: false).map {
      Part(String($0))
    }
  }
}

extension ModelName {
  /// Adapters with these strengths by their names, without those that are off.
  static func parts(_ scales: [String: Double]) -> [Part] {
    scales.sorted { $0.key < $1.key }.filter { $0.value != 0 }.map { name, scale in
      Part(name: name, version: nil, strength: scale)
    }
  }
}

extension ModelName.Part {
  init(_ text: String) {
    var (name, strength) = (text[...], Double?.none)
    if let colon = text.lastIndex(of: ":"), let number = Double(text[text.index(after: colon)...]),
      number.isFinite
    {
      (name, strength) = (text[..<colon], number)
    }
    let at = name.lastIndex(of: "@")
    self.init(
      name: String(at.map { name[..<$0] } ?? name),
      version: at.map { String(name[name.index(after: $0)...]) }, strength: strength)
  }
}

extension String {
  /// The name of a model without the tag that says nothing.
  var removingUsualTag: String {
    hasSuffix(ModelName.usualTag) ? String(dropLast(ModelName.usualTag.count)) : self
  }
}
