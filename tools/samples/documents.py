"""Finds the Swift samples of documents: fenced ones, those of texts whose lines were joined anew, and those of texts that lost their fences."""

import dataclasses
import hashlib
import re

FENCED = re.compile(r"^[ \t]*```swift[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
JOINED = re.compile(r"```swift (.*?)```", re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
CHAPTER = re.compile(r"## (Chapter \d+: .+?) Canonical URL")
OURS = re.compile(r"LanguageModel|@Generable|@Guide|Generat(ion|ed)\w+|Transcript|: Tool\b|respond\(|streamResponse|Instructions|Prompt\b|FoundationModels|session\.|prewarm|Guardrail")
DECLARATION = re.compile(
    r"^(@\w+(\([^)]*\))?\s+)*((nonisolated\(\w+\)|public|final|static|convenience|nonisolated|mutating|indirect|override|prefix|@\w+)\s+)*"
    r"(func|init|struct|class|enum|protocol|actor|typealias|associatedtype|macro|subscript|case|let|var|extension|import)\b"
)
CODE = re.compile(
    r"^(import |let |var |func |struct |class |enum |protocol |extension |actor |private|public |fileprivate |internal |final |static |convenience |init[(?]|mutating |nonisolated|"
    r"override |typealias |if |else\b|guard |for |while |switch |case |default:|do \{|catch\b|defer |try |await |return\b|throw |break\b|continue\b|@\w|#Playground|#if |#endif|#available|"
    r"//|/\*|[})\]]|\.\w+|\"|_ = |Task \{|Task\(|[\w.?!\[\]]+ [-+]?= |[\w.]+\(.*[^.]$|[\w.?!]+\($|[\w.]+ \{$|[\w.]+\(.*\)\.?\w*$|LanguageModelSession \{)"
)
PROSE = re.compile(r"^(#{1,6} |- |\d+\. |\||> |\*\*|!\[|---$|`|<!--|\[|@\w+ (?!struct|enum|private|var|let|func|final|class|public|static|actor|extension|protocol|init|mutating|indirect|nonisolated)[a-z]+ |(?!private|public|internal|nonisolated|unowned)[\w.]+\([\w:]*\) [a-z]+ |\.\w+ — |Show all)|^[A-Z“‘][^{}=]*[.:?!]$")


@dataclasses.dataclass
class Sample:
    document: str
    place: str
    code: str
    whole: bool = False

    @property
    def digest(self):
        """SHA-256 of the text with every run of blanks as one space."""
        return hashlib.sha256(" ".join(self.code.split()).encode()).hexdigest()


def samples(path, document=None):
    """Samples of a document, or of all documents below a folder, in their order."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in (".md", ".swift") and ".build" not in p.parts and p.is_file())
    for file in files:
        text = file.read_text(errors="replace")
        name = document or (file.name if path.is_file() else str(file.relative_to(path)))
        if file.suffix == ".swift":
            yield Sample(name, "file", text, True)
        elif len(FENCED.findall(text)) > len(JOINED.findall(text)):
            yield from (Sample(name, place(text, match.start()), match.group(1)) for match in FENCED.finditer(text))
        elif JOINED.search(text):
            yield from (Sample(name, place(text, match.start()), " ".join(match.group(1).split())) for match in JOINED.finditer(text))
        else:
            yield from (Sample(name, place(text, start), code) for start, code in unfenced(text))


def place(text, start):
    """The line where something starts, and the last heading before it."""
    heading = None
    for pattern in (HEADING, CHAPTER):
        for match in pattern.finditer(text, 0, start):
            if pattern is CHAPTER or "https://" in match.group(1) or not heading or "/" not in heading:
                heading = match.group(1).rsplit("/documentation/", 1)[-1]
    line = text.count("\n", 0, start) + 1
    return f"line {line}" + (f", {heading[:70]}" if heading else "")


def unfenced(text):
    """(start, code) of the runs of code in a text that says nowhere what is code."""
    run, start, at, declared = [], 0, 0, set()
    for line in [*text.splitlines(keepends=True), "# end\n"]:
        body = line.strip()
        code = "".join(run)
        inside = code.count('"""') % 2 == 1
        deep = inside or depth(code) > 0
        again = not deep and ((names(body) & declared) or (body.startswith("import ") and declared))
        if not body:
            if run:
                run.append(line)
        elif (inside and not re.match(r"^(# https:|---$)", body)) or (not PROSE.search(body) and (deep or CODE.search(body))) or (deep and body.startswith("[")):
            if again:
                # An attribute on the line above belongs to what is declared a second time.
                kept = [run.pop()] if run and re.match(r"^@\w+(\(.*\))?$", run[-1].strip()) else []
                if not listing("".join(run)):
                    yield start, tidy("".join(run))
                run, start, declared = kept, at - sum(map(len, kept)), set()
            if not run:
                start = at
            run.append(line)
            if not deep:
                declared |= names(body)
        else:
            if run and not listing(code):
                yield start, tidy(code)
            run, declared = [], set()
        at += len(line)


def names(line):
    """What a line declares, if it is not within something else."""
    match = re.match(r"^(?:@\w+ +)*(?:private |public |final )*(?:struct|class|enum|protocol|let|var) (\w+)", line)
    return {match.group(1)} if match else set()


def tidy(code):
    """Without the backslashes that Markdown put at the ends of lines within brackets."""
    lines, inside = [], False
    for line in code.strip().splitlines():
        if not inside and line.count('"""') == 0:
            line = re.sub(r"\\$", "", line)
        inside ^= line.count('"""') % 2 == 1
        lines.append(line)
    return "\n".join(lines) + "\n"


def depth(code):
    """How many brackets are open, as far as texts and comments let one see; closing ones too many count for nothing."""
    code = re.sub(r'"""(.*?)"""', '""', code, flags=re.DOTALL)
    code = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
    code = re.sub(r"//[^\n]*", "", code)
    open = 0
    for c in code:
        open = max(0, open + (c in "{([") - (c in "})]"))
    return open


def listing(code):
    """Whether a run only names declarations of the framework, as a reference does above its descriptions."""
    body = code.strip()
    if re.search(r"\{ get( set)? \}$", body) and "\n\n" not in body and not body.startswith("protocol"):
        return True
    if re.fullmatch(r"[)\]}\s]*|\).*where .*|@attached.*|(@discardableResult )?nonisolated\(nonsending\)", body):
        return True
    return "{" not in body and bool(DECLARATION.search(body)) and not re.search(r"^(let|var) [\w:<>\[\] .?]+ = |\w = try|respond\(\s*to: \"|^import ", body, re.MULTILINE)
