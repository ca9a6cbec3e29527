"""OpenAI's own client against a server: chats, completions and responses, whole and in streams."""

import asyncio
import functools
import json
from typing import Literal

import openai
from pydantic import BaseModel

from .tally import Checks

VERSION = openai.__version__
CHECKS = Checks()
PROMPT = [{"role": "user", "content": "Name three things that one finds in a kitchen."}]
GREEDY = {"messages": PROMPT, "temperature": 0, "max_tokens": 24}
WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather of a place",
    "parameters": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"], "additionalProperties": False},
    "strict": True}}
CLOCK = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}
# What ends by itself: the helper of streams raises where a limit ends an answer.
ENDING = {"model": "assistant", "messages": [{"role": "user", "content": "What is the capital of France?"}], "temperature": 0, "max_tokens": 100}
ASKED = [{"role": "user", "content": "What is the weather in Paris?"}]


class Ticket(BaseModel):
    """What an answer is parsed into."""

    queue: Literal["billing", "delivery"]
    urgent: bool


@functools.cache
def client(url):
    return openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=120)


def later(url):
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=120)


def refused(kind, action, **fields):
    """Holds the error of `action` against its fields."""
    try:
        action()
    except kind as error:
        for name, value in fields.items():
            assert getattr(error, name) == value, f"{name} is {getattr(error, name)}: {error}"
        return
    raise AssertionError(f"there was no {kind.__name__}")


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@CHECKS
def models_are_listed(served):
    api = client(served.url)
    names = [model.id for model in api.models.list()]
    assert names[0] == served.model and set(served.adapters) <= set(names), names
    assert api.models.retrieve("triage").id == "triage"
    refused(openai.NotFoundError, lambda: api.models.retrieve("nobody"), code="model_not_found")


@CHECKS
def a_chat_is_answered(served):
    answer = client(served.url).chat.completions.create(model=served.model, **GREEDY)
    choice = answer.choices[0]
    assert choice.message.role == "assistant" and choice.message.content and choice.finish_reason in ("stop", "length")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.id.startswith("chatcmpl-") and answer.model == served.model


@CHECKS
def a_stream_has_the_same_text(served):
    api = client(served.url)
    whole = api.chat.completions.create(model=served.model, **GREEDY)
    chunks = list(api.chat.completions.create(model=served.model, stream=True, stream_options={"include_usage": True}, **GREEDY))
    assert text_of(chunks) == whole.choices[0].message.content
    assert [bool(chunk.choices and chunk.choices[0].delta.role) for chunk in chunks] == [True] + [False] * (len(chunks) - 1)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason] == [whole.choices[0].finish_reason]
    assert not chunks[-1].choices and chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
    assert len({chunk.id for chunk in chunks}) == 1
    assert all(chunk.choices and not chunk.usage for chunk in api.chat.completions.create(model=served.model, stream=True, **GREEDY))


@CHECKS
def tasks_get_what_threads_get(served):
    expected = client(served.url).chat.completions.create(model=served.model, **GREEDY).choices[0].message.content

    async def ask():
        async with later(served.url) as api:
            whole = await api.chat.completions.create(model=served.model, **GREEDY)
            chunks = [chunk async for chunk in await api.chat.completions.create(model=served.model, stream=True, **GREEDY)]
            async with api.chat.completions.stream(**ENDING) as stream:
                final = await stream.get_final_completion()
            return whole.choices[0].message.content, text_of(chunks), final.choices[0].message.content
    ended = client(served.url).chat.completions.create(**ENDING).choices[0].message.content
    assert asyncio.run(ask()) == (expected, expected, ended)


@CHECKS
def many_at_once_get_what_one_gets(served):
    """Each model beside all others, as it answers alone."""
    models = [served.model, *served.adapters]
    alone = [client(served.url).chat.completions.create(model=model, **GREEDY).choices[0].message.content for model in models]

    async def ask():
        async with later(served.url) as api:
            answers = await asyncio.gather(*(api.chat.completions.create(model=model, **GREEDY) for model in models))
            return [answer.choices[0].message.content for answer in answers]
    assert asyncio.run(ask()) == alone and len(set(alone)) > 1


@CHECKS
def adapters_have_strengths(served):
    api = client(served.url)

    def ask(model):
        return api.chat.completions.create(model=model, **GREEDY).choices[0].message.content
    own, base = ask("triage"), ask(served.model)
    assert own != base and ask(f"{served.model}+triage") == own and ask("triage:0.0") == base
    assert ask("triage:0.5+tagging:0.5")


@CHECKS
def the_helper_of_streams_adds_them_up(served):
    api = client(served.url)
    with api.chat.completions.stream(**ENDING) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} <= kinds
    assert final.choices[0].message.content == api.chat.completions.create(**ENDING).choices[0].message.content


