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

/** The bytes of a route. */
export async function bytes(path) {
  return (await ask(path, { headers: fields() })).arrayBuffer();
}

export async function post(path, body, signal) {
  const answer = await ask(path, {
    method: "POST", headers: fields({ "Content-Type": "application/json" }), body: JSON.stringify(body), signal,
  });
  return answer.headers.get("Content-Type")?.startsWith("application/json") ? answer.json() : answer.text();
}

const pieceSize = 8 << 20;
/** Bytes that a browser sends also while the page goes. */
export const kept = 60_000;

/** Puts a file into the folder of the studio, piece by piece. */
export async function put(name, file, { signal, progress = () => {} } = {}) {
  const path = `studio/files/${encodeURIComponent(name)}`;
  let offset = 0;
  do {
    const piece = file.slice(offset, offset + pieceSize);
    await ask(path, {
      method: "PUT", signal, body: piece, keepalive: piece.size <= kept,
      headers: fields({ "Content-Type": "application/octet-stream", "Upload-Offset": String(offset) }),
    });
    offset += piece.size;
    progress(offset, file.size);
  } while (offset < file.size);
}

export async function remove(path) { await ask(path, { method: "DELETE", headers: fields() }); }

export function removeFile(name) { return remove(`studio/files/${encodeURIComponent(name)}`); }

export async function files() { return (await get("studio/files")).files; }

export async function textOf(name) {
  return new TextDecoder().decode(await bytes(`studio/files/${encodeURIComponent(name)}`));
}

/** A job with its lines from `from` on, as soon as there is something new. */
export async function lines(id, from, signal) {
  return (await ask(`studio/jobs/${id}`, { headers: fields({ "Lines-From": String(from) }), signal })).json();
}

const [near, far] = (({ port1, port2 }) => [port1, port2])(new MessageChannel());
const waiting = [];
near.onmessage = () => waiting.shift()();

/** Lets the page do what else there is. A timer would be held where nobody sees the page. */
export function breathe() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    far.postMessage(null);
  });
}

/** Of a stream that comes fast, what is read at once: milliseconds, and bytes. */
const [breath, bytesAtOnce] = [12, 1 << 15];
/** Of one that comes token by token, how long some are left to come, in milliseconds: each reading takes time from those who write. */
const patience = 250;

/** The chunks of a chat that is streamed. */
export async function* chat(body, signal) {
  const answer = await ask("v1/chat/completions", {
    method: "POST", headers: fields({ "Content-Type": "application/json" }), signal,
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  });
  const [reader, decoder] = [answer.body.getReader(), new TextDecoder()];
  let [rest, since] = ["", performance.now()];
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) throw new Refused(0, "The answer was cut off: the server has ended.");
      for (let at = 0; at < value.length; at += bytesAtOnce) {
        const lines = (rest + decoder.decode(value.subarray(at, at + bytesAtOnce), { stream: true })).split("\n");
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
      if (value.length < bytesAtOnce && !document.hidden) await new Promise((resolve) => { setTimeout(resolve, patience); });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** What a command of the program has printed, once it has ended. */
export async function run(words, signal) {
  const ended = await post("studio/run", { words }, signal);
  return { code: ended.code, output: ended.output, errors: ended.errors };
}

/** What a command prints as JSON; throws what it says where it has failed without a result. */
export async function report(words, signal) {
  const { code, output, errors } = await run([...words, "--json"], signal);
  if (output.trim()) {
    try { return JSON.parse(output); } catch { /* Several objects, or none. */ }
    return output.trim().split("\n").map((line) => JSON.parse(line));
  }
  throw new Refused(code, told(errors) || `The command has ended with exit code ${code}.`);
}

/** Errors of a command as sentences. */
export function told(text) {
  return text.trim().split("\n").map((line) => {
    try {
      const { error, warning } = JSON.parse(line);
      const said = error ?? warning;
      return said.message + (said.remedy ? `; ${said.remedy}` : "");
    } catch { return line.replace(/^fmadapter: (error: )?/, ""); }
  }).filter(Boolean).join("\n");
}
