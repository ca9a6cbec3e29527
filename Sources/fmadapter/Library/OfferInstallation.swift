import AdapterStore
import Adapters
import SystemFiles

/// Installs what catalogs offer, and says what it chose.
struct OfferInstallation {
  let terminal: Terminal
  let control: DownloadControl

  init(_ terminal: Terminal, _ control: DownloadControl) {
    (self.terminal, self.control) = (terminal, control)
  }

  /// What `text` asks catalogs for; nil when it is a path or an address.
  ///
  /// A path that is there wins over a name, as far as it looks like a path at all.
  static func request(_ text: String) -> AdapterRequest? {
    if Library.isPath(text) && Library.exists(text) { return nil }
    return AdapterRequest(text)
  }

  /// Finds and installs what `request` means.
  func run(
    _ request: AdapterRequest, from catalog: CatalogSource?, _ policy: InstallPolicy,
    in store: AdapterStore
  ) async throws -> AdapterInstallation {
    if catalog == nil { terminal.report(store.catalogs().problems) }
    let (offer, failures) = try await resolve(request, from: catalog, in: store)
    terminal.report(failures)
    terminal.note(try await sentence(offer, store))
    try store.checkReplacement(
      by: offer, allowDowngrade: request.version != nil || policy.replaces, force: policy.replaces)
    return try await run(offer, policy, in: store)
  }

  /// What `request` means; where several catalogs offer it, a person is asked which.
  private func resolve(
    _ request: AdapterRequest, from catalog: CatalogSource?, in store: AdapterStore
  ) async throws -> (offer: CatalogOffer, failures: [CatalogSurvey.Failure]) {
    do throws(StoreError) {
      return try await store.resolve(request, from: catalog)
    } catch {
      guard error.code == .severalCatalogs,
        terminal.inputIsTerminal, terminal.errorIsTerminal,
        let choice = try await CatalogQuestion.shared.ask(
          error.subject, error.choices, terminal)
      else { throw error }
      let source = store.catalogs().catalogs.first { $0.description == choice }
      return try await store.resolve(request, from: source)
    }
  }

  /// Installs `offer`.
  func run(
    _ offer: CatalogOffer, _ policy: InstallPolicy = InstallPolicy(), in store: AdapterStore
  ) async throws -> AdapterInstallation {
    try await store.installAdapter(.offer(offer), policy: policy, control: control)
  }

  /// Which version of what, for which base, from where.
  private func sentence(_ offer: CatalogOffer, _ store: AdapterStore) async throws -> String {
    let signature = offer.adapter.baseModelSignature
    let base = try store.bases().bases.first { $0.signature == signature }
    let name = base.map { " (\($0.name))" } ?? ""
    return "\(offer.adapter.name) \(offer.adapter.version) for base \(signature.prefix(7))\(name) "
      + "from \(offer.catalog)"
  }
}

extension Terminal {
  /// Tells how the installation of an adapter ended, and what to know about it.
  func report(_ result: AdapterInstallation) {
    let adapter = result.adapter
    let identifier = adapter.identifier.description
    for finding in result.report.warnings.map(\.inCommand) {
      warn(finding.message, remedy: finding.remedy)
    }
    switch result.outcome {
    case .installed: note("installed \(identifier) (\(Figures.size(adapter.size)))")
    case .replaced:
      let versions = result.replaced.map { " \($0) by \(adapter.version)" } ?? ""
      note("replaced \(identifier)\(versions) (\(Figures.size(adapter.size)))")
    case .alreadyInstalled: note("\(identifier) is installed already; nothing to do")
    }
    reportUnverified(adapter.receipt, of: identifier)
    if adapter.facts.contains(.obsolete) {
      let signature = adapter.metadata.baseModelSignature
      let name = Bundled.current?.baseName(signed: signature)
      let base = name.map { "\($0) (\(signature.prefix(7)))" } ?? signature
      let remedy = Bundled.baseRemedy(signed: signature).map { "; \($0)" } ?? ""
      note("its base \(base) is not installed, so it cannot run yet\(remedy)")
    }
  }
}

/// Asks which catalog is meant: one question at a time, however many adapters are being installed.
private actor CatalogQuestion {
  static let shared = CatalogQuestion()

  /// The chosen one of `catalogs`; nil for any other answer than its number.
  func ask(_ name: String, _ catalogs: [String], _ terminal: Terminal) throws -> String? {
    terminal.say("several catalogs offer '\(name)':")
    for (index, catalog) in catalogs.enumerated() {
      terminal.say("  \(index + 1)  \(catalog)")
    }
    let question = Question(text: "which one? [1-\(catalogs.count)]", terminal: terminal)
    let answer = try (question.answer() ?? "").filter { !$0.isWhitespace }
    guard let number = Int(answer), catalogs.indices.contains(number - 1) else { return nil }
    return catalogs[number - 1]
  }
}
