"""llama.cpp as xllamacpp 2026.10.11549 has it, by its C functions: logits, tokens, adapters and the quantizer.

The package's own interface is a server, whose answers would be a quarter of a million probabilities a position as JSON.
"""

import ctypes

import numpy
import xllamacpp

POINTER, INTEGER = ctypes.c_void_p, ctypes.c_int32
F32 = 0
CHUNK = 64
library = ctypes.CDLL(xllamacpp.xllamacpp.__file__)


class ModelParameters(ctypes.Structure):
    """Taken as they come; at least as large as in C."""

    _fields_ = [("whole", ctypes.c_byte * 256)]


class ContextParameters(ctypes.Structure):
    """As `llama.h` of this version has them; what nobody sets here is not named."""

    _fields_ = [
        ("context", ctypes.c_uint32), ("batch", ctypes.c_uint32), ("physical", ctypes.c_uint32), ("between", INTEGER * 4),
        ("threads", INTEGER), ("batch_threads", INTEGER), ("kinds", INTEGER * 4), ("flash", INTEGER), ("rotation", ctypes.c_byte * 48),
        ("keys", INTEGER), ("values", INTEGER), ("rest", ctypes.c_byte * 144)]


class Batch(ctypes.Structure):
    _fields_ = [
        ("count", INTEGER), ("tokens", ctypes.POINTER(INTEGER)), ("embeddings", POINTER), ("positions", ctypes.POINTER(INTEGER)),
        ("sequence_counts", ctypes.POINTER(INTEGER)), ("sequences", ctypes.POINTER(ctypes.POINTER(INTEGER))),
        ("outputs", ctypes.POINTER(ctypes.c_int8))]


def declare(name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


LOG = ctypes.CFUNCTYPE(None, INTEGER, ctypes.c_char_p, POINTER)
default_model = declare("llama_model_default_params", ModelParameters)
default_context = declare("llama_context_default_params", ContextParameters)
load_model = declare("llama_model_load_from_file", POINTER, ctypes.c_char_p, ModelParameters)
free_model = declare("llama_model_free", None, POINTER)
make_context = declare("llama_init_from_model", POINTER, POINTER, ContextParameters)
free_context = declare("llama_free", None, POINTER)
vocabulary_of = declare("llama_model_get_vocab", POINTER, POINTER)
vocabulary_size = declare("llama_vocab_n_tokens", INTEGER, POINTER)
memory_of = declare("llama_get_memory", POINTER, POINTER)
clear = declare("llama_memory_clear", None, POINTER, ctypes.c_bool)
make_batch = declare("llama_batch_init", Batch, INTEGER, INTEGER, INTEGER)
decode = declare("llama_decode", INTEGER, POINTER, Batch)
results = declare("llama_get_logits", ctypes.POINTER(ctypes.c_float), POINTER)
split = declare("llama_tokenize", INTEGER, POINTER, ctypes.c_char_p, INTEGER, ctypes.POINTER(INTEGER), INTEGER, ctypes.c_bool, ctypes.c_bool)
load_adapter = declare("llama_adapter_lora_init", POINTER, POINTER, ctypes.c_char_p)
apply_adapters = declare("llama_set_adapters_lora", INTEGER, POINTER, ctypes.POINTER(POINTER), ctypes.c_size_t, ctypes.POINTER(ctypes.c_float))
quantize_chunk = declare("ggml_quantize_chunk", ctypes.c_size_t, INTEGER, POINTER, POINTER, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, POINTER)
silence = LOG(lambda level, text, data: None)  # kept: C holds its address
declare("llama_log_set", None, LOG, POINTER)(silence, None)
declare("llama_backend_init", None)()


class Model:
    """A GGUF file in llama.cpp, whose threads wait by spinning. `exact` keeps keys, values and scores in F32, as they are F16 otherwise."""

    def __init__(self, path, threads, context=1024, adapter=None, exact=False):
        self.model = load_model(str(path).encode(), default_model()) or fail(f"llama.cpp cannot load {path}")
        self.vocabulary = vocabulary_of(self.model)
        self.size = vocabulary_size(self.vocabulary)
        settings = default_context()
        if (settings.context, settings.physical, settings.flash, settings.keys, settings.values) != (512, 512, -1, 1, 1):
            fail("this xllamacpp has other parameters than 2026.10.11549")
        settings.context, settings.threads, settings.batch_threads = context, threads, threads
        if exact:
            settings.keys = settings.values = F32
            settings.flash = 0
        self.context = make_context(self.model, settings) or fail(f"llama.cpp cannot run {path}")
        self.batch = make_batch(CHUNK, 0, 1)
        if adapter:
            self.apply(adapter)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        free_context(self.context)
        free_model(self.model)

    def apply(self, adapter):
        loaded = load_adapter(self.model, str(adapter).encode())
        if not loaded or apply_adapters(self.context, (POINTER * 1)(loaded), 1, (ctypes.c_float * 1)(1)):
            fail(f"llama.cpp cannot apply {adapter}")

    def tokens(self, text, special):
        """`special`: the begin token is put first, and marks in the text are tokens."""
        data = text.encode()
        found = (INTEGER * (len(data) + 16))()
        count = split(self.vocabulary, data, len(data), found, len(found), special, special)
        return found[:count] if count >= 0 else fail("llama.cpp cannot tokenize")

    def logits(self, tokens):
        """(tokens, vocabulary)."""
        clear(memory_of(self.context), True)
        return numpy.concatenate([self.chunk(tokens, first) for first in range(0, len(tokens), CHUNK)])

    def chunk(self, tokens, first):
        batch = self.batch
        batch.count = len(tokens[first : first + CHUNK])
        for row in range(batch.count):
            batch.tokens[row], batch.positions[row] = tokens[first + row], first + row
            batch.sequence_counts[row], batch.sequences[row][0], batch.outputs[row] = 1, 0, 1
        if decode(self.context, batch):
            fail("llama.cpp could not evaluate a batch")
        return numpy.ctypeslib.as_array(results(self.context), (batch.count, self.size)).copy()


def quantize(values, kind, size):
    """The blocks, `size` bytes a row, that llama.cpp makes of F32 `values` (rows, columns) in the type of that number."""
    values = numpy.ascontiguousarray(values, numpy.float32)
    rows, columns = values.shape
    blocks = numpy.empty((rows, size), numpy.uint8)
    if quantize_chunk(kind, values.ctypes.data, blocks.ctypes.data, 0, rows, columns, None) != blocks.size:
        fail(f"llama.cpp did not fill the blocks of type {kind}")
    return blocks


def fail(text):
    raise RuntimeError(text)
