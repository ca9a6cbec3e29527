import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// Examines the store and the system under it and, with `fixing`, mends what can be mended without losing anything.
  ///
  /// Nothing that is wrong with the store stops the examination. `progress` is called from several threads while files
  /// are read. `environment` may name the certificates that downloads trust. What cannot be examined is a finding, so the only
  /// error is `.cancelled`.
  package func examine(
    fixing: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment,
    progress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
  ) async throws(StoreError) -> DoctorReport {
    try await examine(
      fixing: fixing, by: downloader, system: SystemFacts.current(environment: environment),
      progress: progress)
  }

  /// As above, with what a test decides.
  func examine(
    fixing: Bool = false, by downloads: (any Downloading)? = nil, system: SystemFacts,
    progress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
  ) async throws(StoreError) -> DoctorReport {
    try await apart { () async throws(StoreError) in
      try await report(fixing, downloads, system, progress)
    }
  }

  private func report(
    _ fixing: Bool, _ downloads: (any Downloading)?, _ system: SystemFacts,
    _ progress: @escaping @Sendable (VerifyProgress) -> Void
  ) async throws(StoreError) -> DoctorReport {
    var diagnoses = try await diagnoses(progress)
    var findings = system.diagnoses.map(\.finding)
    if fixing, !diagnoses.isEmpty {
      for index in diagnoses.indices { await mend(&diagnoses[index], downloads) }
      findings += diagnoses.map(\.finding).filter { $0.state == .fixed }
      // One thing that is mended may mend another, or bring it to light.
      let failed = diagnoses.map(\.finding).filter { $0.reason != nil }
      diagnoses = try await self.diagnoses(progress)
      for index in diagnoses.indices {
        let finding = diagnoses[index].finding
        diagnoses[index].finding.reason =
          failed.first { $0.rule == finding.rule && $0.place == finding.place }?.reason
      }
    }
    findings += diagnoses.map(\.finding)
    return DoctorReport(facts: system.facts + facts(), findings: findings)
  }

  private func diagnoses(
    _ progress: @escaping @Sendable (VerifyProgress) -> Void
  ) async throws(StoreError) -> [Diagnosis] {
    if let defect = StorePlace(root: root).defect { return [Self.noStore(root, defect)] }
    var diagnoses = examineRoot()
    diagnoses += examineState()
    diagnoses += examineForeign()
    diagnoses += try await examineEntries(progress)
    diagnoses += examineOrphans()
    return diagnoses
  }

  private static func noStore(_ root: String, _ defect: ErrorText) -> Diagnosis {
    let remedy = defect.remedy ?? "set FMADAPTER_HOME to another place"
    return Diagnosis(
      "store.kind", .system, root, "No store can be there: \(defect.problem).",
      remedy: remedy.prefix(1).uppercased() + remedy.dropFirst() + ".")
  }

  private func mend(
    _ diagnosis: inout Diagnosis, _ downloads: (any Downloading)?
  ) async {
    guard let fix = diagnosis.fix else { return }
    do throws(StoreError) {
      diagnosis.finding.outcome = try await perform(fix, downloads)
      diagnosis.finding.state = .fixed
    } catch {
      diagnosis.finding.reason = "\(error)"
    }
  }

  private func facts() -> [DoctorFact] {
    var facts = [DoctorFact(name: "store", value: root)]
    if let place = try? StorePlace.existing(root), let space = try? FileSystem.space(at: place) {
      facts.append(
        DoctorFact(
          name: "free", value: "\(Figures.size(space.free)) of \(Figures.size(space.capacity))",
          numbers: ["free": space.free, "capacity": space.capacity]))
    }
    let entries = (try? storeEntries()) ?? []
    let counts = [StoreEntry.Kind.adapter, .base].map { kind in
      (kind.rawValue, entries.count { $0.kind == kind })
    }
    facts.append(
      DoctorFact(
        name: "installed",
        value: counts.map { Figures.count($0.1, $0.0) }.joined(separator: ", "),
        numbers: [String: Int](uniqueKeysWithValues: counts)))
    if let base = try? currentBase() {
      facts.append(DoctorFact(name: "base in use", value: "\(base.name) (\(base.signature))"))
    }
    return facts
  }
}
