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

/** A password opens all pages of its group; what was made for one reader opens one page. @param {Core} core @param {string} kind */
function placeOf(core, kind) {
  const isShared = kind === "pw" && gateData().ask === "password";
  return `${core.kdf?.salt}/${isShared ? "" : `${core.slug}/${kind}`}`;
}

/** @param {Core} core @param {CryptoKey} key @param {string} kind @param {number} days @returns {Promise<boolean>} */
async function keepKey(core, key, kind, days) {
  const kept = { key, kind, until: Date.now() + days * 864e5 };
  return !isOnDisk && !!(await inStore("readwrite", (store) => store.put(kept, placeOf(core, kind))));
}

/** @param {Core} core @returns {Promise<Kept | null>} */
async function keptKey(core) {
  for (const kind of isOnDisk ? [] : ["pw", "lnk"]) {
    const place = placeOf(core, kind);
    /** @type {Kept | undefined} */
    const kept = await inStore("readonly", (store) => store.get(place));
    if (kept && kept.until > Date.now()) return kept;
    if (kept) await inStore("readwrite", (store) => store.delete(place));
  }
  return null;
}

const others = "BroadcastChannel" in globalThis ? new BroadcastChannel("sitegen") : null;

async function forgetKeys() {
  await inStore("readwrite", (store) => store.clear());
  others?.postMessage("lock");
}
