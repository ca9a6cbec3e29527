import CFMSystem
import Glibc

extension TerminalControl {
  /// A program to be started, in a process group of its own.
  struct ChildProgram {
    let path: String
    /// Its name and its arguments.
    let words: [String]
    let environment: [String: String]
    /// Where it works; where this program does if nil.
    var folder: String?

    init(path: String, words: [String], _ environment: [String: String], folder: String? = nil) {
      (self.path, self.words, self.environment, self.folder) = (path, words, environment, folder)
    }

    /// Starts it with these descriptors as its own; standard error is this program's if `error` is nil.
    func start(
      input: Int32, output: Int32, error: Int32? = nil
    ) -> (process: pid_t, error: Int32) {
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      unsafe posix_spawn_file_actions_init(&actions)
      unsafe posix_spawnattr_init(&attributes)
      unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
      unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      if let error { unsafe posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO) }
      // Whoever started this program may wait until all that it left open here is closed.
      unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
      if let folder { unsafe posix_spawn_file_actions_addchdir_np(&actions, folder) }
      // What this program does with signals is not for others.
      var none = TerminalControl.set(of: [])
      var usual = TerminalControl.set(of: [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGPIPE])
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
      unsafe posix_spawnattr_setpgroup(&attributes, 0)
      let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
      unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
      func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { unsafe strdup(text) }
      var words = unsafe words.map(copy) + [nil]
      var variables = unsafe environment.map { unsafe copy($0.key + "=" + $0.value) } + [nil]
      var process: pid_t = 0
      let number = unsafe posix_spawn(&process, path, &actions, &attributes, &words, &variables)
      unsafe (words + variables).forEach { unsafe free($0) }
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
      return (process, number)
    }
  }
}
