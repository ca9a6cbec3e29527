import AdapterTraining
import Adapters
import ChatTemplates
import JSON
import LanguageModels
import SystemFiles

/// Examples to train on and examples that are held out, checked and in tokens.
struct TrainingData {
  let path: String
  let heldOutPath: String?
  private(set) var examples: [TokenizedExample]
  private(set) var heldOut: [TokenizedExample]
  /// SHA-256 of the file to train on.
  let digest: String
  /// SHA-256 of the file that is held out, if there is one.
  let heldOutDigest: String?
  /// SHA-256 of the numbers of the lines that were held out of the file to train on, in decimal and a line each; nil where none were.
  private(set) var heldOutLines: String?
  /// What is lowered.
  private(set) var objective = TrainingObjective.sft

  /// Sets with fewer examples are too small for a part of them to tell anything.
  private static let fewest = 20

  /// Reads both; errors of either are reported together, warnings counted.
  ///
  /// Without a file that is held out, families of about
  /// `share` of the examples are, as `data split` chooses them.
  init(
    _ path: String, heldOut heldOutPath: String?, share: Double = 0, _ base: DataOptions.Base,
    threads: Int?, _ terminal: Terminal
  ) throws {
    let paths = [path] + (heldOutPath.map { [$0] } ?? [])
    var check = DataCheck()
    check.renderer = base.renderer
    check.threads = threads
    check.contextLength = base.model.configuration.contextLength
    let report = try terminal.noting(
      "stopped while the data was checked: nothing was written, and the same command checks it anew"
    ) {
      let bar = ProgressLine("checking", terminal)
      defer { bar.finish() }
      return try check.run(
        paths, progress: { bar.update(done: $0, total: $1, $2) }, isCancelled: { Task.isCancelled })
    }
    guard report.isAccepted else { throw DataSetError.refused(report) }
    if let warnings = Self.warnings(report) {
      terminal.warn(
        "\(warnings)\(remedy: "'fmadapter data check \(paths.map(\.shellWord).joined(separator: " "))' lists them")"
      )
    }
    Self.tellIgnored(report, terminal)
    self.path = path
    self.heldOutPath = heldOutPath
    digest = try SHA256.hex(ofFile: path)
    heldOutDigest = try heldOutPath.map { try SHA256.hex(ofFile: $0) }
    let set = try DataSet(path: path).examples
    examples = try set.map { try base.renderer.render($0) }
    heldOut =
      try heldOutPath.map { try DataSet(path: $0).examples.map { try base.renderer.render($0) } }
      ?? []
    if heldOutPath == nil, share > 0 { holdOut(share, set, terminal) }
  }

  /// How many warnings there are, and of which rules; nil where there are none.
  private static func warnings(_ report: DataReport) -> String? {
    let rules = report.findings.filter { $0.severity == .warning }.map(\.rule)
    guard !rules.isEmpty else { return nil }
    let counts = Dictionary(rules.map { ($0, 1) }, uniquingKeysWith: +)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let texts = counts.map { counts.count > 1 ? "\(Figures.grouped($0.value)) \($0.key)" : $0.key }
    return "\(Figures.count(rules.count, "warning")) (\(texts.joined(separator: ", ")))"
  }

  /// Says which keys of the lines nothing reads.
  private static func tellIgnored(_ report: DataReport, _ terminal: Terminal) {
    let rules = [DataRule.ignoredKey, .ignoredMessageKey].map(\.rawValue)
    let keys = report.findings.filter { rules.contains($0.rule) }.compactMap(\.place.key)
    guard !keys.isEmpty else { return }
    terminal.note(
      "not read: \(keys.prefix(12).joined(separator: ", "))\(keys.count > 12 ? ", …" : ""); "
        + "'fmadapter data check' names their lines")
  }

  private mutating func holdOut(_ share: Double, _ set: [TrainingExample], _ terminal: Terminal) {
    guard set.count >= Self.fewest else {
      return terminal.note(
        "too few examples to hold some out: the loss is measured on those to train on")
    }
    var families = ExampleFamilies()
    set.forEach { families.add($0) }
    guard let (held, summary) = families.heldOut(share: share, seed: 0) else { return }
    heldOut = held.sorted().map { examples[$0] }
    heldOutLines = SHA256.hex(Array(heldOut.map { "\($0.line)\n" }.joined().utf8))
    examples = examples.indices.filter { !held.contains($0) }.map { examples[$0] }
    let what =
      "\(Figures.grouped(heldOut.count)) of \(Figures.count(set.count, "example")) held out to measure with"
    terminal.note(
      summary.isDivided
        ? "\(what), worded like those to train on: there are too few families to hold whole ones out"
        : "\(what), in other wordings than those to train on")
    terminal.noteAbsent(summary.absent)
  }
}

