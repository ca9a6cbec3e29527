// The routes of the server, and nothing else.

const held = "studio.token";

/** Takes the token out of the address, where it was printed, into the session of this tab. */
export function takeToken() {
  const found = /(?:^#|[?&#])token=([^&]*)/.exec(location.hash) ?? /[?&]token=([^&]*)/.exec(location.search);
  if (!found) return;
  setToken(decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname);
}

export function setToken(text) { sessionStorage.setItem(held, text); }

function fields(more) {
  const token = sessionStorage.getItem(held);
  return { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more };
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  let message = `The server answers with status ${answer.status}.`;
  try { message = (await answer.json()).error.message ?? message; } catch { /* It has said no more. */ }
  throw new Refused(answer.status, message);
}

async function ask(path, options) {
  let answer;
  try { answer = await fetch(path, options); } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  return checked(answer);
}

/** What a route has, as JSON. */
export async function get(path, signal) {
  return (await ask(path, { headers: fields(), signal })).json();
}

export async function post(path, body, signal) {
  return (await ask(path, {
    method: "POST", headers: fields({ "Content-Type": "application/json" }), body: JSON.stringify(body), signal,
  })).json();
}

/** Lets the page do what else there is. */
export function breathe() { return new Promise((resolve) => { setTimeout(resolve); }); }

/** Of a stream that comes fast, how long is read at once, in milliseconds. */
const breath = 12;

/** The chunks of a chat that is streamed. */
export async function* chat(body, signal) {
  const answer = await ask("v1/chat/completions", {
    method: "POST", headers: fields({ "Content-Type": "application/json" }), signal,
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, since] = ["", performance.now()];
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) throw new Refused(0, "The answer was cut off: the server has ended.");
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue;
        if (line === "data: [DONE]") return;
        const chunk = JSON.parse(line.slice(6));
        if (chunk.error) throw new Refused(0, chunk.error.message);
        yield chunk;
        if (performance.now() - since > breath) {
          await breathe();
          since = performance.now();
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
