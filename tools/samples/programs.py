"""Makes programs of samples, compiles them against FoundationModels of this package, and runs them.

A sample stays as it is; what is put around it is its context: imports, names that the reader is thought to have, types that an earlier sample of the
document declares, a class around members, a function around statements that return.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build/x86_64-unknown-linux-gnu/debug"
IMPORT = re.compile(r"^[ \t]*(?:@\w+ |public |internal )*import (?:struct |class |enum |func )?(\w+).*$", re.MULTILINE)
PLAYGROUND = re.compile(r"#Playground(\([^)]*\))?\s*\{")
IMPORTS = ["Foundation", "FoundationModels", "Observation", "RegexBuilder"]
MODULES = {*IMPORTS, "Synchronization", "Swift", "Playgrounds", "Dispatch"}
SEPARATE = re.compile(r"^[^\n:]+:(\d+):(\d+): error: consecutive (?:statements|declarations) on a line must be separated", re.MULTILINE)
ERROR = re.compile(r"^\S+?:(\d+):\d+: error: (.*)$", re.MULTILINE)
LOST = re.compile(r"(?:cannot find(?: type)?|unknown attribute) '(\w+)'")
TEXT = re.compile(r'"""(.*?)"""|"(?:\\.|[^"\\])*"|/(?![/* ])(?:\\.|[^/\\ ])+/|/\*.*?\*/|//')
# Where words of a comment end and a statement begins, in a text without its line ends.
STATEMENT = re.compile(
    r" (?=(?:private |public |static |final |@\w+ )*(?:let|var) [\w(]+\)?(?:: [\w\[\]<>?. ]+)?(?: =|: |$| \{)|(?:private |public |static |mutating )*func \w+[(<]|"
    r"(?:struct|class|enum|actor|extension|protocol) \w+(?: \{|:|<)|@[A-Z]\w+(?:\(| (?:struct|enum|class|final|private|public|var|let|actor|func) )|@concurrent|#Playground|"
    r"(?:if|guard) (?:let |case |await |!|[\w.]+(?:\(| [=<>!&|{]))|for (?:try |await )*\w+ in |switch [\w.]+(?:\([^)]*\))? \{|case (?:\.|let )?\w+.{0,40}?(?::|$| case )|default:|"
    r"return (?:[\w.]+(?:[.(?!]| [-+*/] | \}| //)|[\[\"(.!]|try |await |some)|try |await [\w.]+\(|do \{|throw [A-Z]\w+[(.]|defer \{|[})\]]|//|/\*|[a-z]\w*(?:\.\w+)+(?:\(| = | \+= | \{| \}|\?\.)|[a-z]\w*\(|"
    r"\.[a-z]\w+\(|[a-z]\w* (?:=|\+=|-=) |[a-z]\w*: (?:\.\w|\d[\d.]*(?:,| \)|$)|\"|\[|true|false|nil)|\"[^\"]{14,}\" *(?:$|//)|[A-Z]\w+\(|Task \{|self\.)"
)


def broken(code):
    """Code whose line ends a document joined, with a line end wherever the parser asks for one."""
    code = texts_broken(code)
    for _ in range(12):
        found = SEPARATE.findall(swift("-frontend", "-parse", "-", stdin=code)[1])
        lines = code.split("\n")
        for line, column in sorted({(int(l), int(c)) for l, c in found}, reverse=True):
            bytes_ = lines[line - 1].encode()
            lines[line - 1] = bytes_[: column - 1].decode() + "\n" + bytes_[column - 1 :].decode()
        if not found:
            return code
        code = "\n".join(lines)
    return code


def texts_broken(code):
    """The same for texts of many lines and for comments, which go to the end of a line."""
    parts, at = [], 0
    while match := TEXT.search(code, at):
        parts.append(code[at : match.start()])
        at = match.end()
        if match.group(0).startswith('"""'):
            parts.append('"""\n' + match.group(1).strip() + '\n"""')
        elif match.group(0) == "//":
            end = STATEMENT.search(code, at)
            at = end.start() + 1 if end else len(code)
            parts.append(code[match.start() : at] + "\n")
        else:
            parts.append(match.group(0))
    return "".join(parts) + code[at:]


def shaped(code, shape, context, imports):
    code = PLAYGROUND.sub(lambda match: f"func _playground{match.start()}() async throws {{", code)
    code = re.sub(r"^\s*import Playgrounds\s*$", "", code, flags=re.MULTILINE)
    if shape == "file":
        return code + "\n" + context
    named = [name for name in imports if name != "Playgrounds"] + ["FoundationNetworking"] * bool(re.search(r"\bURL(Request|Session)\b", code + context))
    head = [*(f"import {name}" for name in dict.fromkeys([*IMPORTS, *named]))]
    code = IMPORT.sub("", code)
    if shape == "members":
        types, members = context_parts(context)
        code = f"@MainActor @Observable final class Surroundings {{\n{members}\n{code}\n}}"
        return "\n".join([*head, types, code])
    if shape == "generable":
        code = f"@Generable struct Surroundings {{\n{code}\n}}"
    if shape in ("body", "void"):
        result = " -> Any?" if shape == "body" else ""
        code = f"func surroundings() async throws{result} {{\n{code}\n" + ("return nil\n}" if shape == "body" else "}")
    return "\n".join([*head, context, code])


