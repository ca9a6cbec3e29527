"""Renders dialogues to token ids as version 6 of Apple's chat template does.

Each turn is `<turn_start> role<n>content<turn_end>`; a newline is the token `<n>`. SentencePiece puts a space piece in
front of the text; it is dropped, and the end-of-sequence id takes its place.
"""

import sentencepiece

DEFAULT_SYSTEM = "A conversation between a user and a helpful assistant."
IGNORED = -100


def render(messages, prompt=False):
    turns = "".join(f"<turn_start> {m['role']}<n>{m['content']}<turn_end>" for m in messages)
    return turns + ("<turn_start> assistant<n>" if prompt else "")


class Chat:
    def __init__(self, tokenizer_path):
        self.tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer_path))
        self.turn_end = self.tokenizer.piece_to_id("<turn_end>")
        self.newline = self.tokenizer.piece_to_id("<n>")
        self.eos = self.tokenizer.eos_id()

    def ids(self, messages, prompt=False):
        """Token ids of a dialogue; with `prompt`, up to the place where the assistant speaks."""
        if messages[0]["role"] != "system":
            messages = [{"role": "system", "content": DEFAULT_SYSTEM}] + messages
        return [self.eos] + self.tokenizer.encode(render(messages, prompt).replace("\n", "<n>"))[1:]

    def labels(self, messages):
        """(ids, whether each id is spoken by the assistant, its end of turn included)."""
        ids = self.ids(messages)
        if messages[0]["role"] != "system":
            messages = [{"role": "system", "content": DEFAULT_SYSTEM}] + messages
        spoken, start = [False], 1
        for message in messages:
            end = ids.index(self.turn_end, start) + 1
            header = ids.index(self.newline, start) + 1
            speaks = message["role"] == "assistant"
            spoken += [False] * (header - start) + [speaks] * (end - header)
            start = end
        return ids, spoken

    def decode(self, ids):
        return self.tokenizer.decode(list(ids)).replace("<n>", "\n")
