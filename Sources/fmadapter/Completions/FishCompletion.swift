import SystemFiles

extension CompletionScript {
  /// A script for fish 3.
  var fish: String {
    let head = """
      # fish completion for fmadapter; load it with: fmadapter completions fish | source
      function __fmadapter_at
          set -l place ""
          for word in (commandline -opc)[2..-1]
              switch "$place/$word"
                  case \(entries.dropFirst().map(\.place).joined(separator: " "))
                      set place "$place/$word"
              end
          end
          test "$place" = "$argv[1]"
      end
      function __fmadapter_adapters
          \(Self.adapterNames(ifLong: "string match -q 'f*' -- (commandline -ct)"))
      end
      function __fmadapter_bases
          \(Self.baseNames(ifLong: "string match -qr '^[0-9a-f]' -- (commandline -ct)"))
      end
      function __fmadapter_catalogs
          \(Self.catalogPlaces)
      end
      complete -c fmadapter -f

      """
    return head + entries.flatMap(lines).joined(separator: "\n") + "\n"
  }

  private func lines(for entry: Entry) -> [String] {
    let start = "complete -c fmadapter -n '__fmadapter_at \"\(entry.place)\"'"
    let children = entry.children.map { "\(start) -a \($0.name) -d \($0.summary.shellQuoted)" }
    let options = entry.options.map { option in
      let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
      // Files come with -r unless they are asked away.
      let takesFiles = [.files, .bases].contains(option.completion)
      let value =
        option.placeholder == nil
        ? "" : (takesFiles ? " -r" : " -x") + words(for: option.completion)
      let help = option.help.shellQuoted
      return "\(start) -l \(option.name.dropFirst(2))\(short)\(value) -d \(help)"
    }
    let arguments = words(for: entry.completion)
    return children + options + (arguments.isEmpty ? [] : [start + arguments])
  }

  private func words(for completion: Completion) -> String {
    switch completion {
    case .none: ""
    case .files: " -F"
    case .folders: " -a '(__fish_complete_directories)'"
    case .words(let words): " -a \(words.joined(separator: " ").shellQuoted)"
    case .adapters: " -a '(__fmadapter_adapters; __fish_complete_directories)'"
    case .installedBases: " -a '(__fmadapter_bases)'"
    case .bases: " -F -a '(__fmadapter_bases)'"
    case .catalogs: " -a '(__fmadapter_catalogs; __fish_complete_directories)'"
    }
  }
}
