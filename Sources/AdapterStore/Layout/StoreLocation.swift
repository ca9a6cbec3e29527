import TensorFiles

/// Where the user's store is.
public enum StoreLocation {
  /// `$FMADAPTER_HOME`, else `$XDG_DATA_HOME/fmadapter`, else `$HOME/.local/share/fmadapter`.
  ///
  /// Relative values of the first are taken from `directory`; those of `XDG_DATA_HOME` are invalid by its
  /// specification and passed over.
  ///
  /// - Throws: `StoreError.noHome` when none of the variables says where.
  public static func root(
    environment: [String: String], directory: String
  ) throws(StoreError) -> String {
    if let home = environment["FMADAPTER_HOME"], !home.isEmpty {
      return home.hasPrefix("/") ? home : FilePath.join(directory, home)
    }
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return FilePath.join(data, "fmadapter")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHome }
    return FilePath.join(home, ".local/share/fmadapter")
  }
}
