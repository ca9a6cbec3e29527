import Foundation
import Grammars
import LanguageModels
import Synchronization

@testable import FoundationModels

/// Holds a session up before a token until it is opened, so that what happens meanwhile depends on no clock.
final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let reached: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let tokensBefore: Int

  init(afterTokens count: Int) {
    tokensBefore = count
    (reached, arrival) = AsyncStream.makeStream()
  }

  /// Any text, but not beyond the gate.
  var form: ResponseForm {
    var form = ResponseForm.text
    form.constraint = { model, _ in
      var all = TokenMask(count: model.configuration.vocabularySize)
      for token in 0..<Int32(all.count) { all[token] = true }
      return Guarded(gate: self, left: self.tokensBefore, all: all)
    }
    return form
  }

  /// Waits until a session stands before the gate.
  func wait() async { for await _ in reached { return } }

  func open() { opened.signal() }

  private func pass() {
    arrival.yield()
    opened.wait()
  }

  private struct Guarded: TokenConstraint {
    let gate: Gate
    var left: Int
    let all: TokenMask

    mutating func markAllowed(in mask: inout TokenMask) {
      if left == 0 { gate.pass() }
      left -= 1
      mask.formUnion(all)
    }

    mutating func advance(past token: Int32) {}
  }
}
