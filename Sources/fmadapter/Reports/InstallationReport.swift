import AdapterStore
import Adapters

extension Terminal {
  /// Tells how the installation of an adapter ended, and what to know about it.
  func report(_ result: AdapterInstallation) {
    let adapter = result.adapter
    let identifier = adapter.identifier.description
    for finding in result.report.warnings {
      warn("\(finding.message.printable) \(finding.remedy.printable)")
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
      note("its base \(adapter.metadata.baseModelSignature) is not installed, so it cannot run yet")
    }
  }
}
