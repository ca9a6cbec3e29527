import JSON
import Testing

@testable import fmadapter

@Suite struct LoadedCallsTests {
  private func completed(_ lines: [String]) throws -> [String] {
    var calls = LoadedCalls()
    return try lines.map { calls.complete(try JSONDocument(parsing: Array($0.utf8)).root).line }
  }

  /// Results follow the calls of their turn in order; what is stated stays.
  @Test func callsAndResultsBelongTogether() throws {
    let call = #"{"function": {"name": "f", "arguments": {"x": 1}}}"#
    let known = #"{"id": "k", "function": {"name": "f", "arguments": "{}"}}"#
    let turn = #"{"role": "assistant", "tool_calls": [\#(call), \#(known), \#(call)]}"#
    let result = #"{"role": "tool", "content": "r"}"#
    let found = try completed([
      turn, result, #"{"role": "tool", "content": "r", "tool_call_id": "k"}"#, result, result, turn,
      result,
    ])
    let ids = found.map { line in
      line.matches(of: /"(?:id|tool_call_id)": "([^"]*)"/).map { String($0.1) }
    }
    #expect(
      ids == [
        ["call_1", "k", "call_3"], ["call_1"], ["k"], ["call_3"], [], ["call_4", "k", "call_6"],
        ["call_4"],
      ])
    #expect(found[0].contains(#""arguments": "{\"x\": 1}""#), "\(found[0])")
    #expect(try completed([result, "7"]) == [result, "7"])
  }
}
