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
}
