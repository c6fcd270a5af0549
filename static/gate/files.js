// @ts-check
/** Attachments of the open page: images as they come into sight, downloads when asked for, further pages and data. */

/** Types that may be shown; all else is handed over as a file. An image that could act as a page is shown in place only. */
const shownTypes = /^(image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)|(audio|video)\/(mpeg|mp4|ogg|wav|webm))$/;

/** @type {Map<string, Promise<string>>} */
const blobUrls = new Map();

/** @param {string} name @param {string} [inline] @returns {Promise<Response>} */
async function fetched(name, inline) {
  if (inline !== undefined) return new Response(unb64u(inline));
  const response = await fetch(name).catch(() => refuse("offline"));
  return response.ok ? response : refuse();
}

/** @param {string} id @returns {Promise<AsyncIterable<Bytes>>} */
async function openedFile(id) {
  const page = opened ?? refuse();
  if (!/^[\w-]+$/.test(id)) refuse();
  // A file keeps its name when its bytes change; the envelope's id keeps an older copy of it out.
  const response = await fetched(`a.${id}.bin?${page.envelope.core.id}`, one(`#data-${id}`)?.textContent ?? undefined);
  const blob = await response.blob().catch(() => refuse("offline"));
  const length = blob.size - tagSize * Math.max(1, Math.ceil(blob.size / (chunkSize + tagSize)));
  const key = await fileKey(page.master, page.hash, id);
  return carried(openedChunks(blob.stream(), length, key, page.hash), length);
}

/** The text of a page or of data, which is kept packed. @param {string} id */
async function* openedText(id) {
  yield* decodedTexts(gunzipped(await openedFile(id), 2 ** 20));
}

/** @param {string} id @param {string} type */
function blobUrl(id, type) {
  let url = blobUrls.get(id + type);
  if (!url) {
    url = collected(openedFile(id)).then((parts) => URL.createObjectURL(new Blob(parts, { type })));
    url.catch(() => blobUrls.delete(id + type));
    blobUrls.set(id + type, url);
  }
  return url;
}

/** @template T @param {AsyncIterable<T> | Promise<AsyncIterable<T>>} source @returns {Promise<T[]>} */
async function collected(source) {
  const found = [];
  for await (const each of await source) found.push(each);
  return found;
}

/** @param {HTMLElement} element */
async function showMedia(element) {
  inSight.unobserve(element);
  const { att = "", type = "" } = element.dataset;
  try {
    const url = await blobUrl(att, shownTypes.test(type) ? type : "");
    if (element.isConnected) element.setAttribute("src", url);
  } catch {
    element.title = word("file_failed");
  }
}

const inSight = new IntersectionObserver(
  (entries) => entries.forEach((entry) => entry.isIntersecting && void showMedia(/** @type {HTMLElement} */ (entry.target))),
  { rootMargin: "1200px" },
);

const media = ":is(img, audio, video)[data-att]:not([src])";

/** @param {MutationRecord[]} changes */
function watchMedia(changes) {
  const added = new Set(changes.flatMap((change) => [...change.addedNodes]));
  for (const node of added) if (node instanceof Element) for (const each of all(media, node)) inSight.observe(each);
}

/** Pictures out of sight belong on paper too. @param {KeyboardEvent} event */
function printAll(event) {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "p" || !one(media)) return;
  event.preventDefault();
  void Promise.all(all(media).map(showMedia)).then(() => print());
}

/** @param {HTMLElement} link */
async function openFile(link) {
  const { att = "", type = "", name } = link.dataset;
  const isShown = !name && shownTypes.test(type) && !type.includes("svg");
  try {
    const url = await blobUrl(att, isShown ? type : "application/octet-stream");
    follow(url, isShown ? null : (name ?? "file"));
  } catch (error) {
    note(error instanceof Refusal && error.message === "offline" ? "offline" : "file_failed");
  }
}

/** @param {string} url @param {string | null} name to save it under; null to look at it */
function follow(url, name) {
  const link = make("a", "");
  link.href = url;
  link.target = "_blank";
  link.rel = "noopener";
  if (name !== null) link.download = name.replace(/[\\/:*?"<>|\p{Cc}\p{Cf}]/gu, "_").replace(/^\.+/, "_");
  link.click();
}

/** What the reading scripts load later: pages by their link, data by its name. @param {CustomEvent} event */
function answerLate(event) {
  const url = new URL(event.detail.url);
  const name = url.pathname.split("/").pop() ?? "";
  const id = wantedPage(url.hash)[0] ?? JSON.parse(pageData().files ?? "{}")[name];
  event.detail.text = id ? lateText(id) : Promise.reject(new Refusal("damaged"));
}

/** A page as a reader of the open site would get it. @param {string} id */
async function lateText(id) {
  const text = (await collected(pageTexts(id))).join("");
  const [, frame, ...groups] = text.split(cut);
  if (frame === undefined) return text;
  const [before, after = ""] = frame.split("<!--end-->");
  const next = /<a rel="next"[^>]*>/.exec(after)?.[0].replace("<a", "<link") ?? "";
  return `${next}</head>${before}${groups.join("")}<!--end-->${after}`;
}

/** The page or file that a fragment names, and the anchor there. */
function wantedPage(hash = location.hash) {
  return /^#att-([\w-]+)\/?(.*)/.exec(hash)?.slice(1) ?? [];
}
