import SystemFiles

extension CompletionScript {
  /// A script for zsh 5, to be stored as `_fmadapter` in a folder of `fpath`, or loaded as it is.
  var zsh: String {
    """
    #compdef fmadapter
    # zsh completion for fmadapter; load it with: source <(fmadapter completions zsh)
    _fmadapter_names() {
      local -a names=(${(f)"$($1)"})
      compadd -a names
    }
    _fmadapter_adapters() { \(Self.adapterNames(ifLong: "[[ $PREFIX == f* ]]")); }
    _fmadapter_bases() { \(Self.baseNames(ifLong: "[[ $PREFIX == [0-9a-f]* ]]")); }
    _fmadapter_catalogs() { \(Self.catalogPlaces); }
    _fmadapter() {
      local place="" word previous=${words[CURRENT-1]}
      local -a items
      if [[ $PREFIX == --*=* ]]; then previous=${PREFIX%%=*}; compset -P '*='; fi
      for word in ${words[2,CURRENT-1]}; do
        case "$place/$word" in
          \(entries.dropFirst().map(\.place).joined(separator: "|"))) place="$place/$word" ;;
        esac
      done
      case "$place:$previous" in
    \(values(lines(for:)))
      esac
      case "$place" in
    \(entries.map(branch).joined(separator: "\n"))
      esac
    }
    if [[ ${funcstack[1]} == _fmadapter ]]; then _fmadapter "$@"; else compdef _fmadapter fmadapter; fi

    """
  }

  private func branch(_ entry: Entry) -> String {
    let place = entry.place.isEmpty ? "\"\"" : entry.place
    guard entry.children.isEmpty else {
      let items = entry.children.map { ($0.name, $0.summary) }
      return "    \(place)) \(describe("command", items)) ;;"
    }
    let options = describe("option", entry.options.map { ($0.name, $0.help) })
    return """
          \(place))
            if [[ $PREFIX == -* ]]; then \(options) else \(lines(for: entry.completion)) fi ;;
      """
  }

  private func describe(_ kind: String, _ items: [(name: String, text: String)]) -> String {
    let words = items.map { item in
      "\(item.name):\(item.text.replacing(":", with: "\\:"))".shellQuoted
    }
    return "items=(\(words.joined(separator: " "))); _describe \(kind) items;"
  }

  private func lines(for completion: Completion) -> String {
    switch completion {
    case .none: ":;"
    case .files: "_files;"
    case .folders: "_files -/;"
    case .words(let words): "compadd -- \(words.joined(separator: " "));"
    case .adapters: "_fmadapter_names _fmadapter_adapters; _files -/;"
    case .installedBases: "_fmadapter_names _fmadapter_bases;"
    case .bases: "_fmadapter_names _fmadapter_bases; _files;"
    case .catalogs: "_fmadapter_names _fmadapter_catalogs; _files -/;"
    }
  }
}