@CHECKS
def several_answers_have_their_seeds(served):
    api = client(served.url)
    drawn = {"model": served.model, "messages": PROMPT, "temperature": 1, "max_tokens": 12}
    several = api.chat.completions.create(n=3, seed=7, **drawn)
    alone = [api.chat.completions.create(seed=7 + index, **drawn).choices[0].message.content for index in range(3)]
    assert [choice.message.content for choice in several.choices] == alone and len(set(alone)) > 1
    texts, ends = ["", "", ""], [0, 0, 0]
    for chunk in api.chat.completions.create(n=3, seed=7, stream=True, **drawn):
        for choice in chunk.choices:
            texts[choice.index] += choice.delta.content or ""
            ends[choice.index] += choice.finish_reason is not None
    assert texts == alone and ends == [1, 1, 1]


@CHECKS
def tokens_have_probabilities(served):
    api = client(served.url)
    whole = api.chat.completions.create(model=served.model, logprobs=True, top_logprobs=3, **GREEDY)
    tokens = whole.choices[0].logprobs.content
    spelled = bytes(byte for token in tokens for byte in token.bytes).decode()
    assert spelled.startswith(whole.choices[0].message.content) and len(tokens) == whole.usage.completion_tokens
    for token in tokens:
        assert len(token.top_logprobs) == 3 and token.logprob <= 0
        assert token.token == token.top_logprobs[0].token, "the likeliest token comes"
    streamed = [token.token for chunk in api.chat.completions.create(model=served.model, logprobs=True, top_logprobs=1, stream=True, **GREEDY)
                if chunk.choices[0].logprobs for token in chunk.choices[0].logprobs.content]
    assert streamed == [token.token for token in tokens]


@CHECKS
def tokens_are_made_likelier(served):
    api = client(served.url)
    token = served.json("POST", "/tokenize", {"content": "kite"})["tokens"][0]
    biased = {**GREEDY, "max_tokens": 3}
    first = api.chat.completions.create(model=served.model, logit_bias={str(token): 100}, logprobs=True, **biased)
    assert len({entry.token for entry in first.choices[0].logprobs.content}) == 1
    usual = api.chat.completions.create(model=served.model, logprobs=True, **biased).choices[0].logprobs.content[0]
    likeliest = served.json("POST", "/tokenize", {"content": usual.token})["tokens"][0]
    other = api.chat.completions.create(model=served.model, logit_bias={str(likeliest): -100}, logprobs=True, **biased)
    assert other.choices[0].logprobs.content[0].token != usual.token
    for bias in ({"999999": 5}, {"AI": -100}, {str(token): 101}):
        refused(openai.BadRequestError, lambda bias=bias: api.chat.completions.create(model=served.model, logit_bias=bias, **biased))


@CHECKS
def what_was_said_is_penalized(served):
    api = client(served.url)
    long = {"model": served.model, "messages": [{"role": "user", "content": "Say the word kite again and again."}], "temperature": 0, "max_tokens": 40}

    def distinct(**fields):
        words = api.chat.completions.create(**long, **fields).choices[0].message.content.split()
        return len(set(words)) / len(words)
    usual = distinct()
    assert max(distinct(presence_penalty=2, frequency_penalty=2), distinct(extra_body={"repeat_penalty": 1.8, "repeat_last_n": -1})) >= usual
    for field in ("presence_penalty", "frequency_penalty"):
        refused(openai.BadRequestError, lambda field=field: api.chat.completions.create(**long, **{field: 2.5}), param=field)


