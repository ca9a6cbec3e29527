import CFMSystem

/// The addresses that this process may have, which 'ulimit -v' limits.
package enum AddressSpace {
  /// Makes do with few of them where they are limited; to be called before there are threads.
  package static func save() { save_addresses() }
}
