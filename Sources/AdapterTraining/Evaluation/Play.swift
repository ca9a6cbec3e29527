/// A theatre script in markup, as `adapters/README.md` describes it.
struct Play {
  private let root: MarkupElement

  /// Nil for an answer that is no well-formed XML.
  init?(_ answer: String) {
    guard let root = MarkupElement(PlainText.trimmed(answer)) else { return nil }
    self.root = root
  }

  private var cast: [PlainText.Scalars] {
    root.children(named: "cast").flatMap { $0.children(named: "role") }.map {
      PlainText.plain($0.attributes["name"] ?? "")
    }
  }

  private var speakers: [PlainText.Scalars] {
    root.descendants(named: "line").map { PlainText.plain($0.attributes["speaker"] ?? "") }
  }

  /// Whether it has one title, a cast of two or more with different names, and every scene a place, a direction and three or more
  /// lines, each spoken by somebody of the cast.
  var isWellFormed: Bool {
    let (cast, scenes) = (cast, root.children(named: "scene"))
    let areWhole = scenes.allSatisfy { scene in
      !(scene.attributes["place"] ?? "").isEmpty && !scene.children(named: "direction").isEmpty
        && scene.children(named: "line").count >= 3
    }
    return root.name == "play" && root.children(named: "title").count == 1 && cast.count >= 2
      && Set(cast).count == cast.count && !scenes.isEmpty && areWhole
      && Set(speakers).isSubset(of: cast)
  }

  func speaks(_ names: [String]) -> Bool {
    let speakers = Set(speakers)
    return names.allSatisfy { speakers.contains(PlainText.plain($0)) }
  }

  /// Whether a word, or its plural, stands in a text.
  static func mentions(_ word: String, _ text: String) -> Bool {
    let plain = PlainText.plain(text)
    return ["", "s", "es"].contains { PlainText.occurs(PlainText.plain(word + $0), in: plain) }
  }
}
