package import SystemFiles

/// Something that is not as it should be, what to do about it, and what was done.
package struct DoctorFinding: Sendable, Equatable {
  /// How much it matters.
  package enum Severity: String, Sendable {
    /// Something cannot be used, or bytes are wrong.
    case error
    /// Everything works, but something is out of place.
    case warning
  }

  /// What an error is about; what comes first matters most.
  package enum Category: Sendable, CaseIterable {
    /// Something of the system under the store.
    case system
    /// Bytes that are not those that were recorded.
    case integrity
    /// An adapter that no base fits.
    case compatibility
  }

  /// What became of it.
  package enum State: String, Sendable {
    case open, fixed
  }

  /// Stable name of what is wrong, such as `receipt.missing`.
  package let rule: String
  package let severity: Severity
  /// Path or name of what it is about.
  package let place: String
  /// One sentence that says what is wrong.
  package let message: String
  /// One sentence that says what to do.
  package let remedy: String
  /// What it is about; nil for a warning.
  package let category: Category?
  /// Whether the doctor can do it.
  package let canFix: Bool
  /// Open, or fixed in this run.
  package internal(set) var state: State
  /// Why a fix failed; a sentence.
  package internal(set) var reason: ErrorText?
  /// What a fix did, where that is not plain; a sentence.
  package internal(set) var outcome: String?

  init(
    _ rule: String, _ category: Category?, _ place: String, _ message: String, remedy: String,
    canFix: Bool = false
  ) {
    self.rule = rule
    severity = category == nil ? .warning : .error
    self.place = place
    self.message = message
    self.remedy = remedy
    self.category = category
    self.canFix = canFix
    state = .open
  }
}

/// Something worth knowing about this machine or store.
package struct DoctorFact: Sendable, Equatable, Encodable {
  /// What it is, such as `libcurl`.
  package let name: String
  package let value: String
  /// The numbers in it, where there are some, by what they count; sizes in bytes.
  package let numbers: [String: Int]?

  init(name: String, value: String, numbers: [String: Int]? = nil) {
    (self.name, self.value, self.numbers) = (name, value, numbers)
  }
}

/// What an examination of the store and of the system under it found.
package struct DoctorReport: Sendable, Equatable {
  package let facts: [DoctorFact]
  /// Everything that is not as it should be.
  package let findings: [DoctorFinding]

  /// Those that were not fixed.
  package var open: [DoctorFinding] { findings.filter { $0.state == .open } }

  /// The first category of what is open; nil when nothing that matters is.
  package var category: DoctorFinding.Category? {
    let categories = Set(open.compactMap(\.category))
    return DoctorFinding.Category.allCases.first(where: categories.contains)
  }
}

/// A finding, with what would mend it.
struct Diagnosis: Sendable {
  /// What the doctor can do; nothing of it loses a byte that somebody may want.
  enum Fix: Sendable {
    /// Writes the receipt of an entry anew where something vouches for its files, and sets them aside where nothing does.
    case receipt(StoreEntry)
    /// Brings the recorded bytes back from where they came from.
    case repair(EntryVerification)
    /// Removes what interrupted installations have left.
    case collect
    /// Takes write permission from a package.
    case seal(String)
    /// Makes a directory of the store usable for its owner.
    case open(String)
    /// Lets the owner of an entry read it.
    case permit(String)
    /// Chooses the base in use anew.
    case choose
    /// Moves what is not the store's to `lost+found`.
    case setAside(String)
  }

  var finding: DoctorFinding
  let fix: Fix?

  init(
    _ rule: String, _ category: DoctorFinding.Category?, _ place: String, _ message: String,
    remedy: String, fix: Fix? = nil
  ) {
    finding = DoctorFinding(rule, category, place, message, remedy: remedy, canFix: fix != nil)
    self.fix = fix
  }

  /// What the store says of itself.
  init(_ category: DoctorFinding.Category?, _ problem: StoreProblem, fix: Fix? = nil) {
    self.init(
      problem.rule, category, problem.path, problem.message, remedy: problem.remedy, fix: fix)
  }
}
