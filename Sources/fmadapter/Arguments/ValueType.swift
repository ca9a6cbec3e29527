import Adapters
import FoundationEssentials

/// How the text of one option or argument is read.
struct ValueType<Value: Sendable>: Sendable {
  /// Stands for the value in help texts, such as `path`.
  let placeholder: String
  /// Completes the sentence "takes …" when a text cannot be read.
  let expectation: String
  /// The words that it takes, as people read them, such as `keep-last=COUNT`; empty where they cannot be counted.
  var choices: [String] = []
  /// What a shell offers on Tab.
  var completion = Completion.none
  /// The value, or nil when the text is not one.
  let read: @Sendable (String) -> Value?
}

/// What a shell may offer in place of a value.
enum Completion: Sendable, Equatable {
  case none
  case files
  case folders
  case words([String])
  /// Names of installed adapters, and folders.
  case adapters
  /// Signatures of installed bases, and files.
  case bases
  /// Those without files.
  case installedBases
  /// Catalogs that were added, and folders.
  case catalogs
}

extension ValueType where Value == String {
  static var text: Self { text("text") }

  /// Any text, shown as `<placeholder>`.
  static func text(_ placeholder: String) -> Self {
    Self(placeholder: placeholder, expectation: "a text") { $0 }
  }

  /// The address or path of a catalog that was added.
  static var catalog: Self {
    Self(placeholder: "address", expectation: "a text", completion: .catalogs) { $0 }
  }

  static var file: Self { path("file", .files) }
  static var folder: Self { path("folder", .folders) }
  static var adapter: Self { path("adapter", .adapters, "the name of an adapter or a folder") }
  static var base: Self { path("base", .bases, "a signature, a base's name or a GGUF file") }

  /// One of `words`.
  static func word(_ placeholder: String, _ words: [String]) -> Self {
    Self(
      placeholder: placeholder, expectation: "one of " + words.joined(separator: ", "),
      choices: words, completion: .words(words)
    ) { words.contains($0) ? $0 : nil }
  }

  private static func path(
    _ placeholder: String, _ completion: Completion, _ expectation: String = "a path"
  ) -> Self {
    Self(placeholder: placeholder, expectation: expectation, completion: completion) {
      $0.isEmpty ? nil : $0
    }
  }
}

extension ValueType where Value == AdapterVersion {
  static var version: Self {
    Self(placeholder: "version", expectation: "a semantic version, such as 1.2.0") {
      AdapterVersion($0)
    }
  }
}

extension ValueType where Value == Int {
  /// A whole number in `range`.
  static func integer(_ range: ClosedRange<Int>) -> Self {
    let end = range.upperBound == .max ? " or more" : " to \(range.upperBound)"
    return Self(placeholder: "count", expectation: "a whole number, \(range.lowerBound)\(end)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueType where Value == Duration {
  /// A number of days, hours, minutes or seconds.
  static var age: Self {
    let units: [Character: Int] = ["w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1]
    return Self(placeholder: "age", expectation: "an age such as 7d, 12h or 30m") { text in
      guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
        count >= 0, count <= 100_000
      else { return nil }
      return .seconds(count * unit)
    }
  }
}

extension ValueType where Value == UInt64 {
  static var seed: Self {
    Self(placeholder: "seed", expectation: "a whole number, 0 to 18446744073709551615") {
      UInt64($0)
    }
  }
}

extension ValueType where Value == Float {
  /// A decimal number in `range`.
  static func number(_ range: ClosedRange<Float>) -> Self {
    let bounds = "\(range.lowerBound.plain) to \(range.upperBound.plain)"
    return Self(placeholder: "number", expectation: "a number, \(bounds)") {
      Float($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Float {
  /// The number without a fraction of zero: `2`, not `2.0`.
  fileprivate var plain: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}

extension ValueType where Value == Double {
  /// A part of a whole, neither nothing nor all of it.
  static var share: Self {
    Self(placeholder: "share", expectation: "a share such as 10% or 0.1") { text in
      let isPercent = text.hasSuffix("%")
      guard let number = Double(isPercent ? String(text.dropLast()) : text) else { return nil }
      let share = isPercent ? number / 100 : number
      return share > 0 && share < 1 ? share : nil
    }
  }

  /// A part of a whole, or nothing of it.
  static var shareOrNone: Self {
    Self(placeholder: "share", expectation: "a share such as 10% or 0.1, or 0 for none") { text in
      Double(text) == 0 ? 0 : ValueType.share.read(text)
    }
  }
}

/// How a learning rate is chosen.
enum RateChoice: Sendable, Equatable {
  case fixed(Float)
  /// As it suits the base and the number of steps.
  case auto
  /// By trials.
  case search
}

extension ValueType where Value == RateChoice {
  /// A decimal number in `range`, `auto` or `search`.
  static func rate(_ range: ClosedRange<Float>) -> Self {
    let number = ValueType<Float>.number(range)
    return Self(
      placeholder: "number|auto|search", expectation: number.expectation + ", or auto, or search"
    ) { text in
      switch text {
      case "auto": .auto
      case "search": .search
      default: number.read(text).map(RateChoice.fixed)
      }
    }
  }
}

extension ValueType where Value == [LoRATarget] {
  static var targets: Self {
    let names = LoRATarget.allCases.map(\.rawValue)
    return Self(
      placeholder: "names",
      expectation: "names separated by commas, of " + names.joined(separator: ", "),
      choices: names
    ) { text in
      let targets = text.split(separator: ",", omittingEmptySubsequences: false).map {
        LoRATarget(rawValue: String($0))
      }
      return targets.contains(nil) ? nil : targets.compactMap(\.self)
    }
  }
}

extension ValueType where Value == [Int32] {
  static var tokens: Self {
    Self(placeholder: "ids", expectation: "token ids separated by commas, such as 1,2,3") { text in
      let ids = text.split(separator: ",", omittingEmptySubsequences: false).map {
        Int32($0.filter { $0 != " " }).flatMap { $0 >= 0 ? $0 : nil }
      }
      return ids.contains(nil) ? nil : ids.compactMap(\.self)
    }
  }
}
