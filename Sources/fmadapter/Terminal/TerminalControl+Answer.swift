import Glibc

extension TerminalControl {
  /// Bytes that a program's answer may have.
  private static let answerLimit = 1 << 20

  /// Whether a program is at `path`.
  static func isProgram(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

  /// What `program` prints once it has read `question`, which has to fit into a pipe; nil unless it ends well.
  static func answer(of program: ChildProgram, to question: [UInt8]) -> [UInt8]? {
    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard question.count <= 4096, unsafe pipe(&input) == 0 else { return nil }
    guard unsafe pipe(&output) == 0 else {
      input.forEach { close($0) }
      return nil
    }
    for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Written before anybody reads, so that nobody can have closed the other end.
    let written = unsafe question.withUnsafeBytes {
      unsafe Glibc.write(input[1], $0.baseAddress, $0.count)
    }
    close(input[1])
    let started = program.start(input: input[0], output: output[1])
    close(input[0])
    close(output[1])
    defer { close(output[0]) }
    guard written == question.count, started.error == 0 else { return nil }
    var bytes: [UInt8] = []
    while bytes.count <= answerLimit, let piece = readPiece(from: output[0]), !piece.isEmpty {
      bytes += piece
    }
    var status: Int32 = 0
    while unsafe waitpid(started.process, &status, 0) < 0, errno == EINTR {}
    return status == 0 && bytes.count <= answerLimit ? bytes : nil
  }
}
