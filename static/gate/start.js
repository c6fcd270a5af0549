// @ts-check
/** The gate's order: may the page be open at all, the agreement, the credential, then the content. */

/** A root that a link or a form gave, until it's known what it opens. @type {{key: CryptoKey, kind: string} | null} */
let lastRoot = null;

/** @type {Bytes | null} */
let linkSecret = null;

/** When the reader agreed to these terms. */
let agreedAt = "";

/** @type {Record<string, string>} */
let words = {};

/** @type {Envelope | null} */
let envelope = null;

/** Under which name this browser knows a one-time code, which doesn't tell it. */
let usedMark = "";

/** How often the page was locked. */
let locks = 0;

let timer = 0;

function gateData() {
  return the("gate").dataset;
}

/** @param {string} name @param {Record<string, string | number>} [values] */
function word(name, values = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (_, place) => String(values[place] ?? ""));
}

/** Takes a link's key out of the address before anything else can see it; says what is to be said of it. */
function takeLink() {
  const hash = location.hash.replace(/%3d/i, "=");
  if (!/^#(k=|lock$)/.test(hash)) return "";
  putInBar(location.pathname + location.search);
  if (location.hash) location.hash = "";
  if (hash === "#lock") return "lock";
  try {
    const [, key = "", rest = ""] = /^#k=1\.([\w-]{43})(.*)/s.exec(hash) ?? refuse();
    linkSecret = unb64u(key);
    return rest.includes("logged") ? "logged" : "";
  } catch {
    return "credential";
  }
}

/** One panel at a time. @param {string} name */
function panel(name) {
  for (const each of all("#gate > .panel")) each.hidden = each.id !== name;
  (name === "ask" ? all(".field").pop() : the("busy"))?.after(the("said"));
  one(`#${name || "said"} :is(.asked, .terms)`)?.focus();
}

/** Says why the page isn't open. @param {string} name @param {...(Node | string)} more */
function tell(name, ...more) {
  the("said").replaceChildren(...(name ? [word(name), ...more] : []));
}

/** The end of the way: a message and no field. @param {string} name @param {...(Node | string)} more */
function stop(name, ...more) {
  wipe();
  panel("");
  tell(name, ...more);
}

/** @param {unknown} error */
function fail(error) {
  const reason = error instanceof Refusal ? error.message : "damaged";
  const again = makeButton(word("retry"), () => (reason === "offline" ? void proceed() : location.reload()));
  const secret = lastRoot;
  stop(reason, again);
  lastRoot = secret;
}

/** What keeps the script from working here. @returns {[string, ...Node[]] | null} */
function obstacle() {
  const link = make("a", "", location.href.replace(/^http:/, "https:").split("#")[0]);
  link.href = link.textContent + (linkSecret ? `#k=1.${b64u(linkSecret)}` : "");
  if (self !== top) {
    link.href = location.pathname;
    link.textContent = word("open_alone");
    link.target = "_blank";
    return ["framed", link];
  }
  if (!isSecureContext) return ["insecure", link];
  return subtle && "DecompressionStream" in globalThis ? null : ["too_old"];
}

async function startGate() {
  words = JSON.parse(the("words").textContent);
  root.classList.add("ready");
  const hindrance = obstacle();
  if (hindrance) return stop(...hindrance);
  try {
    envelope = await readEnvelope(the("envelope").textContent, isOnDisk ? null : ownSegment());
  } catch (error) {
    return fail(error);
  }
  listen();
  watchExpiry();
  if (took === "lock") return lock();
  await proceed();
  if (took) tell(took);
}

function ownSegment() {
  return decodeURIComponent(location.pathname.replace(/\/(index\.html)?$/, "").split("/").pop() ?? "");
}

/** Goes as far as it can without the reader. @param {boolean} [isLocked] */
async function proceed(isLocked = false) {
  const { core, terms } = envelope ?? refuse();
  tell("");
  if (isOver(core)) return;
  if (core.limit !== null && viewsOf(core) >= core.limit) return stop("limit");
  if (terms !== null) {
    agreedAt ||= recall(`agreed.${core.terms}`) ?? "";
    one(".terms")?.replaceChildren(parse(terms));
    if (!agreedAt || (isLocked && !core.kdf)) return panel("agreement");
  }
  if (!core.kdf) return void (await open());
  const root = linkSecret ? { key: await rootKey(linkSecret), kind: "lnk" } : lastRoot;
  linkSecret = null;
  for (const kept of root || isLocked ? [] : await keptKeys(core)) if (await open(kept, true)) return;
  if (root && (await open(root))) return;
  if (opened || the("said").hasChildNodes()) return;
  panel("ask");
  if (root) tell("credential");
}

/**
 * Opens the page with what a credential gave; false when that isn't the right one.
 * @param {{key: CryptoKey, kind: string} | null} [given] @returns {Promise<boolean>}
 */
async function open(given = null, isKept = false, isWanted = false) {
  const page = envelope ?? refuse();
  const { core, hash, slots, terms } = page;
  const mine = turn;
  try {
    const secret = given && (await unwrapped(given.key, hash, slots, given.kind));
    if (given && !secret) return false;
    const agreed = terms === null ? new Uint8Array() : await sha256(terms);
    const bits = await masterBits(core.need, { agr: agreed, cred: secret ?? new Uint8Array() });
    const master = await rootKey(bits);
    bits.fill(0);
    secret?.fill(0);
    const isProved = b64u(await commitment(master, unb64u(core.id))) === core.commit;
    if (!isProved) return given ? false : refuse();
    if (isOver(core) || mine !== turn) return true; // locked meanwhile
    lastRoot = given;
    opened = { master, hash, envelope: page, isKept };
    const keeping = isWanted ? keepLater() : null;
    panel("busy");
    const [id = "body", anchor] = wantedPage();
    await showPage(id).catch((error) => (id === "body" ? Promise.reject(error) : showPage("body")));
    goTo(anchor);
    await keeping;
    return true;
  } catch (error) {
    fail(error);
    return true;
  }
}

/** @param {Core} core */
function viewsOf(core) {
  return Number(recall(`views.${core.slug}`)) || 0;
}

/** @param {Core} core */
function isOver(core) {
  const isPast = core.exp !== null && Date.now() >= core.exp * 1000;
  if (isPast) stop("expired");
  return isPast;
}

/** Closes the page when its time has come; looks every minute, for a timer may sleep. */
function watchExpiry() {
  const exp = envelope?.core.exp;
  clearTimeout(timer);
  if (!envelope || exp == null || isOver(envelope.core)) return;
  timer = setTimeout(watchExpiry, Math.min(exp * 1000 - Date.now(), 6e4));
}

/** @param {boolean} [isTold] by another tab */
async function lock(isTold = false) {
  linkSecret = null;
  locks += 1;
  wipe();
  if (!isTold) await forgetKeys();
  await proceed(true);
}

function agree() {
  const { core } = envelope ?? refuse();
  agreedAt = new Date().toISOString();
  remember(`agreed.${core.terms}`, agreedAt);
  void proceed();
}

function saveReceipt() {
  const { core, terms } = envelope ?? refuse();
  const page = location.href.split("#")[0] ?? "";
  const text = [one(".site")?.textContent, page, core.slug, `SHA-256 ${core.terms}`, agreedAt, one(".terms")?.textContent, terms];
  const url = URL.createObjectURL(new Blob([word("receipt_head"), "\n\n", text.join("\n\n"), "\n"], { type: "text/plain" }));
  follow(url, `${word("receipt_name")}-${core.slug.slice(0, 40)}.txt`);
}

/** @returns {Bytes | null} */
function typedSecret() {
  const [first = "", second = ""] = fields().map((field) => field.value);
  switch (gateData().ask) {
    case "email":
      return first.trim() && normalCode(second) ? mailSecret(first, second) : null;
    case "otp":
      return normalCode(first) ? passwordSecret(normalCode(first)) : null;
    default:
      return first ? passwordSecret(first) : null;
  }
}

async function tryTyped() {
  const { core } = envelope ?? refuse();
  const [form, busy, field, secret] = [the("ask"), the("busy"), fields().pop(), typedSecret()];
  if (form.ariaBusy) return;
  if (!secret || !field) return tell("empty");
  tell("");
  form.ariaBusy = "true";
  busy.hidden = false;
  const mine = turn;
  const bits = secret.length > 4096 ? null : await slowRoot(secret, core.kdf ?? refuse());
  form.ariaBusy = null;
  busy.hidden = true;
  if (mine !== turn) return;
  const isKept = one("#keep:checked") !== null;
  const key = bits && (await rootKey(bits));
  if (key && gateData().ask === "otp") {
    usedMark = `used.${b64u(await derivedBits(key, hkdf(null, "sitegen/used/v1")))}`;
    if (recall(usedMark)) return tell("used");
  }
  if (key && (await open({ key, kind: "pw" }, false, isKept))) return;
  const trimmed = field.value.trim();
  const again = makeButton(word("trim"), () => {
    field.value = trimmed;
    void tryTyped();
  });
  tell("credential", ...(gateData().ask === "password" && trimmed !== field.value ? [again] : []));
  field.focus();
}

/** @param {HTMLElement} button */
function toggleSecret(button) {
  const field = /** @type {HTMLInputElement} */ (the("secret"));
  const isHidden = field.type === "password";
  field.type = isHidden ? "text" : "password";
  button.textContent = word(isHidden ? "hide" : "show");
  button.setAttribute("aria-pressed", String(isHidden));
}

function listen() {
  one("#ask")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void tryTyped().catch(fail);
  });
  for (const [name, act] of Object.entries({ accept: agree, reveal: toggleSecret })) {
    const button = one(`#${name}`);
    button?.addEventListener("click", () => act(button));
  }
  if (others) others.onmessage = () => void lock(true);
  document.addEventListener("sitegen:late", /** @type {EventListener} */ (answerLate));
  document.addEventListener("sitegen:page", /** @type {EventListener} */ (answerPage));
  document.addEventListener("click", (event) => {
    const link = /** @type {HTMLElement | null | undefined} */ (targetOf(event)?.closest("a[data-att]"));
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    void openFile(link);
  });
  document.addEventListener("keydown", printAll);
  new MutationObserver(watchMedia).observe(view(), { childList: true, subtree: true });
  addEventListener("hashchange", () => void followHash());
  addEventListener("visibilitychange", watchExpiry);
  addEventListener("pagehide", () => {
    if (opened?.isKept) root.classList.add("veiled");
    else wipe();
  });
  addEventListener("pageshow", (event) => event.persisted && void comeBack());
}

async function followHash() {
  const taken = takeLink();
  if (taken === "lock") return lock();
  if (linkSecret && !opened) return proceed();
  const [id, anchor] = wantedPage();
  if (id) await turnTo(id, anchor);
  else if (!location.hash && opened) await turnTo("body");
}

/** From the browser's store of pages left behind. */
async function comeBack() {
  const isStill = opened && envelope && (await keptKeys(envelope.core)).length;
  if (!isStill) wipe();
  root.classList.remove("veiled");
  watchExpiry();
  if (!isStill) await proceed();
}

const took = takeLink();
document.addEventListener("DOMContentLoaded", () => void startGate());
