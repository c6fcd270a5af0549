// @ts-check
/** The conversation, once it's open: brings its pages in and takes every trace of them out again. */

/** @type {{master: CryptoKey, hash: Bytes, envelope: Envelope, isKept: boolean} | null} */
let opened = null;

/** Grows with each page that is brought in, so that one that is still coming knows when it's no longer wanted. */
let turn = 0;

/** The page in the view: an attachment, or "body". */
let shown = "";

const ownTitle = document.title;

/** What the shell surely holds. @param {string} id */
function the(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

function view() {
  return the("view");
}

/** What the reader fills in. */
function fields() {
  return /** @type {HTMLInputElement[]} */ (all(".asked"));
}

function pageData() {
  return document.body.dataset;
}

/** @param {string} id @returns {AsyncGenerator<string, void>} */
async function* pageTexts(id) {
  if (id !== "body") return yield* openedText(id);
  const { master, hash, envelope } = opened ?? refuse();
  const { core, body } = envelope;
  const { body: stream } = await fetched(body.src ?? "", body.data);
  const chunks = openedChunks(stream ?? refuse(), core.plen, await bodyKey(master, hash), hash);
  const packed = carried(chunks, core.plen);
  yield* decodedTexts(core.comp === "gzip" ? gunzipped(packed, core.plen) : packed);
}

/** Shows the page piece by piece, from its first screen on. @param {string} id */
async function showPage(id) {
  turn += 1;
  const mine = turn;
  shown = id;
  clearView();
  root.classList.add("coming");
  let rested = 0;
  for await (const piece of cutPieces(pageTexts(id))) {
    if (mine !== turn) return;
    place(piece);
    if (document.hidden || performance.now() < rested + 50) continue;
    await new Promise((resolve) => setTimeout(resolve)); // lets the browser paint and the reader scroll
    rested = performance.now();
  }
  if (mine !== turn) return;
  root.classList.remove("coming");
  if (!one(".lock-now")) addSwitches(view());
  document.dispatchEvent(new CustomEvent("sitegen:content"));
}

/** @param {string} piece */
function place(piece) {
  const fragment = parse(piece);
  const head = one("#page", fragment);
  if (head) return takeOver(head);
  const isFirst = !the("gate").hidden;
  if (isFirst) countView();
  const switches = one(".switches", fragment);
  if (switches) addSwitches(switches);
  const conversation = fragment.firstElementChild?.matches(".group") ? one(".conversation", view()) : null;
  (conversation ?? view()).append(fragment);
  if (!isFirst) return;
  the("gate").hidden = true;
  emptyFields();
  startView();
  one("#main", view())?.focus({ preventScroll: true });
  announce(word("opened"));
  if (took === "logged") note(took);
}

function countView() {
  const { core } = (opened ?? refuse()).envelope;
  remember(`views.${core.slug}`, String(viewsOf(core) + 1));
  if (usedMark) remember(usedMark, "1");
}

/** The page's own title, kind and data become those of the document. @param {HTMLElement} head */
function takeOver(head) {
  document.title = head.title;
  document.body.className = head.className;
  Object.assign(pageData(), { ...head.dataset });
}

/** @param {HTMLElement} switches */
function addSwitches(switches) {
  const { envelope, isKept } = opened ?? refuse();
  const { core } = envelope;
  const days = Number(gateData().days);
  const lockNow = makeButton(word("lock"), () => void lock());
  lockNow.classList.add("lock-now");
  switches.prepend(lockNow);
  if (core.need.includes("agr")) switches.prepend(makeButton(word("receipt"), saveReceipt));
  if (lastRoot && days && !isKept && !isOnDisk) {
    switches.prepend(makeButton(word("keep"), (button) => void keepLater().then(() => button.remove())));
  }
  if (core.limit !== null) switches.prepend(make("span", "views", word("views", { n: viewsOf(core), limit: core.limit })));
}

async function keepLater() {
  const page = opened;
  const before = locks;
  if (!page || !lastRoot) return;
  page.isKept = await keepKey(page.envelope.core, lastRoot.key, lastRoot.kind, Number(gateData().days));
  if (before !== locks) await dropKeys();
  else if (!page.isKept) note("not_kept");
}

/** Empties the view and all that was kept of what it showed. */
function clearView() {
  inSight.disconnect();
  view().replaceChildren();
  for (const each of all("body > :not(#gate, #note, #view, script)")) each.remove();
  for (const name of Object.keys(pageData())) delete pageData()[name];
  document.body.className = "gated";
  document.title = ownTitle;
  loaded.clear();
  flowedIn.clear();
  matches = [];
  marked = "";
  if ("highlights" in CSS) CSS.highlights.clear();
  for (const url of blobUrls.values()) url.then((made) => URL.revokeObjectURL(made), () => {});
  blobUrls.clear();
}

function emptyFields() {
  for (const field of fields()) field.value = "";
}

function wipe() {
  turn += 1;
  opened = lastRoot = null;
  shown = "";
  clearView();
  emptyFields();
  root.classList.remove("coming");
  note("");
  the("gate").hidden = false;
}

/** Says something above the open page. @param {string} name */
function note(name) {
  the("note").textContent = name && word(name);
}

/** Brings in the page and the place that are asked for. @param {string} id @param {string} [anchor] */
async function turnTo(id, anchor) {
  if (!opened) return;
  try {
    if (id !== shown) await showPage(id);
    goTo(anchor);
  } catch (error) {
    fail(error);
  }
}

/** @param {string} [anchor] */
function goTo(anchor) {
  if (!anchor) return;
  putInBar(`#${anchor}`);
  void followBar();
}

/** An anchor that isn't here stands on another page of the share. @param {CustomEvent} event */
function answerPage(event) {
  event.preventDefault();
  if (event.detail.att !== shown) void turnTo(event.detail.att, anchorOfBar());
}
