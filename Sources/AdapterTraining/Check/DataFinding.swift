public import Adapters

/// One thing that a check found wrong or worth knowing about a data set.
public struct DataFinding: Sendable, Equatable {
  /// The broken rule, which also says how much it matters and what to do.
  public let rule: DataRule
  /// Where it is.
  public let place: Place
  /// One sentence that says what is wrong.
  public let message: String

  /// A finding at `place`.
  public init(_ rule: DataRule, at place: Place, _ message: String) {
    self.rule = rule
    self.place = place
    self.message = message
  }

  /// How much it matters.
  public var severity: Finding.Severity { rule.severity }
  /// One sentence that says what to do.
  public var remedy: String { rule.remedy }
}

extension DataFinding {
  /// Where in a data set something is, as exactly as is known.
  public struct Place: Sendable, Equatable {
    /// Path of the file as it was given.
    public var file: String
    /// Line of the file, from 1.
    public var line: Int?
    /// Bytes from the start of the file.
    public var offset: Int?
    /// Path of a JSON key in the line, as in `messages[1].content`.
    public var key: String?

    /// A place in `file`.
    public init(_ file: String, line: Int? = nil, offset: Int? = nil, key: String? = nil) {
      self.file = file
      self.line = line
      self.offset = offset
      self.key = key
    }

    /// The same place, at a key.
    func at(_ key: String) -> Self {
      var place = self
      place.key = key
      return place
    }
  }
}

extension DataFinding.Place: CustomStringConvertible {
  /// File, line, byte and key, those that are known, separated by commas.
  public var description: String {
    [file, line.map { "line \($0)" }, offset.map { "byte \($0)" }, key].compactMap { $0 }
      .joined(separator: ", ")
  }
}

extension DataFinding: CustomStringConvertible {
  /// One line: severity, place, message, rule and remedy.
  public var description: String {
    "\(severity.rawValue): \(place): \(message) [\(rule.rawValue)] \(remedy)"
  }
}