@CHECKS
def stops_and_limits_end_answers(served):
    api = client(served.url)
    full = api.chat.completions.create(model=served.model, **GREEDY).choices[0].message.content
    stop = full[len(full) // 2:][:3]
    ended = api.chat.completions.create(model=served.model, stop=[stop], **GREEDY).choices[0]
    assert ended.message.content == full[:full.index(stop)] and ended.finish_reason == "stop"
    chunks = api.chat.completions.create(model=served.model, stop=stop, stream=True, **GREEDY)
    assert text_of(chunks) == ended.message.content
    short = api.chat.completions.create(model=served.model, messages=PROMPT, max_completion_tokens=3)
    assert short.usage.completion_tokens == 3 and short.choices[0].finish_reason == "length"


@CHECKS
def tools_are_called(served):
    api = client(served.url)
    forced = {"model": served.model, "messages": ASKED, "temperature": 0, "max_tokens": 100}
    for choice, tools in (("required", [WEATHER]), ({"type": "function", "function": {"name": "get_weather"}}, [CLOCK, WEATHER])):
        answer = api.chat.completions.create(tools=tools, tool_choice=choice, parallel_tool_calls=False, **forced).choices[0]
        assert answer.finish_reason == "tool_calls" and len(answer.message.tool_calls) == 1
        call = answer.message.tool_calls[0]
        assert call.function.name == "get_weather" and isinstance(json.loads(call.function.arguments)["location"], str)
    told = [*ASKED, answer.message, {"role": "tool", "tool_call_id": call.id, "content": "Rain, 12 degrees"}]
    after = api.chat.completions.create(model=served.model, messages=told, tools=[WEATHER], tool_choice="none", temperature=0, max_tokens=24)
    assert after.choices[0].message.content and not after.choices[0].message.tool_calls
    assert api.chat.completions.create(model="calls", tools=[WEATHER], messages=ASKED, temperature=0, max_tokens=60).choices[0].finish_reason
    refused(openai.BadRequestError, lambda: api.chat.completions.create(
        tools=[WEATHER], tool_choice={"type": "function", "function": {"name": "f"}}, **forced))


@CHECKS
def calls_come_in_streams(served):
    api = client(served.url)
    forced = {"model": served.model, "messages": ASKED, "tools": [WEATHER], "tool_choice": "required", "temperature": 0, "max_tokens": 100}
    whole = api.chat.completions.create(**forced).choices[0].message.tool_calls
    parts, ends = {}, []
    for chunk in api.chat.completions.create(stream=True, **forced):
        for part in chunk.choices[0].delta.tool_calls or []:
            call = parts.setdefault(part.index, {"ids": [], "names": [], "arguments": ""})
            call["ids"] += [part.id] * bool(part.id)
            call["names"] += [part.function.name] * bool(part.function.name)
            call["arguments"] += part.function.arguments or ""
        ends += [chunk.choices[0].finish_reason] * bool(chunk.choices[0].finish_reason)
    assert sorted(parts) == list(range(len(whole))) and ends == ["tool_calls"]
    for index, call in enumerate(whole):
        assert len(parts[index]["ids"]) == 1 and parts[index]["names"] == [call.function.name]
        assert json.loads(parts[index]["arguments"]) == json.loads(call.function.arguments)
    with api.chat.completions.stream(**forced) as stream:
        final = stream.get_final_completion().choices[0].message.tool_calls
    assert [call.function.parsed_arguments for call in final] == [json.loads(call.function.arguments) for call in whole]


@CHECKS
def answers_are_parsed(served):
    api = client(served.url)
    asked = {"model": "triage", "messages": [{"role": "user", "content": "I was charged twice for one order."}], "temperature": 0, "max_tokens": 60}
    parsed = api.chat.completions.parse(response_format=Ticket, **asked).choices[0].message.parsed
    assert isinstance(parsed, Ticket)
    with api.chat.completions.stream(response_format=Ticket, **asked) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == parsed
    text = api.chat.completions.create(response_format={"type": "json_object"}, **{**asked, "max_tokens": 200})
    assert text.choices[0].finish_reason == "length" or isinstance(json.loads(text.choices[0].message.content), dict)
    tool = openai.pydantic_function_tool(Ticket, name="file")
    call = api.chat.completions.parse(tools=[tool], tool_choice="required", **asked).choices[0].message.tool_calls[0]
    assert isinstance(call.function.parsed_arguments, Ticket)
    assert Ticket.model_validate_json(asyncio.run(parse_later(served, asked)).choices[0].message.content) == parsed


async def parse_later(served, asked):
    async with later(served.url) as api:
        return await api.chat.completions.parse(response_format=Ticket, **asked)


@CHECKS
def texts_keep_to_forms(served):
    api = client(served.url)
    for form, allowed in (({"choice": ["tea", "coffee"]}, ("tea", "coffee")), ({"regex": "[0-9]{3}"}, None)):
        text = api.chat.completions.create(model=served.model, extra_body={"structured_outputs": form}, **GREEDY).choices[0].message.content
        assert text in allowed if allowed else text.isdigit() and len(text) == 3, text


@CHECKS
def roles_and_parts_are_read(served):
    api = client(served.url)
    parts = [{"role": "developer", "content": "Answer shortly."}, {"role": "user", "content": [
        {"type": "text", "text": "What is"}, {"type": "text", "text": "a kite?"}]}]
    joined = [{"role": "system", "content": "Answer shortly."}, {"role": "user", "content": "What is\na kite?"}]
    texts = [api.chat.completions.create(model=served.model, messages=messages, temperature=0, max_tokens=12).choices[0].message.content
             for messages in (parts, joined)]
    assert texts[0] == texts[1], texts
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}]
    refused(openai.BadRequestError, lambda: api.chat.completions.create(model=served.model, messages=image))


