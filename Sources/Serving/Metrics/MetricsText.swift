/// A text that Prometheus scrapes.
///
/// Source: Prometheus' text format, 0.0.4.
struct MetricsText {
  typealias Labels = [(name: String, value: String)]

  enum Kind: String {
    case gauge
    case counter
    case histogram
  }

  private(set) var text = ""

  /// Adds a metric with its samples.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: String)]
  ) {
    begin(name, kind, help)
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  /// Adds a metric of one value.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ labels: Labels = [], _ value: String
  ) {
    add(name, kind, help, [(labels, value)])
  }

  /// Adds histograms that differ by their labels.
  mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: Labels, histogram: Histogram)]
  ) {
    begin(name, .histogram, help)
    for (labels, histogram) in samples {
      var count = 0
      for (bound, more) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
        count += more
        add("\(name)_bucket", labels + [("le", bound)], "\(count)")
      }
      add("\(name)_sum", labels, "\(histogram.sum)")
      add("\(name)_count", labels, "\(count)")
    }
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
  }

  private mutating func add(_ name: String, _ labels: Labels, _ value: String) {
    let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
    text += name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
