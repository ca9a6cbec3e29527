"""Inputs that are long and regular, which a fuzzer of short ones does not make: so many of one thing that looking each up in a row would take minutes.

tools/fuzz --large calls this with the folder of its programs; each input gets ten seconds of a processor, and most take less than one.
"""

import base64
import json
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANY = 80_000
NAMES = [f"p{number:06}" for number in range(MANY)]
OPEN = {name: True for name in NAMES}
REQUIRED = {"type": "object", "properties": OPEN, "required": NAMES}
SHA = "0" * 64


def text(*parts):
    return "\n".join(part if isinstance(part, str) else json.dumps(part, separators=(",", ":")) for part in parts).encode()


def sized(data, kind="<Q"):
    return struct.pack(kind, len(data)) + data


def gguf(keys, tensors=0):
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(keys)) + b"".join(keys)
    table = b"".join(sized(b"t%d" % number) + struct.pack("<IQIQ", 1, 1, 24, 32 * number) for number in range(tensors))
    return (head + table).ljust((len(head + table) + 31) // 32 * 32, b"\0") + bytes(32 * tensors)


def key(name, kind, value):
    return sized(name.encode()) + struct.pack("<I", kind) + value


def strings(values):
    return struct.pack("<IQ", 8, len(values)) + b"".join(sized(value.encode()) for value in values)


def tensors(count):
    entries = {f"t{number}": {"dtype": "U8", "shape": [1], "data_offsets": [number, number + 1]} for number in range(count)}
    return sized(text(entries)) + bytes(count)


def signature(count):
    bundle = json.loads((ROOT / "Tests/AdaptersTests/Fixtures/signatures/p256.sig").read_text())
    payload = json.loads(base64.b64decode(bundle["dsseEnvelope"]["payload"]))
    first = payload["predicate"]["resources"][0]
    payload["predicate"]["resources"] = [dict(first, name=f"f{number}") for number in range(count)]
    bundle["dsseEnvelope"]["payload"] = base64.b64encode(text(payload)).decode()
    return text(bundle)


def chat(**more):
    return text({"model": "m", "messages": [{"role": "user", "content": "x"}], **more})


def inputs():
    """Pairs of a parser's name and bytes."""
    yield "json", text({**OPEN}) + b" "
    yield "json", b"{" + b",".join([b'"k":1'] * MANY) + b"}"
    yield "json-beginning", text(OPEN)[:-1] + b"," + text(OPEN)[1:-1]
    yield "schema", text(REQUIRED, "{")
    yield "schema", text({"$defs": {name: {"$anchor": name} for name in NAMES[:40_000]},
                          "anyOf": [{"$ref": "#" + name} for name in NAMES[:20_000]]}, '"p')
    yield "schema-check", text(REQUIRED, OPEN)
    yield "schema-check", text({"const": OPEN}, OPEN)
    yield "schema-check", text({"uniqueItems": True}, list(range(MANY)))
    yield "schema-check", text({"patternProperties": {f"a{number}": True for number in range(3000)}}, OPEN)
    yield "openai-chat", chat(response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": REQUIRED}})
    yield "openai-chat", chat(logit_bias={str(number): 1 for number in range(MANY)})
    item = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    said = {"role": "assistant", "content": "x"}
    yield "openai-responses", text({"model": "m", "input": [item] * 25_000 + [said] * 25_000 + [{"role": "user", "content": "x"}]})
    metadata = json.loads((ROOT / "Tests/AdaptersTests/Fixtures/afm-tiny.fmadapter/metadata.json").read_text())
    yield "metadata", text({**metadata, **{name: 1 for name in NAMES[:60_000]}})
    yield "metadata", text({**metadata, "creatorDefined": {name: 1 for name in NAMES[:60_000]}})
    yield "signature", signature(5000)
    yield "gguf", gguf([key(name, 0, b"\1") for name in NAMES[:65_536]])
    yield "gguf", gguf([], 65_536)
    yield "safetensors", tensors(40_000)
    model = [key("tokenizer.ggml.model", 8, sized(b"gpt2")), key("tokenizer.ggml.pre", 8, sized(b"default"))]
    yield "tokenizer", gguf(model + [
        key("tokenizer.ggml.tokens", 9, strings([f"<{name}>" for name in NAMES])), key("tokenizer.ggml.merges", 9, strings(["a b"] * MANY)),
        key("tokenizer.ggml.token_type", 9, struct.pack("<IQ", 5, MANY) + struct.pack("<i", 3) * MANY),
        key("tokenizer.ggml.eos_token_id", 4, bytes(4))])
    bpe = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    yield "hub-tokenizer", text({"model": bpe, "added_tokens": [{"id": number, "content": f"<{number}>"} for number in range(MANY)]})
    yield "hub-tokens", text({"additional_special_tokens": NAMES}, {"additional_special_tokens": NAMES}, {name: 5 for name in NAMES}, "")
    yield "pickle", b"\x80\x02}(" + b"".join(b"X" + sized(name.encode(), "<I") + b"K\1" for name in NAMES) + b"u."
    sibling = {"size": 10, "blobId": "0" * 40, "lfs": {"sha256": SHA, "size": 10}}
    for form in ("d{0}/m.gguf", "m-{0:05}-of-40000.gguf", "d{0}.fmadapter/metadata.json"):
        yield "hub-listing", text({"id": "owner/repo", "sha": "0" * 40, "siblings": [
            {"rfilename": form.format(number), **sibling} for number in range(40_000)]})
    yield "response-head", b"HTTP/2 200\n" + b"".join(b"X-%d: a\n" % number for number in range(20_000)) + b"WWW-Authenticate: " + b'Bearer realm="x", ' * 20_000
    for part in (b"abc", b"a.b-", b"x=", b"a://", b": ", b"/a=b&", b"token=b&", b"h/x "):
        yield "address", b"https://h/ " + part * 50_000 + b" https://h/?" + part * 50_000
    yield "journal", b"".join(b"+ %d %d\n" % (10 * number, 10 * number + 5) for number in range(MANY))
    yield "data-lines", text({"prompt": "a", "completion": "b", **OPEN}, "")
    yield "data-table", ",".join(NAMES).encode() + b"\n" + b",".join([b"x"] * MANY)
    yield "markup", b"<a " + " ".join(f'{name}="x"' for name in NAMES).encode() + b"/>"
    yield "jinja", "".join("{{ %s }}" % name for name in NAMES).encode()
    yield "jinja", b"{{ x" + b".a" * MANY + b" }}"
    yield "pattern", "|".join(NAMES).encode() + b"\na"
    for sign in (b"[", b"(", b"{", b"<a>", b"{% if x %}", b"{{ ", b"'\\n", b"\\u0041"):
        for parser in ("json", "jinja", "pattern", "python-literal", "markup", "data-json"):
            yield parser, sign * MANY


def main(programs, libraries):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (parser, data) in enumerate(inputs()):
            path = pathlib.Path(folder, f"{parser}-{number}")
            path.write_bytes(data)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            run = subprocess.run(
                [f"{programs}/Fuzz{libraries[parser]}", f"--parser={parser}", "-rss_limit_mb=2048", str(path)], cwd=folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (10, 11)))
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            if run.returncode:
                kept = f"{sys.argv[2]}/large-{path.name}"
                pathlib.Path(kept).write_bytes(data)
                failed = 1
            print(f"{parser:20} {len(data):12} {seconds:8.2f} s" + (f"  find: {kept}" if run.returncode else ""), flush=True)
    return failed


if __name__ == "__main__":
    entries = [(re.findall(r'^  "([a-z0-9-]+)": \{ bytes', path.read_text(), re.M), path.parent.name)
               for path in ROOT.glob("Tests/Fuzz/*/Fuzz*.swift")]
    sys.exit(main(sys.argv[1], {parser: library for parsers, library in entries for parser in parsers}))
