// @ts-check
/** The key schedule of envelope v1. Keys that last can't be taken out of the browser's hands. */

/** Missing where a page came over plain http. */
const subtle = globalThis.crypto?.subtle;

/** @param {...(Bytes | string)} parts */
async function sha256(...parts) {
  return new Uint8Array(await subtle.digest("SHA-256", joined(...parts)));
}

/** H: binds every key and every ciphertext to the bytes of the core. @param {Bytes} core */
function envelopeHash(core) {
  return sha256("sitegen/envelope/v1\0", core);
}

/** A key to derive others from. @param {Bytes} secret */
function rootKey(secret) {
  return subtle.importKey("raw", secret, "HKDF", false, ["deriveBits", "deriveKey"]);
}

/** @param {Bytes | null} salt @param {...(Bytes | string)} info */
function hkdf(salt, ...info) {
  return { name: "HKDF", hash: "SHA-256", salt: salt ?? new Uint8Array(32), info: joined(...info) };
}

/** @param {CryptoKey} root @param {HkdfParams} how */
async function derivedBits(root, how) {
  return new Uint8Array(await subtle.deriveBits(how, root, 256));
}

/** @param {CryptoKey} root @param {HkdfParams} how */
function derivedKey(root, how) {
  return subtle.deriveKey(how, root, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
}

/** @param {CryptoKey} key @param {Bytes} iv @param {Bytes} data @param {Bytes} additionalData @returns {Promise<Bytes>} */
async function decrypted(key, iv, data, additionalData) {
  return new Uint8Array(await subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, data));
}

/** The slow step, off the main thread. @param {Bytes} secret @param {{i: number, salt: string}} kdf */
async function slowRoot(secret, kdf) {
  const key = await subtle.importKey("raw", secret, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt: unb64u(kdf.salt), iterations: kdf.i };
  return new Uint8Array(await subtle.deriveBits(how, key, 256));
}

/** @param {string} password */
function passwordSecret(password) {
  return joined(password.normalize("NFC"));
}

/** @param {string} address @param {string} code */
function mailSecret(address, code) {
  return joined(lp(address.trim().toLowerCase().normalize("NFC")), lp(normalCode(code)));
}

/** A code as people type it. Hyphens come in many kinds. @param {string} code */
function normalCode(code) {
  return code.toUpperCase().replace(/[\s\p{Pd}]/gu, "").replace(/O/g, "0").replace(/[IL]/g, "1");
}

/**
 * What the slots of that kind hold, or null when the root opens none of them.
 * @param {CryptoKey} root @param {Bytes} hash @param {Slot[]} slots @param {string} kind
 */
async function unwrapped(root, hash, slots, kind) {
  const kek = await derivedKey(root, hkdf(hash, "sitegen/kek/v1/", kind));
  for (const { t, ct } of slots) {
    if (t !== kind) continue;
    const secret = await decrypted(kek, new Uint8Array(12), unb64u(ct), joined(hash, kind)).catch(() => null);
    if (secret) return secret;
  }
  return null;
}

/** CMK. @param {string[]} need @param {Record<string, Bytes>} parts */
async function masterBits(need, parts) {
  const material = need.flatMap((name) => [lp(name), lp(parts[name] ?? refuse())]);
  return derivedBits(await rootKey(joined(...material)), hkdf(null, "sitegen/cmk/v1"));
}

/** @param {CryptoKey} master @param {Bytes} id */
function commitment(master, id) {
  return derivedBits(master, hkdf(null, "sitegen/commit/v1", id));
}

/** @param {CryptoKey} master @param {Bytes} hash */
function bodyKey(master, hash) {
  return derivedKey(master, hkdf(hash, "sitegen/body/v1"));
}

/** @param {CryptoKey} master @param {Bytes} hash @param {string} id */
function fileKey(master, hash, id) {
  return derivedKey(master, hkdf(hash, "sitegen/att/v1/", id));
}
