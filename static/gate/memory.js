// @ts-check
/** What stays in this browser: keys for some days, when asked to; the lock that all tabs hear. Storage may be off. */

const isOnDisk = location.protocol === "file:";

/** @typedef {{key: CryptoKey, kind: string, until: number}} Kept */

/**
 * @template T
 * @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} act @returns {Promise<T | undefined>}
 */
async function inStore(mode, act) {
  try {
    const opening = indexedDB.open("sitegen", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    const base = await Promise.race([settled(opening), new Promise((_, reject) => setTimeout(reject, 2000))]);
    return await settled(act(base.transaction("keys", mode).objectStore("keys"))).finally(() => base.close());
  } catch {
    return undefined;
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
}

/**
 * Pages of one group have one salt. What opens one of them most often opens all, but a link may be for its page alone.
 * @param {Core} core @param {string} kind
 */
function placesOf(core, kind) {
  const place = `${core.kdf?.salt}/${kind}`;
  return [`${place}/${core.slug}`, place];
}

/** @param {Core} core @param {CryptoKey} key @param {string} kind @param {number} days @returns {Promise<boolean>} */
async function keepKey(core, key, kind, days) {
  const kept = { key, kind, until: Date.now() + days * 864e5 };
  const [own, group] = placesOf(core, kind);
  await inStore("readwrite", (store) => store.put(kept, group));
  return !!(await inStore("readwrite", (store) => store.put(kept, own)));
}

/** What may open the page, the likeliest first. @param {Core} core @returns {Promise<Kept[]>} */
async function keptKeys(core) {
  const found = [];
  for (const place of isOnDisk ? [] : ["pw", "lnk"].flatMap((kind) => placesOf(core, kind))) {
    /** @type {Kept | undefined} */
    const kept = await inStore("readonly", (store) => store.get(place));
    if (kept && kept.until > Date.now()) found.push(kept);
    else if (kept) await inStore("readwrite", (store) => store.delete(place));
  }
  return found;
}

const others = "BroadcastChannel" in globalThis ? new BroadcastChannel("sitegen") : null;

function dropKeys() {
  return inStore("readwrite", (store) => store.clear());
}

async function forgetKeys() {
  await dropKeys();
  others?.postMessage("lock");
}
