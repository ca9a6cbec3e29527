/// Something that is not as it should be, what to do about it, and what was done.
package struct DoctorFinding: Sendable, Equatable, Codable {
  /// How much it matters.
  package enum Severity: String, Sendable, Codable {
    /// Something cannot be used, or bytes are wrong.
    case error
    /// Everything works, but something is out of place.
    case warning
  }

  /// What became of it.
  package enum State: String, Sendable, Codable {
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
  /// 5 damaged bytes, 6 no base that fits, 8 something of the system; 0 for a warning.
  package let exitCode: Int32
  /// Whether the doctor can do it.
  package let canFix: Bool
  /// Open, or fixed in this run.
  package internal(set) var state: State
  /// Why a fix failed; a sentence.
  package internal(set) var reason: String?
  /// What a fix did, where that is not plain; a sentence.
  package internal(set) var outcome: String?

  init(
    _ rule: String, _ code: Int32, _ place: String, _ message: String, remedy: String,
    canFix: Bool = false
  ) {
    self.rule = rule
    severity = code == 0 ? .warning : .error
    self.place = place
    self.message = message
    self.remedy = remedy
    exitCode = code
    self.canFix = canFix
    state = .open
  }
}

/// Something worth knowing about this machine or store.
package struct DoctorFact: Sendable, Equatable, Codable {
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
package struct DoctorReport: Sendable, Equatable, Codable {
  package let facts: [DoctorFact]
  /// Everything that is not as it should be.
  package let findings: [DoctorFinding]

  /// Those that were not fixed.
  package var open: [DoctorFinding] { findings.filter { $0.state == .open } }

  /// 0 when nothing that matters is open, else 8, 5 or 6: the system before damage before what does not fit.
  package var exitCode: Int32 {
    let codes = Set(open.map(\.exitCode))
    return [8, 5, 6].first(where: codes.contains) ?? 0
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
    _ rule: String, _ code: Int32, _ place: String, _ message: String, remedy: String,
    fix: Fix? = nil
  ) {
    finding = DoctorFinding(rule, code, place, message, remedy: remedy, canFix: fix != nil)
    self.fix = fix
  }

  /// What the store says of itself, under the name of a rule.
  init(_ rule: String, _ code: Int32, _ problem: StoreProblem, fix: Fix? = nil) {
    self.init(rule, code, problem.path, problem.message, remedy: problem.remedy, fix: fix)
  }
}
