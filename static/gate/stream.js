// @ts-check
/** Bodies and attachments, opened chunk by chunk: nothing is passed on that wasn't proved to be as it was written. */

const chunkSize = 65536;
const tagSize = 16;

/**
 * The inner bytes of `length`, as their chunks arrive. The length tells which chunk is the last.
 * @param {ReadableStream<Bytes>} stream @param {number} length @param {CryptoKey} key @param {Bytes} hash
 * @returns {AsyncGenerator<Bytes, void>}
 */
async function* openedChunks(stream, length, key, hash) {
  const reader = stream.getReader();
  const count = Math.max(1, Math.ceil(length / chunkSize));
  let number = 0;
  let filled = 0;
  const room = () => new Uint8Array(Math.max(0, Math.min(length - number * chunkSize, chunkSize)) + tagSize);
  let block = room();
  for (;;) {
    const { done, value } = await reader.read().catch(() => refuse("offline"));
    if (done) break;
    for (let at = 0; at < value.length;) {
      if (number === count) refuse();
      const part = value.subarray(at, at + block.length - filled);
      block.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < block.length) continue;
      yield await decrypted(key, nonce(number, number === count - 1), block, hash);
      number += 1;
      filled = 0;
      block = room();
    }
  }
  if (number < count) refuse();
}

/** @param {number} number @param {boolean} isLast */
function nonce(number, isLast) {
  const view = new DataView(new ArrayBuffer(12));
  view.setUint32(7, number);
  view.setUint8(11, Number(isLast));
  return new Uint8Array(view.buffer);
}

/**
 * What the inner bytes carry, without the length before it and the zeros after it.
 * @param {AsyncIterable<Bytes>} chunks @param {number} length @returns {AsyncGenerator<Bytes, void>}
 */
async function* carried(chunks, length) {
  let left = -1;
  for await (const chunk of chunks) {
    let at = 0;
    if (left < 0) {
      left = Number(new DataView(chunk.buffer).getBigUint64(0));
      at = 8;
      if (left > length - at) refuse();
    }
    const end = Math.min(chunk.length, at + left);
    if (chunk.subarray(end).some(Boolean)) refuse();
    left -= end - at;
    if (end > at) yield chunk.subarray(at, end);
  }
}

/**
 * Unpacks, but not more than a page can honestly be: a small file may hold gigabytes.
 * @param {AsyncIterable<Bytes>} chunks @param {number} length @returns {AsyncGenerator<Bytes, void>}
 */
async function* gunzipped(chunks, length) {
  const limit = Math.min(2 ** 24 + 64 * length, 2 ** 29);
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const feed = async () => {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  };
  feed().catch((error) => writer.abort(error).catch(() => {}));
  const reader = readable.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.length;
    if (size > limit) {
      void reader.cancel();
      refuse();
    }
    yield value;
  }
}

/** @param {AsyncIterable<Bytes>} chunks @returns {AsyncGenerator<string, void>} */
async function* decodedTexts(chunks) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Marks where a piece of a page ends; no text in a page can hold it. */
const cut = "<!--cut-->";

/** @param {AsyncIterable<string>} texts @returns {AsyncGenerator<string, void>} */
async function* cutPieces(texts) {
  let rest = "";
  for await (const text of texts) {
    const pieces = (rest + text).split(cut);
    rest = pieces.pop() ?? "";
    yield* pieces;
  }
  yield rest;
}
