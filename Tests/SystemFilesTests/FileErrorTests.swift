import Foundation
import Testing

@testable import SystemFiles

@Suite struct FileErrorTests {
  @Test(arguments: [
    (ENOSPC, "free some space, then try again"),
    (EDQUOT, "the quota is used up: remove something, then try again"),
    (
      EFBIG,
      "the file system, or the limit of 'ulimit -f', has no room for a file as large: write elsewhere"
    ),
    (EMFILE, "close some programs, or raise the limit, for one with 'ulimit -n 1024'"),
    (ENOMEM, "end some programs, or raise the limit, for one with 'ulimit -v unlimited'"),
    (EACCES, nil),
  ])
  func whatTheSystemLacksHasARemedy(_ code: Int32, _ remedy: String?) {
    let text = FileError.system(.write, path: "f", code: code).text
    #expect(text.remedy == remedy)
    #expect(text.problem == "f: cannot write the file: \(systemMessage(code))")
  }

  @Test func whatWasDoneAndNotConfirmedIsNotSaidToHaveFailed() {
    let error = FileError.system(.confirm, path: "f", code: EIO)
    #expect(
      error.description
        == "f: it was changed, and its disk did not confirm that: Input/output error; check the disk, then "
        + "do it again")
    #expect(error.isUnconfirmed && error.isRefusal)
  }
}
