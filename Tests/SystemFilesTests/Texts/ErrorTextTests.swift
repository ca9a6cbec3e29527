import Foundation
import SystemFiles
import Testing

@Suite struct ErrorTextTests {
  @Test func theRemedyStandsBehindTheProblem() {
    let path = "a; b"
    let text: ErrorText = "\(path): not a file\(remedy: "give one; \(path) is none")"
    #expect(text.problem == "a; b: not a file")
    #expect(text.remedy == "give one; a; b is none")
    #expect(text.description == "a; b: not a file; give one; a; b is none")
  }

  @Test func aTextNeedsNoRemedy() {
    let text: ErrorText = "cancelled; nothing was written"
    #expect(text.problem == "cancelled; nothing was written")
    #expect(text.remedy == nil)
    #expect("\(text)" == text.problem)
  }

  @Test func anErrorWithinATextBringsItsRemedy() {
    let error = FileError.notRegular(path: "/p")
    let text: ErrorText = "x: \(error) (as it is)"
    #expect(text.problem == "x: /p: not a regular file (as it is)")
    #expect(text.remedy == "give the path of the file itself")
    let erased: any Error = error
    #expect("x: \(erased) (as it is)" as ErrorText == text)
    #expect("x: " + "\(error)" + " (as it is)" as ErrorText == text)
  }

  @Test func ofTwoRemediesNoneIsLost() {
    let inner: ErrorText = "inner\(remedy: "first")"
    let text: ErrorText = "outer: \(inner), again\(remedy: "then")"
    #expect(text.description == "outer: inner, again; first; then")
    #expect(text.remedy == "first; then")
  }

  /// A command names its options where the library cannot.
  @Test func aProgramHasItsOwnWordsForAnError() {
    let error = FileError.notRegular(path: "f")
    let outer = Outer(text: "o: \(error)\(remedy: "or not")\(remedy: "at all")")
    for (text, library, command) in [
      ("\(error)", "give the path of the file itself", "say --file"),
      (
        "x: \(error)\(remedy: "or not")", "give the path of the file itself; or not",
        "say --file; or not"
      ),
      (
        "x\(remedy: "first")" + "\(error)", "first; give the path of the file itself",
        "first; say --file"
      ),
      (
        ("\(error)" as ErrorText).map { $0.uppercased() }, "GIVE THE PATH OF THE FILE ITSELF",
        "say --file"
      ),
      ("\(outer)", "give the path of the file itself; or not; at all", "say --file; say --not"),
      ("x\(remedy: "both")", "both", "both"), (error.text, error.remedy, error.remedy),
      ("x", nil, nil),
    ] as [(ErrorText, String?, String?)] {
      #expect(text.remedy == library)
      let told = text.rephrased { $0 is Outer ? "say --not" : "say --file" }
      #expect(told.remedy == command)
      #expect(told.problem == text.problem)
      #expect(text.rephrased { _ in nil } == text)
    }
  }

  private struct Outer: ExplainedError {
    let text: ErrorText
  }

  @Test func foundationKnowsBothParts() {
    let error: any LocalizedError = FileError.notRegular(path: "/p")
    #expect(error.localizedDescription == "/p: not a regular file")
    #expect(error.errorDescription == error.localizedDescription)
    #expect(error.recoverySuggestion == "give the path of the file itself")
    #expect(error.failureReason == nil && error.helpAnchor == nil)
  }

  @Test func aFormatsDefectIsExplainedByItsFile() {
    let error = FileError.gguf(.versionOne, path: "m", offset: 4)
    #expect(error.text.problem == "m: byte 4: GGUF version 1 is no longer read")
    #expect(error.remedy == "convert the model again with a current converter")
    #expect(
      FileError.gguf(.keyNotUTF8, path: "m", offset: 4).text
        == "m: byte 4: a metadata key is not UTF-8; the file is damaged")
  }
}