@CHECKS
def errors_are_of_their_kinds(served):
    api = client(served.url)
    refused(openai.NotFoundError, lambda: api.chat.completions.create(model="nobody", messages=PROMPT), code="model_not_found")
    for fields in ({"n": 0}, {"n": 1_000_000}, {"top_p": 2}, {"temperature": -1}, {"max_completion_tokens": 0}, {"top_logprobs": 3}):
        refused(openai.BadRequestError, lambda fields=fields: api.chat.completions.create(model=served.model, messages=PROMPT, **fields))
    refused(openai.NotFoundError, lambda: api.embeddings.create(model=served.model, input="a"))
    long = [{"role": "user", "content": "kite " * 20_000}]
    for stream in (False, True):
        refused(openai.BadRequestError, lambda stream=stream: api.chat.completions.create(model=served.model, messages=long, stream=stream),
                code="context_length_exceeded")


@CHECKS
def texts_are_continued(served):
    api = client(served.url)
    body = {"model": served.model, "temperature": 0, "max_tokens": 8}
    one = api.completions.create(prompt="The capital of France", **body).choices[0].text
    several = api.completions.create(prompt=["The capital of France", "Once upon a time"], n=1, **body)
    assert [choice.index for choice in several.choices] == [0, 1] and several.choices[0].text == one
    assert api.completions.create(prompt="The capital of France", echo=True, **body).choices[0].text == "The capital of France" + one
    streamed = api.completions.create(prompt="The capital of France", stream=True, **body)
    assert "".join(chunk.choices[0].text for chunk in streamed) == one
    tokens = served.json("POST", "/tokenize", {"content": "The capital of France", "add_special": False})["tokens"]
    assert api.completions.create(prompt=tokens, **body).choices[0].text == one
    logs = api.completions.create(prompt="The capital of France", logprobs=2, **body).choices[0].logprobs
    assert len(logs.tokens) == len(logs.token_logprobs) == len(logs.text_offset) and "".join(logs.tokens).startswith(one)
    refused(openai.BadRequestError, lambda: api.completions.create(prompt=[-1], **body))


@CHECKS
def responses_are_given(served):
    api = client(served.url)
    body = {"model": served.model, "input": PROMPT[0]["content"], "temperature": 0, "max_output_tokens": 24}
    whole = api.responses.create(**body)
    chat = client(served.url).chat.completions.create(model=served.model, **GREEDY)
    assert whole.output_text == chat.choices[0].message.content and whole.usage.input_tokens == chat.usage.prompt_tokens
    events = list(api.responses.create(stream=True, **body))
    assert [event.sequence_number for event in events] == list(range(len(events))) and events[0].type == "response.created"
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text
    with api.responses.stream(**body) as stream:
        types = [event.type for event in stream]
    assert types[-1] in ("response.completed", "response.incomplete")
    short = api.responses.create(**{**body, "max_output_tokens": 1})
    assert short.status == "incomplete" and short.incomplete_details.reason == "max_output_tokens"
    refused(openai.BadRequestError, lambda: api.responses.create(previous_response_id="resp_a", **body))


@CHECKS
def responses_are_parsed_and_call(served):
    api = client(served.url)
    asked = {"model": "triage", "input": "I was charged twice for one order.", "temperature": 0, "max_output_tokens": 60}
    parsed = api.responses.parse(text_format=Ticket, **asked).output_parsed
    assert isinstance(parsed, Ticket)
    with api.responses.stream(text_format=Ticket, **asked) as stream:
        assert stream.get_final_response().output_parsed == parsed
    tool = {"type": "function", **WEATHER["function"]}
    body = {"model": served.model, "tools": [tool], "tool_choice": "required", "temperature": 0, "max_output_tokens": 100}
    call = next(item for item in api.responses.create(input=ASKED, **body).output if item.type == "function_call")
    assert call.name == "get_weather" and json.loads(call.arguments)["location"] is not None
    with api.responses.stream(input=ASKED, **body) as stream:
        final = stream.get_final_response()
    assert [item.arguments for item in final.output if item.type == "function_call"][0] == call.arguments
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain"}
    after = api.responses.create(input=[*ASKED, call, result], **{**body, "tool_choice": "none", "max_output_tokens": 16})
    assert after.output_text

    async def ask():
        async with later(served.url) as later_api:
            return [event.type async for event in await later_api.responses.create(input=ASKED, stream=True, **body)]
    assert asyncio.run(ask())[-1] == "response.completed"


@CHECKS
def who_goes_away_frees_a_place(served):
    stream = client(served.url).chat.completions.create(model=served.model, messages=PROMPT, stream=True, max_tokens=4000, extra_body={"ignore_eos": False})
    next(iter(stream))
    stream.close()
    assert served.rest(10) == (0, 0)
    raw = client(served.url).chat.completions.with_raw_response.create(model=served.model, extra_headers={"X-Request-Id": "check-1"}, **GREEDY)
    assert raw.headers["x-request-id"] == "check-1"
