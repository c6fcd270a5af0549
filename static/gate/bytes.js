// @ts-check
/** Bytes as envelope v1 writes them: base64url, lengths, texts as UTF-8. What can't be read is thrown. */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** A reason to show the reader: the name of a message. */
class Refusal extends Error {}

/** @param {string} reason @returns {never} */
function refuse(reason = "damaged") {
  throw new Refusal(reason);
}

/** @param {(Bytes | string)[]} parts @returns {Bytes} */
function joined(...parts) {
  const chunks = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** `data` behind its length. @param {Bytes | string} data */
function lp(data) {
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, joined(data).length);
  return joined(new Uint8Array(size.buffer), data);
}

/** For few bytes. @param {Bytes} data */
function b64u(data) {
  return btoa(String.fromCharCode(...data)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** Takes one spelling only, so that no bit of a page can change unnoticed. @param {string} text @returns {Bytes} */
function unb64u(text) {
  if (/[^\w-]/.test(text)) refuse();
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const data = new Uint8Array(binary.length);
  for (let at = 0; at < data.length; at += 1) data[at] = binary.charCodeAt(at);
  const rest = data.length % 3;
  if (rest && b64u(data.slice(-rest)) !== text.slice(-rest - 1)) refuse();
  return data;
}

/** @param {Bytes} data */
function utf8(data) {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
}
