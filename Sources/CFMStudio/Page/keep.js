// What this browser keeps of answers, so that a reload finds them again.

const name = "studio";
let opened;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
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
    await result(place.put(value, key));
    const keys = await result(place.getAllKeys());
    if (keys.length > 200) await Promise.all(keys.slice(0, keys.length - 200).map((old) => result(place.delete(old))));
  } catch { /* As above. */ }
}

export async function recall(key) {
  try { return await result((await store("readonly")).get(key)); } catch { return undefined; }
}

/** A short name of a value: the first 128 bits of its SHA-256, or, where the browser has none, its text. */
export async function digest(value) {
  const text = JSON.stringify(value);
  if (!crypto.subtle) return text;
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
