import Foundation
import Testing

@testable import MacroExpansion

@Suite struct PluginMessageTests {
  private func request(_ json: String) throws -> PluginRequest {
    try JSONDecoder().decode(PluginRequest.self, from: Data(json.utf8))
  }

  private func text(_ response: PluginResponse) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(response), as: UTF8.self)
  }

  @Test func theCompilerLearnsTheVersion() throws {
    let request = try request(#"{"getCapability":{"capability":{"protocolVersion":7}}}"#)
    #expect(
      try text(PluginResponse(to: request))
        == #"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#)
  }

  @Test func otherQuestionsAreAnsweredWithNothing() throws {
    let request = try request(#"{"expandFreestandingMacro":{"macro":{}}}"#)
    #expect(try text(PluginResponse(to: request)) == #"{"expandMacroResult":{"diagnostics":[]}}"#)
  }

  @Test func aProblemIsPlacedInItsFile() throws {
    let request = try request(
      #"{"expandAttachedMacro":{"macro":{"moduleName":"M","name":"Generable","typeName":"GenerableMacro"},"macroRole":"member","#
        + #""attributeSyntax":{"kind":"attribute","source":"\n@Generable","location":{"fileName":"/a.swift","offset":40,"line":1,"column":1,"fileID":""}},"#
        + #""declSyntax":{"kind":"declaration","source":"\n@Generable\nclass A {}","location":{"fileName":"/a.swift","offset":40,"line":1,"column":1,"fileID":""}}}}"#
    )
    #expect(
      try text(PluginResponse(to: request))
        == #"{"expandMacroResult":{"diagnostics":[{"fixIts":[],"highlights":[],"message":"@Generable can be on a structure or an enumeration, "#
        + #"not on a class","notes":[],"position":{"fileName":"/a.swift","offset":52},"severity":"error"}],"expandedSource":""}}"#
    )
  }
}
