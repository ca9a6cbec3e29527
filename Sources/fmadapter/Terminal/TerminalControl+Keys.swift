import Glibc
import Synchronization

// The keys of a terminal, and who has them.

extension TerminalControl {
  /// How the program has the keys of a terminal; either way they come one by one and unprinted, and Ctrl-Z suspends.
  enum KeyMode {
    /// They wait for whoever reads them, and Ctrl-C is a signal.
    case held
    /// They edit a line, and Ctrl-C is one of them.
    case editing
  }

  /// What a wait for a key came to.
  enum KeyWait {
    /// There is one, or the input has ended.
    case ready
    case nothing
    /// The terminal was another job's meanwhile, so what was shown has to be shown again.
    case cameBack
  }

  private struct Taken {
    let input: Int32
    let screen: Int32?
    /// Those that the terminal is given back with.
    let settings: termios
    var mode: KeyMode
    var wasAway = false

    var isInFront: Bool {
      let group = tcgetpgrp(input)
      // A terminal that controls no jobs is everybody's.
      return group < 0 || group == getpgrp()
    }

    /// Whether somebody has given the terminal other settings meanwhile.
    var isChanged: Bool {
      var settings = termios()
      return unsafe tcgetattr(input, &settings) == 0
        && settings.c_lflag & tcflag_t(ICANON | ECHO) != 0
    }
  }

  /// The terminal whose keys the program has; kept here so that a signal can give them back.
  private static let taken = Mutex<Taken?>(nil)
  /// Tells a terminal to mark what is pasted, and to leave that: xterm's bracketed paste.
  private static let (marksPastes, leavesPastes) = ("\u{1B}[?2004h", "\u{1B}[?2004l")

  /// Takes the keys of a terminal, or has them in another mode, once this job is in front; false when that is impossible.
  ///
  /// What is pasted comes between marks where there is a `screen`.
  static func takeKeys(_ input: Int32, screen: Int32?, _ mode: KeyMode) -> Bool {
    while true {
      let isDone = taken.withLock { taken -> Bool? in
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else { return false }
        var state = taken ?? Taken(input: input, screen: screen, settings: settings, mode: mode)
        guard state.isInFront else { return nil }
        let isNew = taken == nil || state.wasAway
        (state.mode, state.wasAway) = (mode, false)
        guard apply(state, marks: isNew) else { return false }
        taken = state
        return true
      }
      if let isDone { return isDone }
      wait(milliseconds: 100)
    }
  }

  private static func apply(_ state: Taken, marks: Bool) -> Bool {
    var settings = state.settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    // A signal does not drop what was typed.
    settings.c_lflag |= tcflag_t(NOFLSH)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR)
    if state.mode == .editing {
      settings.c_iflag &= ~tcflag_t(IXON)
      // What interrupts and quits; zero is no key.
      (settings.c_cc.0, settings.c_cc.1) = (0, 0)
    }
    guard unsafe tcsetattr(state.input, TCSANOW, &settings) == 0 else { return false }
    if marks, let screen = state.screen { _ = write(Array(marksPastes.utf8), to: screen) }
    return true
  }

  static var hasKeys: Bool { taken.withLock { $0 != nil } }

  /// Waits a moment for a key of the terminal that was taken; takes none while it is another job's.
  static func waitForKey(milliseconds: Int32) -> KeyWait {
    let (input, isBack) = taken.withLock { taken -> (Int32?, Bool) in
      guard let state = taken, state.isInFront else { return (nil, false) }
      guard state.wasAway || state.isChanged else { return (state.input, false) }
      taken?.wasAway = false
      return (state.input, apply(state, marks: true))
    }
    guard let input else {
      wait(milliseconds: milliseconds)
      return .nothing
    }
    if isBack { return .cameBack }
    return isReady(input, milliseconds: milliseconds) ? .ready : .nothing
  }

  private static func wait(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// Gives the terminal back as it was; does nothing when it was not taken.
  ///
  /// With `drops`, what was typed for this program and not read does not go to another one.
  static func giveKeysBack(drops: Bool = false) {
    taken.withLock { taken in
      if let state = taken { giveBack(state, drops: drops) }
      taken = nil
    }
  }

  private static func giveBack(_ state: Taken, drops: Bool) {
    guard state.isInFront else { return }
    if drops { tcflush(state.input, TCIFLUSH) }
    if let screen = state.screen { _ = write(Array(leavesPastes.utf8), to: screen) }
    var settings = state.settings
    unsafe _ = tcsetattr(state.input, TCSANOW, &settings)
  }

  /// Suspends the program, as Ctrl-Z does, with its terminal as it was; returns when it goes on, at once where no shell
  /// could make it.
  ///
  /// To be called by the thread that takes the signals, which are blocked.
  static func suspend() {
    taken.withLock { taken in
      if let state = taken { giveBack(state, drops: true) }
      var set = set(of: [SIGTSTP])
      let handler = signal(SIGTSTP, SIG_DFL)
      unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
      // To this thread, which therefore does not go on before it has come.
      raise(SIGTSTP)
      unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
      _ = signal(SIGTSTP, handler)
      guard let state = taken else { return }
      taken?.wasAway = true
      // An answer goes on, whether or not a key is waited for.
      if state.isInFront { _ = apply(state, marks: true) }
    }
  }

  /// Has the keys again once the program goes on that was stopped by no key, where a shell has had them meanwhile.
  static func comeBack() {
    taken.withLock { taken in
      guard let state = taken, state.isInFront, state.isChanged else { return }
      taken?.wasAway = true
      _ = apply(state, marks: true)
    }
  }
}
