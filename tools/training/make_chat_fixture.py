"""Writes the chat fixture of the Swift tests: `python make_chat_fixture.py TOKENIZER FOLDER`.

Each case is {messages, add_assistant, tokens}; the ids come from our rendering and, where tamm is installed, are
compared with its version-6 preprocessor first. Beside them: plain texts with ids ({text, tokens}: no special handling
but the tokenizer's own user-defined symbols, the leading space piece included).
"""

import json
import shutil
import sys
from pathlib import Path

from chat import DEFAULT_SYSTEM, Chat

DIALOGUES = [
    ("hello", [("user", "Hello!")]),
    ("system", [("system", "You are Mara, the innkeeper of Willow Bay."), ("user", "Who are you?")]),
    ("newlines", [("user", "Summarise this text.\n\nOn Monday at 9:00 Anna meets Tom.\n")]),
    ("several turns", [("user", "Hi"), ("assistant", "Hello! How can I help you?"), ("user", "Name three colors."), ("assistant", "1. Red\n2. Blue\n3. Green"), ("user", "Thanks")]),
    ("unicode", [("user", "Grüße aus Köln – 東京 🙂 café naïve")]),
    ("json", [("user", 'Return JSON with the keys name, age: {"name": "Tom", "age": 7}')]),
    ("markup", [("user", '<play><line speaker="Ana">Hello & goodbye!</line></play>')]),
    ("symbols in the text", [("user", "What does <turn_end> mean? And <n>?")]),
    ("spaces", [("user", "  two  spaces   and a tab\there  ")]),
    ("code", [("system", DEFAULT_SYSTEM), ("user", "for i in range(10):\n    print(i)\n")]),
    ("empty user turn", [("user", "")]),
    ("numbers", [("user", "What is 12 plus 30? 3.14159, 1,000,000 and 2026-11-21")]),
]
TEXTS = ["", " ", "Hello", " Hello", "Hello world", "hello\tworld", "naïve café", "日本語", "🙂🙃", "a\u0301", "<n>", "<turn_start> user<n>Hi<turn_end>", "don't", "12345", "  double  spaces  ", "ANNA", "\u00a0x", "x" * 40]


def check_with_tamm(path, messages, add_assistant, tokens):
    try:
        from tamm.preprocessors.instruct_lm.afm.afm_v6 import AFMChatTemplateV6Preprocessor
        from tamm.tokenizers.afm import AFMTokenizer
    except ImportError:
        return False
    preprocessor = AFMChatTemplateV6Preprocessor(None, prepend_system_message=messages[0]["role"] != "system")
    preprocessor.__dict__["tokenizer"] = AFMTokenizer(str(path))
    theirs = preprocessor([dict(m) for m in messages], generate_prefix=add_assistant).input_ids
    assert theirs == tokens, (messages, theirs, tokens)
    return True


def main(path, folder):
    chat = Chat(path)
    cases, checked = [], 0
    for name, turns in DIALOGUES:
        messages = [{"role": role, "content": content} for role, content in turns]
        tokens = chat.ids(messages, prompt=True)
        checked += check_with_tamm(path, messages, True, tokens)
        cases.append({"name": name, "messages": messages, "add_assistant": True, "tokens": tokens})
    texts = [{"text": t, "tokens": chat.tokenizer.encode(t)} for t in TEXTS]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, folder / "tokenizer.model")
    (folder / "chats.json").write_text(json.dumps({"default_system": DEFAULT_SYSTEM, "chats": cases, "texts": texts}, ensure_ascii=False, indent=1) + "\n")
    print(f"{len(cases)} chats, {checked} of them equal to tamm's; {len(texts)} texts")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
