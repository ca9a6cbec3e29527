"""Ollama's own client against a server: chats, prompts and models."""

import asyncio
import functools
import importlib.metadata
import json

import ollama

from .by_openai import GREEDY, Ticket
from .tally import Checks

VERSION = importlib.metadata.version("ollama")
CHECKS = Checks()
PROMPT = GREEDY["messages"]
OPTIONS = {"temperature": 0, "num_predict": 24}
ASKED = [{"role": "user", "content": "What is the weather in Paris?"}]


@functools.cache
def client(url):
    return ollama.Client(host=url, timeout=120)


def get_weather(location: str) -> str:
    """The weather of a place.

    Args:
      location: where
    """
    return "Rain"


def refused(status, action):
    try:
        action()
    except ollama.ResponseError as error:
        assert error.status_code == status, error
        return
    raise AssertionError("there was no error")


@CHECKS
def models_are_listed(served):
    api = client(served.url)
    names = [model.model.removesuffix(":latest") for model in api.list().models]
    assert served.model in names and set(served.adapters) <= set(names), names
    assert api.show(served.model).modelinfo["general.architecture"] == "llama"
    assert "completion" in api.show("triage").capabilities
    assert served.model in [model.model.removesuffix(":latest") for model in api.ps().models]


@CHECKS
def a_chat_is_answered(served):
    answer = client(served.url).chat(served.model, PROMPT, options=OPTIONS)
    assert answer.message.content == served.chat(PROMPT[0]["content"]), "OpenAI's interface says something else"
    assert answer.done and answer.done_reason in ("stop", "length") and answer.eval_count > 0 and answer.prompt_eval_count > 0
    assert client(served.url).chat(f"{served.model}:latest", PROMPT, options=OPTIONS).message.content == answer.message.content


@CHECKS
def a_stream_has_the_same_text(served):
    api = client(served.url)
    expected = api.chat("tagging", PROMPT, options=OPTIONS).message.content
    parts = list(api.chat("tagging", PROMPT, options=OPTIONS, stream=True))
    assert "".join(part.message.content for part in parts) == expected
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]


@CHECKS
def tasks_get_what_threads_get(served):
    expected = client(served.url).chat(served.model, PROMPT, options=OPTIONS).message.content

    async def ask():
        api = ollama.AsyncClient(host=served.url, timeout=120)
        whole = await api.chat(served.model, PROMPT, options=OPTIONS)
        parts = [part.message.content async for part in await api.chat(served.model, PROMPT, options=OPTIONS, stream=True)]
        return whole.message.content, "".join(parts)
    assert asyncio.run(ask()) == (expected, expected)


@CHECKS
def prompts_are_answered(served):
    api = client(served.url)
    answer = api.generate(served.model, PROMPT[0]["content"], options=OPTIONS)
    assert answer.response == served.chat(PROMPT[0]["content"])
    parts = list(api.generate(served.model, PROMPT[0]["content"], options=OPTIONS, stream=True))
    assert "".join(part.response for part in parts) == answer.response and parts[-1].done
    raw = api.generate(served.model, "The capital of France", raw=True, options=OPTIONS).response
    assert raw and raw != answer.response
    assert api.generate(served.model, "").done_reason == "load"


@CHECKS
def tools_are_called(served):
    api = client(served.url)
    answer = api.chat("calls", ASKED, tools=[get_weather], options={"temperature": 0, "num_predict": 60})
    parts = list(api.chat("calls", ASKED, tools=[get_weather], stream=True, options={"temperature": 0, "num_predict": 60}))
    calls = [call.function for call in answer.message.tool_calls or []]
    assert calls == [call.function for part in parts for call in part.message.tool_calls or []]
    for call in calls:
        assert call.name == "get_weather" and isinstance(call.arguments["location"], str)
    told = [*ASKED, {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"location": "Paris"}}}]},
            {"role": "tool", "tool_name": "get_weather", "content": "Rain"}]
    assert api.chat("calls", told, tools=[get_weather], options=OPTIONS).done


@CHECKS
def answers_are_parsed(served):
    api = client(served.url)
    asked = [{"role": "user", "content": "I was charged twice for one order."}]
    options = {"temperature": 0, "num_predict": 60}
    ticket = Ticket.model_validate_json(api.chat("triage", asked, format=Ticket.model_json_schema(), options=options).message.content)
    text = api.generate("triage", asked[0]["content"], format=Ticket.model_json_schema(), options=options).response
    assert Ticket.model_validate_json(text) == ticket
    free = api.chat(served.model, asked, format="json", options={"temperature": 0, "num_predict": 200})
    assert free.done_reason == "length" or isinstance(json.loads(free.message.content), dict)


@CHECKS
def options_count(served):
    api = client(served.url)
    full = api.chat(served.model, PROMPT, options=OPTIONS).message.content
    stop = full[len(full) // 2:][:3]
    assert api.chat(served.model, PROMPT, options={**OPTIONS, "stop": [stop]}).message.content == full[:full.index(stop)]
    short = api.chat(served.model, PROMPT, options={"num_predict": 3})
    assert short.eval_count == 3 and short.done_reason == "length"
    drawn = {"temperature": 1, "seed": 7, "num_predict": 12}
    assert len({api.chat(served.model, PROMPT, options=drawn).message.content for _ in range(2)}) == 1
    penalized = {"repeat_penalty": 1.5, "repeat_last_n": 32, "presence_penalty": 1, "frequency_penalty": 1, "top_k": 20, "top_p": 0.9, "min_p": 0.05}
    assert api.chat(served.model, PROMPT, options={**OPTIONS, **penalized}).message.content
    logs = api.chat(served.model, PROMPT, logprobs=True, top_logprobs=2, options=OPTIONS).logprobs
    assert logs and all(len(entry.top_logprobs) == 2 for entry in logs)


@CHECKS
def errors_are_told(served):
    api = client(served.url)
    refused(404, lambda: api.chat("nobody", PROMPT))
    refused(404, lambda: list(api.chat("nobody", PROMPT, stream=True)))
    refused(404, lambda: api.embed(served.model, "a"))
    refused(400, lambda: api.chat(served.model, PROMPT, options={"mirostat": 1}))
    refused(400, lambda: api.generate(served.model, "a", suffix="b"))
    refused(400, lambda: api.chat(served.model, [{"role": "user", "content": "a", "images": [b"x"]}]))
