import Foundation
import TestSupport
import Testing

extension ProcessResult {
  /// The object that was printed.
  func object() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any])
  }

  /// The objects of the array that was printed.
  func objects() throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [[String: Any]])
  }

  /// What the one line of standard error says under `key`.
  func error(_ key: String = "error") throws -> [String: Any] {
    let lines = try errorText.objects()
    #expect(lines.count == 1, "\(errorText)")
    return try #require(lines.first?[key] as? [String: Any])
  }
}

extension String {
  /// The objects that stand on its lines.
  func objects() throws -> [[String: Any]] {
    try split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }
}
