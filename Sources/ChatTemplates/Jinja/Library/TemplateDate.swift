/// A moment as the people around a template read it, which `strftime_now` writes.
public struct TemplateDate: Sendable, Equatable {
  public var year, month, day, hour, minute, second: Int

  /// A moment by its parts; months and days are counted from 1.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// Days since Sunday.
  private var weekday: Int {
    // Sakamoto's method: a year begins in March, so that leap days end it.
    let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    let year = month < 3 ? self.year - 1 : self.year
    return (year + year / 4 - year / 100 + year / 400 + offsets[month - 1] + day) % 7
  }

  /// Days since the first one of the year, which is 1.
  private var yearday: Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return lengths[..<(month - 1)].reduce(0, +) + day
  }

  /// The text of `format`, as C's `strftime` writes it in English.
  func text(_ format: String) throws(JinjaFault) -> String {
    var text = ""
    var rest = Substring(format)
    while let character = rest.popFirst() {
      guard character == "%", var code = rest.popFirst() else {
        text.append(character)
        continue
      }
      let isBare = code == "-"
      if isBare {
        guard let next = rest.popFirst() else { throw .unsupported("“%-” in a date") }
        code = next
      }
      text += try part(code, isBare)
    }
    return text
  }

  private func part(_ code: Character, _ isBare: Bool) throws(JinjaFault) -> String {
    func number(_ value: Int, _ width: Int = 2) -> String {
      isBare ? "\(value)" : "\(value)".padded(to: width)
    }
    switch code {
    case "Y": return "\(year)"
    case "y": return number(year % 100)
    case "m": return number(month)
    case "d": return number(day)
    case "e": return isBare || day > 9 ? "\(day)" : " \(day)"
    case "B": return Self.months[month - 1]
    case "b", "h": return String(Self.months[month - 1].prefix(3))
    case "A": return Self.days[weekday]
    case "a": return String(Self.days[weekday].prefix(3))
    case "w": return "\(weekday)"
    case "u": return "\(weekday == 0 ? 7 : weekday)"
    case "j": return number(yearday, 3)
    case "H": return number(hour)
    case "I": return number((hour + 11) % 12 + 1)
    case "M": return number(minute)
    case "S": return number(second)
    case "p": return hour < 12 ? "AM" : "PM"
    case "F": return try text("%Y-%m-%d")
    case "T": return try text("%H:%M:%S")
    case "R": return try text("%H:%M")
    case "D": return try text("%m/%d/%y")
    case "n": return "\n"
    case "t": return "\t"
    case "%": return "%"
    default: throw .unsupported("“%\(code)” in a date")
    }
  }
}
