import CFMSystem
import Kernels

/// The addresses that this process may have, which 'ulimit -v' limits.
enum AddressSpace {
  /// Makes do with few of them where they are limited; to be called before there are threads.
  static func save() { save_addresses() }

  /// Gives the threads that the runtime starts the stacks that ours have, as work is done on both; to be called before there are
  /// threads.
  static func growStacks() { grow_stacks(OwnThread.stackBytes) }
}
