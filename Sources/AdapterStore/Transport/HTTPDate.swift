/// The three forms of a date in HTTP (RFC 9110, section 5.6.7), all in universal time.
enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Seconds since 1970; nil for what is no date.
  static func parse(_ text: String) -> Int? {
    let words = text.split { " ,-".contains($0) }.map { $0.lowercased() }
    guard words.count == 5 || words.count == 6 else { return nil }
    // `Sun Nov 6 08:49:37 1994` has the month first and no zone; the others end in GMT.
    let old = words.count == 5
    guard old || words[5] == "gmt" else { return nil }
    let (monthWord, dayWord) = old ? (words[1], words[2]) : (words[2], words[1])
    guard let month = months.firstIndex(of: monthWord), let day = HeaderFields.count(dayWord),
      (1...31).contains(day), var year = HeaderFields.count(words[old ? 4 : 3]), year <= 9999,
      let seconds = time(words[old ? 3 : 4])
    else { return nil }
    // Two digits are of this century up to 69, by POSIX.
    if words[old ? 4 : 3].count == 2 { year += year < 70 ? 2000 : 1900 }
    return days(year: year, month: month + 1, day: day) * 86400 + seconds
  }

  private static func time(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
      HeaderFields.count($0)
    }
    guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  /// Days from 1970-01-01, by shifting the year's start to March, where leap days come last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
