import SystemFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Losses over the steps of a training, those of the batches as a band and those that were measured as points; equal shares are
/// equally high, as most of a loss is gone in the first steps.
struct LossCurve {
  let losses: [(step: Int, loss: Double)]
  let measures: [(step: Int, loss: Double)]

  private var lastStep: Int { max(losses.last?.step ?? 0, measures.last?.step ?? 0, 1) }

  /// Mean losses of the batches, over `count` equal parts of the steps; nil where a part has none.
  private func means(_ count: Int) -> [Double?] {
    var (sums, counts) = ([Double](repeating: 0, count: count), [Int](repeating: 0, count: count))
    for (step, loss) in losses where loss.isFinite && loss > 0 {
      let place = min((step - 1) * count / lastStep, count - 1)
      sums[place] += loss
      counts[place] += 1
    }
    return sums.indices.map { counts[$0] > 0 ? sums[$0] / Double(counts[$0]) : nil }
  }

  /// A drawing of `rows` lines that are at most `columns` cells wide; nothing where there is nothing to draw.
  func lines(columns: Int, rows: Int = 8, unicode: Bool) -> [String] {
    let width = min(columns - 8, 64)
    let means = means(max(width, 1))
    let points = measures.filter { $0.loss.isFinite && $0.loss > 0 }
    let all = means.compactMap(\.self) + points.map(\.loss)
    guard width >= 16, losses.count > 1, let top = all.max(), let low = all.min(), top > low
    else { return [] }
    let bottom = max(low, top * Self.lowest)
    func row(_ loss: Double) -> Int {
      min(Int(Self.share(loss, bottom, top) * Double(rows)), rows - 1)
    }
    var cells = [[Character]](repeating: Array(repeating: " ", count: width), count: rows)
    for (column, mean) in means.enumerated() {
      if let mean { cells[row(mean)][column] = unicode ? "·" : "." }
    }
    for (step, loss) in points {
      cells[row(loss)][min(step * width / lastStep, width - 1)] = unicode ? "●" : "o"
    }
    var lines: [String] = []
    for (index, line) in cells.enumerated() {
      let label = index == 0 ? top : index == rows - 1 ? bottom : nil
      let text = label.map { Figures.fixed($0, $0 < 10 ? 3 : 1) } ?? ""
      let edge = unicode ? "│" : "|"
      lines.append(
        String(repeating: " ", count: max(6 - text.count, 0)) + text + " " + edge + String(line))
    }
    return lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Share of the highest loss at which the drawing ends: pairs that are learnt by heart have losses so small that all others
  /// would lie on one line.
  private static let lowest = 1e-3

  /// How far `loss` is below `top`, of the way to `bottom`.
  private static func share(_ loss: Double, _ bottom: Double, _ top: Double) -> Double {
    min(log(top / loss) / log(top / bottom), 1)
  }

  /// What the signs of the drawing mean.
  func caption(unicode: Bool, measured: String) -> String {
    let (batch, point) = unicode ? ("·", "●") : (".", "o")
    return "        \(batch) batches  \(point) \(measured)"
  }

  /// The same as a drawing of SVG; `unit` is what the losses are in.
  func svg(measured: String, unit: String) -> String {
    let (width, height) = (720.0, 260.0)
    let means = means(min(max(losses.count, 1), 240))
    let measures = measures.filter { $0.loss.isFinite && $0.loss > 0 }
    let all = means.compactMap(\.self) + measures.map(\.loss)
    let (top, low) = (all.max() ?? 1, all.min() ?? 1)
    let bottom = low < top ? max(low, top * Self.lowest) : top / 2
    func x(_ share: Double) -> String { Figures.fixed(50 + share * (width - 60), 1) }
    func y(_ loss: Double) -> String {
      Figures.fixed(10 + Self.share(loss, bottom, top) * (height - 40), 1)
    }
    let band = means.enumerated().compactMap { index, mean in
      mean.map { "\(x((Double(index) + 0.5) / Double(means.count))),\(y($0))" }
    }
    let points = measures.map { point in
      (x(Double(point.step) / Double(lastStep)), y(point.loss), point)
    }
    var text = """
      <svg viewBox="0 0 \(Int(width)) \(Int(height))" role="img" aria-label="Loss by step">
      <line x1="50" y1="10" x2="50" y2="230" class="axis"/><line x1="50" y1="230" x2="710" y2="230" class="axis"/>

      """
    for loss in [top, (top * bottom).squareRoot(), bottom] {
      text +=
        "<text x=\"44\" y=\"\(y(loss))\" class=\"left\">\(Figures.fixed(loss, 2))</text>\n"
    }
    text +=
      "<text x=\"50\" y=\"246\">0</text><text x=\"710\" y=\"246\" class=\"left\">\(Figures.grouped(lastStep))</text>\n"
    text += "<text x=\"380\" y=\"256\" class=\"middle\">step</text>\n"
    text +=
      "<text x=\"12\" y=\"120\" class=\"middle\" transform=\"rotate(-90 12 120)\">loss, \(unit.markup)</text>\n"
    text += "<polyline class=\"batches\" points=\"\(band.joined(separator: " "))\"/>\n"
    text +=
      "<polyline class=\"measures\" points=\"\(points.map { "\($0.0),\($0.1)" }.joined(separator: " "))\"/>\n"
    for (x, y, point) in points {
      text +=
        "<circle class=\"measure\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"><title>step \(point.step): \(measured) \(Figures.fixed(point.loss, 3))</title></circle>\n"
    }
    return text + "</svg>"
  }
}