def context_parts(context):
    """Types, and what becomes members beside the sample's own."""
    members = [part for part in declarations(context) if re.match(r"(@\w+ )*(let|var|func|private|lazy)\b", part)]
    types = [part for part in declarations(context) if part not in members]
    return "\n".join(types), "\n".join(members)


def declarations(code):
    """The declarations and statements that stand on their own lines, whole."""
    parts, part, depth, text = [], [], 0, False
    for line in code.splitlines():
        if not line.strip() and depth == 0:
            continue
        part.append(line)
        if line.count('"""') % 2 == 1:
            text = not text
        elif not text:
            bare = re.sub(r"//.*", "", re.sub(r'"(\\.|[^"\\])*"', "", line))
            depth += sum(map(bare.count, "{([")) - sum(map(bare.count, "})]"))
        if depth <= 0 and not text and not re.fullmatch(r"\s*(@\w+(\(.*\))?\s*)+", line):
            parts.append("\n".join(part))
            part, depth = [], 0
    return parts + (["\n".join(part)] if part else [])


def given(code):
    """{name: declaration} of a text of context, functions and variables among them."""
    found = {}
    for part in declarations(IMPORT.sub("", code)):
        match = re.search(r"^\s*(?:@\w+(?:\([^\n]*?\))?\s+)*(?:(?:public|private|final|indirect|static)\s+)*(?:struct|class|enum|actor|protocol|typealias|func|let|var) (\w+)", part, re.MULTILINE)
        if match:
            found.setdefault(match.group(1), part)
    return found


def swift(*arguments, stdin=None):
    result = subprocess.run(["swiftc", *arguments], input=stdin, capture_output=True, text=True)
    return result.returncode, result.stderr + result.stdout


def flags():
    maps = [*ROOT.glob("Sources/C*/module.modulemap"), *ROOT.glob("Sources/C*/include/module.modulemap"), *BUILD.glob("C*.build/module.modulemap")]
    loaded = [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    plugin = f"{BUILD / 'FoundationModelsMacros-tool'}#FoundationModelsMacros"
    return ["-I", str(BUILD / "Modules"), *loaded, "-load-plugin-executable", plugin]


def errors(file, program, mode, whole=False):
    """[(line, the compiler's words)] of a program; none where it compiles."""
    file.write_text(program)
    library = ["-parse-as-library"] if whole else []
    _, output = swift("-emit-sil", "-o", "/dev/null", "-swift-version", mode, *library, *flags(), str(file))
    return [(int(line), words) for line, words in ERROR.findall(output)]


class Library:
    """The objects of the debug build as one library, which a sample is linked with in little time."""

    TARGETS = "FoundationModels MacroExpansion AdapterStore LanguageModels Chats ChatTemplates Grammars Tokenization Adapters TensorFiles Kernels CKernels JSON SystemFiles CFMSystem CFMCurl".split()

    def __init__(self, folder):
        self.folder = Path(folder)
        objects = [str(o) for name in self.TARGETS for o in (BUILD / f"{name}.build").rglob("*.o") if name != "MacroExpansion"]
        code, output = swift("-emit-library", "-o", str(self.folder / "libsamples.so"), *objects, "-lcurl", "-lcrypto", "-lz")
        if code:
            raise SystemExit(f"check-samples: what is built cannot be linked:\n{output}")
        self.environment = {**os.environ, "FMADAPTER_HOME": str(self.folder / "home"), "LD_LIBRARY_PATH": str(self.folder)}
        for words in (("base", "install", "afm-9m"), ("install", "tagging")):
            subprocess.run([BUILD / "fmadapter", *words], env=self.environment, check=True, capture_output=True)

    def run(self, file, limit, mode):
        """(whether the program ended well, what came of it where not)."""
        program = file.with_suffix("")
        code, output = swift("-swift-version", mode, *flags(), str(file), "-o", str(program), "-L", str(self.folder), "-lsamples")
        if code:
            return False, "it is not linked: " + output.strip().splitlines()[-1]
        try:
            result = subprocess.run([program], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return False, f"it does not end within {limit:.0f} s"
        # What is thrown, without the texts in it: they have paths.
        thrown = re.search(r"Error raised at top level: (?:FoundationModels\.)?([\w.]+(?: Domain=\w+ Code=\d+)?)", result.stderr)
        return result.returncode == 0, f"it throws {thrown.group(1)}" if thrown else f"it ends with {result.returncode}"
