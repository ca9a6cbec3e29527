// What whoever builds the program says of its source.

/// The commit, such as "1a2b3c4d5e6f" or, of files that were changed since, "1a2b3c4d5e6f, changed"; NULL where nobody has said it.
const char *build_commit(void);
