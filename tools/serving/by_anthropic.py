"""Anthropic's own client against a server: messages, whole and in streams, and counts of their tokens."""

import asyncio
import functools
import json

import anthropic

from .by_openai import GREEDY as OPENAI_GREEDY, Ticket, refused
from .tally import Checks

VERSION = anthropic.__version__
CHECKS = Checks()
PROMPT = OPENAI_GREEDY["messages"]
LIKELIEST = {"extra_body": {"temperature": 0}}  # the client has no field for it any more
GREEDY = {"messages": PROMPT, "max_tokens": 24, **LIKELIEST}
WEATHER = {"name": "get_weather", "description": "The weather of a place",
           "input_schema": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]}}
ASKED = [{"role": "user", "content": "What is the weather in Paris?"}]


@functools.cache
def client(url):
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0, timeout=120)


def later(url):
    return anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0, timeout=120)


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


@CHECKS
def a_message_is_answered(served):
    message = client(served.url).messages.create(model=served.model, **GREEDY)
    assert message.type == "message" and message.role == "assistant" and message.stop_reason in ("end_turn", "max_tokens")
    assert text_of(message) == served.chat(PROMPT[0]["content"]), "OpenAI's interface says something else"
    assert message.usage.output_tokens > 0 and message.usage.input_tokens + message.usage.cache_read_input_tokens > 0


@CHECKS
def a_stream_has_the_same_text(served):
    api = client(served.url)
    expected = text_of(api.messages.create(model=served.model, **GREEDY))
    events = list(api.messages.create(model=served.model, stream=True, **GREEDY))
    types = [event.type for event in events if event.type != "ping"]
    assert types[:2] == ["message_start", "content_block_start"] and types[-3:] == ["content_block_stop", "message_delta", "message_stop"], types
    assert "".join(event.delta.text for event in events if event.type == "content_block_delta") == expected
    with api.messages.stream(model=served.model, **GREEDY) as stream:
        assert "".join(stream.text_stream) == expected
        assert stream.get_final_message().usage.output_tokens > 0


@CHECKS
def tasks_get_what_threads_get(served):
    expected = text_of(client(served.url).messages.create(model="tagging", **GREEDY))

    async def ask():
        async with later(served.url) as api:
            whole = text_of(await api.messages.create(model="tagging", **GREEDY))
            async with api.messages.stream(model="tagging", **GREEDY) as stream:
                return whole, "".join([text async for text in stream.text_stream])
    assert asyncio.run(ask()) == (expected, expected)


@CHECKS
def tools_are_called(served):
    api = client(served.url)
    forced = {"model": served.model, "messages": ASKED, "tools": [WEATHER], "max_tokens": 100, **LIKELIEST}
    for choice in ({"type": "any"}, {"type": "tool", "name": "get_weather"}, {"type": "any", "disable_parallel_tool_use": True}):
        message = api.messages.create(tool_choice=choice, **forced)
        use = next(block for block in message.content if block.type == "tool_use")
        assert message.stop_reason == "tool_use" and isinstance(use.input["location"], str)
    with api.messages.stream(tool_choice=choice, **forced) as stream:
        final = stream.get_final_message()
    assert [block.input for block in final.content if block.type == "tool_use"] == [use.input]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "Rain, 12 degrees"}]}
    told = [*ASKED, {"role": "assistant", "content": message.content}, result]
    after = api.messages.create(**{**forced, "messages": told, "tool_choice": {"type": "none"}, "max_tokens": 16})
    assert text_of(after) and after.stop_reason != "tool_use"
    refused(anthropic.BadRequestError, lambda: api.messages.create(tool_choice={"type": "tool", "name": "f"}, **forced))


@CHECKS
def answers_are_parsed(served):
    api = client(served.url)
    asked = {"model": "triage", "messages": [{"role": "user", "content": "I was charged twice for one order."}], "max_tokens": 60, **LIKELIEST}
    parsed = api.messages.parse(output_format=Ticket, **asked).parsed_output
    assert isinstance(parsed, Ticket)

    async def ask():
        async with later(served.url) as waiting:
            return (await waiting.messages.parse(output_format=Ticket, **asked)).parsed_output
    assert asyncio.run(ask()) == parsed


@CHECKS
def a_runner_calls_functions(served):
    @anthropic.beta_tool
    def get_weather(location: str) -> str:
        """The weather of a place."""
        places.append(location)
        return "Rain"
    places = []
    runner = client(served.url).beta.messages.tool_runner(
        model=served.model, messages=ASKED, tools=[get_weather], tool_choice={"type": "any"}, max_tokens=100, max_iterations=1, **LIKELIEST)
    for message in runner:
        assert message.stop_reason == "tool_use"
    assert places or message.content, "nothing was called"


@CHECKS
def tokens_are_counted(served):
    api = client(served.url)
    for extra in ({}, {"tools": [WEATHER]}, {"system": "Answer shortly."}):
        counted = api.messages.count_tokens(model=served.model, messages=PROMPT, **extra).input_tokens
        usage = api.messages.create(model=served.model, **GREEDY, **extra).usage
        assert counted == usage.input_tokens + usage.cache_read_input_tokens
    assert api.beta.messages.count_tokens(model=served.model, messages=PROMPT).input_tokens > 0


@CHECKS
def stops_and_systems_count(served):
    api = client(served.url)
    full = text_of(api.messages.create(model=served.model, **GREEDY))
    stop = full[len(full) // 2:][:3]
    ended = api.messages.create(model=served.model, stop_sequences=[stop], **GREEDY)
    assert text_of(ended) == full[:full.index(stop)] and (ended.stop_reason, ended.stop_sequence) == ("stop_sequence", stop)
    systems = ["Answer in capital letters only.", [{"type": "text", "text": "Answer in capital letters only.", "cache_control": {"type": "ephemeral"}}]]
    texts = [text_of(api.messages.create(model=served.model, system=system, **GREEDY)) for system in systems]
    assert texts[0] == texts[1]


@CHECKS
def models_are_listed(served):
    names = [model.id for model in client(served.url).models.list()]
    assert names[0] == served.model and set(served.adapters) <= set(names), names


@CHECKS
def errors_are_of_their_kinds(served):
    api = client(served.url)
    refused(anthropic.NotFoundError, lambda: api.messages.create(**{"model": "nobody", **GREEDY}))
    image = [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]}]
    refused(anthropic.BadRequestError, lambda: api.messages.create(model=served.model, messages=image, max_tokens=4))
    status, body = served.send("POST", "/v1/messages", {"model": served.model, "messages": PROMPT})
    assert status == 400 and json.loads(body)["type"] == "error"
    try:
        api.messages.create(model=served.model, messages=PROMPT, max_tokens=4, extra_body={"temperature": -1})
    except anthropic.BadRequestError as error:
        assert error.body["error"]["type"] == "invalid_request_error"
