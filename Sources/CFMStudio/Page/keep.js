// What this browser keeps of answers, so that a reload finds them again.

const most = 1000;
let opened;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("studio", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept", { keyPath: "key" }).createIndex("at", "at");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function store(mode) { return (await open()).transaction("kept", mode).objectStore("kept"); }

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A browser that keeps nothing, as in a private window, is no error: then a reload asks anew. */
export async function keep(key, value) {
  try {
    const place = await store("readwrite");
    await result(place.put({ key, at: Date.now(), value }));
    let left = await result(place.count()) - most;
    if (left <= 0) return;
    place.index("at").openKeyCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor || left <= 0) return;
      place.delete(cursor.primaryKey);
      left -= 1;
      cursor.continue();
    };
  } catch { /* As above. */ }
}

export async function recall(key) {
  try { return (await result((await store("readonly")).get(key)))?.value; } catch { return undefined; }
}

/** A short name of a value: the first 128 bits of its SHA-256, or, where the browser has none, its text. */
export async function digest(value) {
  const text = JSON.stringify(value);
  if (!crypto.subtle) return text;
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
