"""Says of each sample whether it compiles, runs, or is left out, and why."""

import concurrent.futures
import os
import re

from programs import IMPORT, LOST, MODULES, ROOT, broken, errors, given, shaped

CONTEXT = ROOT / "Tests/SourceCompatibility/context.txt"
INTERFACE = re.compile(
    r"some View\b|: View\b|@State\b|\bForEach\b|\b[VHZ]Stack\b|\bButton\(|\bText\(|^\.task \{|withAnimation|ObservableObject|\bTextField\(|^\.on\w+\(|: App\b|some Scene"
    r"|UIViewController|\.overlay|@Environment|@Binding",
    re.MULTILINE,
)
APPLES = re.compile(r"\b(CL[A-Z]\w+|MK[A-Z]\w+|EK[A-Z]\w+|CN[A-Z]\w+|HK[A-Z]\w+|NS(?!Error|Regular|String|Range|Lock|Number|Coding)[A-Z]\w+|UI[A-Z]\w+|AssetPack\w*|WeatherService|ImageCreator|MusicCatalog\w+|AppIntent|ModelContext|os_log|Logger)\b")
ISOLATION = re.compile(r"Sendable|isolat|data race|concurren|shared mutable|sending ")
MEMBERS = re.compile(r"^(?:init\(|static |public static |lazy |convenience |@Published|override )|^(?:private )?(?:func|var)(?=[\s\S]*\bself\.)", re.MULTILINE)
DECLARES = re.compile(r"^(@|struct |enum |class |final |public |private |func |protocol |extension |actor |import |//|typealias |mutating )")

PIECES = re.compile(
    r"^(expected|extraneous|consecutive|unterminated|unary operator|invalid character|editor placeholder)|only be declared|only classes and|only appear inside"
    r"|outside of a|already-lazy|at least one executable|has no initializers|not allowed|UnboundedRange_|'\\.\\.\\.'|requires a body"
)
MISSING = re.compile(r"no macro named|no such module|unknown attribute")
# What the compiler says where names are missing, besides that they are.
FOLLOWS = re.compile(r"could not be inferred|cannot infer|does not conform|contextual type|failed to produce diagnostic|no exact matches|requires that|global shared mutable")


class Judge:
    """Samples of one document, judged one by one."""

    def __init__(self, samples, folder):
        self.folder = folder
        self.samples = samples
        self.sections = sections()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.codes = list(pool.map(lambda s: s.code if s.whole or "\n" in s.code.strip() else broken(s.code), samples))
        self.names = [given(code) for code in self.codes]

    def judge(self, index):
        """(class, words, the file with the program, the language mode) of a sample."""
        sample = self.samples[index]
        code = self.codes[index]
        if reason := elsewhere(code):
            return "left out", reason, None, None
        header, own = self.sections.get(sample.digest[:8], ("", ""))
        put, own = lost_lines(own)
        for before, line in put:
            code = re.sub(rf"^(?=\s*{re.escape(before)})", line.replace("\\", r"\\") + "\n", code, count=1, flags=re.MULTILINE)
        best = None
        for shape in shapes(sample, code, header):
            found = self.compiled(index, code, shape, own)
            if not found[0]:
                words = f"with a line put back that the document lost: {put[0][1]}" if put else ""
                return "compiles", words, found[1], found[2]
            best = best or found
        if header.startswith("left out: "):
            return "left out", header.removeprefix("left out: "), None, None
        return kind([words for _, words in best[0]]), best[0][0][1], best[1], best[2]

    def compiled(self, index, code, shape, own):
        """(errors, file, language mode) of a sample in a shape, after what it lacks was given to it."""
        imports = IMPORT.findall(code)
        file = self.folder / f"{self.samples[index].digest[:8]}-{shape}.swift"
        context, mode, had = own, "6", set()
        while True:
            found = errors(file, shaped(code, shape, context, imports), mode, shape == "file")
            lacking = {name for _, words in found for name in LOST.findall(words)} - had
            added = [part for name in sorted(lacking) if (part := self.named(index, name)) and part not in context]
            had |= lacking
            if added:
                context = "\n".join([*added, context])
            elif found and mode == "6" and any(ISOLATION.search(words) for _, words in found):
                mode = "5"
            else:
                return found, file, mode

    def named(self, index, name):
        """A declaration of a name: of the nearest sample before or after this one, or of the context that all share."""
        order = [*range(index - 1, -1, -1), *range(index + 1, len(self.samples))]
        if not self.samples[index].whole:
            order = [i for i in order if self.samples[i].document == self.samples[index].document]
        near = (self.names[i][name] for i in order if name in self.names[i] and not elsewhere(self.names[i][name]))
        return self.sections["*"].get(name) or next(near, None)


def kind(found):
    """What a sample is that the compiler refuses: without what it needs, no program, or to be looked at."""
    if any(PIECES.search(words) for words in found):
        return "pieces"
    others = [words for words in found if not LOST.search(words) and not MISSING.search(words)]
    return "incomplete" if len(others) < len(found) and all(FOLLOWS.search(words) for words in others) else "refused"


def elsewhere(code):
    """Why a sample is for Apple's systems only, if it is."""
    foreign = sorted(set(IMPORT.findall(code)) - MODULES - {"SwiftUI"})
    if "SwiftUI" in IMPORT.findall(code) or INTERFACE.search(code):
        return "user interface"
    if foreign:
        return f"imports {', '.join(foreign)}, of Apple's systems only"
    if names := sorted({match.group(1) for match in APPLES.finditer(re.sub(r'//.*|"[^"]*"', "", code))}):
        return f"uses {', '.join(names)}, of Apple's systems only"
    return None


def shapes(sample, code, header):
    if sample.whole:
        return ["file"]
    if header and not header.startswith("left out"):
        return header.split()
    bare, depth = [], 0
    for line in re.sub(r'"""[\s\S]*?"""', '""', code).splitlines():
        if depth == 0:
            bare.append(line.strip())
        line = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)
        depth = max(0, depth + sum(map(line.count, "{([")) - sum(map(line.count, "})]")))
    if any(MEMBERS.search(line) for line in bare):
        return ["members", "script"]
    if re.search(r"\breturn\b", code) and not re.search(r"\bfunc |\bvar \w+: .*\{", code):
        return ["script", "void", "body"]
    return ["script", "members"]


def sections():
    """{"*": {name: declaration}, the first digits of a sample's hash: (shapes, context)} of the file of contexts."""
    found = {"*": {}}
    if not CONTEXT.exists():
        return found
    for section in re.split(r"^== ", CONTEXT.read_text(), flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        name, _, header = head.partition(" ")
        if name == "*":
            found["*"] = given(body)
        else:
            found[name] = (header, body)
    return found


def lost_lines(context):
    """([(the line's beginning before which one was lost, the lost one)], the context without these)."""
    put = re.findall(r"^\^\^ (.*?) \|\| (.*)$", context, re.MULTILINE)
    return put, re.sub(r"^\^\^ .*\n?", "", context, flags=re.MULTILINE)


def runnable(code):
    """Whether there is something to run: a statement that is no declaration."""
    depth, text = 0, False
    for line in code.splitlines():
        if depth == 0 and not text and line.strip() and not DECLARES.search(line.strip()) and line.strip() not in "})]":
            return True
        if line.count('"""') % 2:
            text = not text
        bare = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)
        depth = max(0, depth + sum(map(bare.count, "{([")) - sum(map(bare.count, "})]")))
    return "#Playground" in code
