// @ts-check
/** Reads an envelope, and refuses what version 1 doesn't allow before any work is done for it. */

/** @typedef {{t: string, ct: string}} Slot */
/**
 * @typedef {object} Core
 * @property {number} v @property {string} slug @property {string} id @property {number | null} exp
 * @property {string[]} need @property {{alg: string, i: number, salt: string} | null} kdf
 * @property {string} enc @property {number} chunk @property {string} comp @property {number} plen
 * @property {string | null} terms @property {number | null} limit @property {string} commit
 */
/**
 * @typedef {object} Envelope
 * @property {Core} core @property {Bytes} hash @property {Slot[]} slots
 * @property {{src?: string, data?: string}} body @property {string | null} terms
 */

const maxCore = 65536;
const maxSlots = 4096;

/** JSON in which no object has a key twice, or one that means something to the language. @param {string} text */
function readJson(text) {
  const value = JSON.parse(text);
  /** @type {(Set<string> | null)[]} */
  const open = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(null);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfString(text, at);
      const keys = open[open.length - 1];
      if (keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end));
        if (keys.has(key) || key === "__proto__") refuse();
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return value;
}

/** @param {string} text @param {number} at */
function endOfString(text, at) {
  for (;;) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text[at - slashes - 1] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** @param {string} text @param {number} at */
function isKey(text, at) {
  while (/\s/.test(text[at] ?? "")) at += 1;
  return text[at] === ":";
}

/**
 * `segment` is the folder the page stands in, null when nobody knows.
 * @param {string} text @param {string | null} segment @returns {Promise<Envelope>}
 */
async function readEnvelope(text, segment) {
  const { core: packed, slots, body, terms } = readJson(text);
  if (packed.length > maxCore || slots.length > maxSlots) refuse();
  const bytes = unb64u(packed);
  const source = utf8(bytes);
  const core = readJson(source);
  if (core.v !== 1) refuse("newer");
  const isSound =
    isSoundCore(core, source) &&
    (segment === null || core.slug === segment) &&
    slots.every((/** @type {Slot} */ { t, ct }) => /^(pw|lnk)$/.test(t) && unb64u(ct).length === 48) &&
    (core.terms === null ? terms === null : core.terms === b64u(await sha256(lp(terms).slice(4)))) &&
    (typeof body.data === "string" || /^[\w-]+\.[\w.-]+$/.test(body.src));
  return isSound ? { core, hash: await envelopeHash(bytes), slots, body, terms } : refuse();
}

/** @param {Core} core @param {string} source @returns {boolean} */
function isSoundCore(core, source) {
  const { need, kdf } = core;
  const has = (/** @type {string} */ name) => need.includes(name);
  return (
    typeof core.slug === "string" &&
    unb64u(core.id).length >= 16 &&
    (core.exp === null || isCount(core.exp)) &&
    Array.isArray(need) &&
    need.length > 0 &&
    new Set(need).size === need.length &&
    need.every((name) => name === "agr" || name === "cred") &&
    has("agr") === (core.terms !== null) &&
    (has("cred") ? !!kdf && isSoundKdf(kdf, source) : kdf === null) &&
    core.enc === "A256GCM-STREAM" &&
    core.chunk === chunkSize &&
    (core.comp === "gzip" || core.comp === "none") &&
    isCount(core.plen) &&
    core.plen < 2 ** 40 &&
    (core.limit === null || isCount(core.limit)) &&
    unb64u(core.commit).length === 32
  );
}

/** Iterations are written as an integer, not as a number that equals one. @param {Core["kdf"] & {}} kdf @param {string} source */
function isSoundKdf(kdf, source) {
  const isInRange = isCount(kdf.i) && kdf.i >= 1e5 && kdf.i <= 1e7;
  return kdf.alg === "PBKDF2-SHA256" && isInRange && /"i"\s*:\s*\d+\s*[,}]/.test(source) && unb64u(kdf.salt).length >= 16;
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
