import SystemFiles

extension CompletionScript {
  /// A script for bash 4.4 or later, without the bash-completion package.
  var bash: String {
    """
    # bash completion for fmadapter; load it with: source <(fmadapter completions bash)
    _fmadapter_names() {
      local IFS=$'\\n'
      COMPREPLY+=($(compgen -W "$($1)" -- "$current"))
    }
    _fmadapter_files() {
      compopt -o filenames 2>/dev/null
      local line
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$current")
    }
    _fmadapter_adapters() { \(Self.adapterNames(ifLong: "[[ $current == f* ]]")); }
    _fmadapter_bases() { \(Self.baseNames(ifLong: "[[ $current == [0-9a-f]* ]]")); }
    # A colon ends a word here, so that of an address the rest is completed.
    _fmadapter_catalogs() {
      \(Self.catalogPlaces); [[ $current == //* ]] && \(Self.catalogPlaces) | sed -n 's/^https*://p'
    }
    _fmadapter() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      # An equals sign is a word of its own here.
      if [[ $current == = ]]; then current="";
      elif [[ $previous == = ]]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi
      local place="" word
      for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$place/$word" in
          \(entries.dropFirst().map(\.place).joined(separator: "|"))) place="$place/$word" ;;
        esac
      done
      COMPREPLY=()
      case "$place:$previous" in
    \(values(lines(for:)))
      esac
      case "$place" in
    \(entries.map(branch).joined(separator: "\n"))
      esac
    }
    complete -F _fmadapter fmadapter

    """
  }

  private func branch(_ entry: Entry) -> String {
    let place = entry.place.isEmpty ? "\"\"" : entry.place
    guard entry.children.isEmpty else {
      return "    \(place)) \(lines(for: .words(entry.children.map(\.name) + ["--help"]))) ;;"
    }
    let options = lines(for: .words(entry.options.map(\.name)))
    return """
          \(place))
            if [[ $current == -* ]]; then \(options) else \(lines(for: entry.completion)) fi ;;
      """
  }

  private func lines(for completion: Completion) -> String {
    switch completion {
    case .none: ":;"
    case .files: "_fmadapter_files -f;"
    case .folders: "_fmadapter_files -d;"
    case .words(let words):
      "COMPREPLY=($(compgen -W \(words.joined(separator: " ").shellQuoted) -- \"$current\"));"
    case .adapters: "_fmadapter_names _fmadapter_adapters; _fmadapter_files -d;"
    case .installedBases: "_fmadapter_names _fmadapter_bases;"
    case .bases: "_fmadapter_names _fmadapter_bases; _fmadapter_files -f;"
    case .catalogs: "_fmadapter_names _fmadapter_catalogs; _fmadapter_files -d;"
    }
  }
}
