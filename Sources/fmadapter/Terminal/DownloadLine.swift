import AdapterStore

/// One line about one download.
enum DownloadLine {
  /// `text` for a terminal, at most `columns` cells.
  static func text(_ label: String, _ progress: DownloadProgress, columns: Int, unicode: Bool)
    -> String
  {
    let name = TextLayout.cut(label.printable, max(8, min(28, columns / 3)))
    let rest = progress.waiting?.printable ?? figures(progress)
    guard let total = progress.total, total > 0, progress.waiting == nil, columns >= 60 else {
      return TextLayout.cut("\(name) \(rest)", columns)
    }
    let bar = bar(Double(progress.received) / Double(total), unicode)
    return TextLayout.cut("\(name) \(bar) \(rest)", columns)
  }

  /// How much has come, how fast, and how long the rest takes.
  static func figures(_ progress: DownloadProgress) -> String {
    var text = Figures.size(progress.received)
    if let total = progress.total, total > 0 {
      text = "\(min(100, progress.received * 100 / total)) % of \(Figures.size(total))"
    }
    if progress.rate > 0 { text += ", \(Figures.size(Int(progress.rate)))/s" }
    if let left = progress.secondsLeft, left >= 1, left < 360_000 {
      text += ", \(time(Int(left.rounded(.up)))) left"
    }
    return text
  }

  private static func time(_ seconds: Int) -> String {
    if seconds < 100 { return "\(seconds) s" }
    return seconds < 6000 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
  }

  private static func bar(_ fraction: Double, _ unicode: Bool) -> String {
    let width = 16
    let full = Int(min(1, max(0, fraction)) * Double(width))
    let (on, off) = unicode ? ("█", "░") : ("#", "-")
    return String(repeating: on, count: full) + String(repeating: off, count: width - full)
  }
}