extension TrainingData {
  /// Chooses what is lowered where nobody has: pairs are compared, single answers learnt; and leaves what that needs of the examples.
  ///
  /// - Throws: `Failure` where pairs are wanted, and there are none, or single answers too.
  mutating func prepare(for wanted: TrainingObjective?) throws -> TrainingObjective {
    let all = examples + heldOut
    let hasPairs = all.contains { $0.rejected != nil }
    objective = wanted ?? (hasPairs ? .dpo : .sft)
    guard objective.needsPairs else {
      (examples, heldOut) = (examples.map(\.chosen), heldOut.map(\.chosen))
      return objective
    }
    if let single = all.first(where: { $0.rejected == nil }) {
      let file = examples.isEmpty ? heldOutPath ?? path : path
      throw hasPairs
        ? mixed : Failure(.invalid, "\(file): \(TrainingError.noPair(line: single.line))")
    }
    return objective
  }

  /// Leaves out what has nothing to learn within `context` tokens, and says how much that is.
  ///
  /// - Throws: `Failure` for a file of which nothing is left.
  mutating func leaveOut(beyond context: Int, _ terminal: Terminal) throws {
    // A base that sees a single token is refused for that.
    guard context > 1 else { return }
    let all = [examples, heldOut]
    (examples, heldOut) = (
      examples.filter { $0.isOfUse(within: context) },
      heldOut.filter { $0.isOfUse(within: context) }
    )
    if examples.isEmpty { throw Self.useless(path, all[0].count, context) }
    if let heldOutPath, heldOut.isEmpty { throw Self.useless(heldOutPath, all[1].count, context) }
    let counts = [all[0].count - examples.count, all[1].count - heldOut.count]
    for (count, of) in zip(counts, ["", "of those that are held out, "]) where count > 0 {
      terminal.warn(
        "\(of)\(Figures.count(count, "example")) left out, with nothing to learn within the context of "
          + Figures.count(context, "token"))
    }
    if heldOut.isEmpty, !all[1].isEmpty {
      terminal.note("nothing is held out: the loss is measured on the examples to train on")
    }
  }

  private static func useless(_ path: String, _ count: Int, _ context: Int) -> Failure {
    Failure(
      .invalid,
      "\(path): \(count == 1 ? "its example has nothing" : "none of the \(Figures.count(count, "example")) has anything") "
        + "to learn within the context of \(Figures.count(context, "token"))"
        + "\(remedy: "shorten what comes before the answers; see 'fmadapter data check \(path.shellWord)'")"
    )
  }

  /// What is said of pairs among single answers: where each kind stands.
  private var mixed: Failure {
    Failure(
      .invalid,
      "pairs of answers stand among single ones: \(places { $0.rejected != nil }) with chosen and rejected, "
        + "\(places { $0.rejected == nil }) without"
        + "\(remedy: "put the pairs into a file of their own, or give --objective sft, which learns their chosen answers alone")"
    )
  }

  /// Lines that are named of each file, at most.
  private static let namedLines = 5

  /// The lines of the examples that are of a kind, file by file.
  private func places(_ isMeant: (TokenizedExample) -> Bool) -> String {
    let own = heldOutPath == nil ? [(path, examples + heldOut)] : [(path, examples)]
    let files = own + (heldOutPath.map { [($0, heldOut)] } ?? [])
    return files.compactMap { path, examples in
      let lines = examples.filter(isMeant).map(\.line).sorted()
      guard !lines.isEmpty else { return nil }
      let shown = lines.prefix(Self.namedLines).map(Figures.grouped).joined(separator: ", ")
      let rest = lines.count - Self.namedLines
      return "\(path) line\(lines.count == 1 ? "" : "s") \(shown)"
        + (rest > 0 ? " and \(Figures.grouped(rest)) more" : "")
    }.joined(separator: " and ")
  }

  /// Asks the reference of DPO, once for all pairs.
  mutating func refer(to meter: LossMeter, contextLength: Int?, _ terminal: Terminal) throws {
    let found = try terminal.noting(
      "stopped while the reference was asked: nothing of that is kept, and the same command asks anew"
    ) {
      let bar = ProgressLine("asking the reference", terminal)
      defer { bar.finish() }
      return try meter.referring(
        examples + heldOut, contextLength: contextLength, isCancelled: { Task.isCancelled },
        progress: { bar.update(done: $0, total: $1) })
    }
    (examples, heldOut) = (
      Array(found.prefix(examples.count)), Array(found.dropFirst(examples.count))
    )
  }
}

extension Terminal {
  /// Says which of a few answers are not measured.
  func noteAbsent(_ answers: ExampleFamilies.AbsentAnswers?, in part: String? = nil) {
    guard let answers else { return }
    let isOne = answers.count == 1
    note(
      "\(Figures.grouped(answers.count)) of \(Figures.grouped(answers.total)) answers \(isOne ? "has" : "have") no example "
        + "that is held out, \(isOne ? "" : "such as ")that of line \(Figures.grouped(answers.line))\(part.map { " of \($0)" } ?? ""): "
        + "how often \(isOne ? "it is" : "they are") right is not measured")
  }

  /// Does what comes before the first step; where that is stopped, says by `loss` what is lost and how to go on.
  func noting<Result>(
    _ loss: String, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch {
      if Failure(error).code == .interrupted { note(loss) }
      throw error
    }
  }
}
