// @ts-check
/** What all scripts stand on. The files of this folder are joined into one function, so they share one scope. */

const root = document.documentElement;

/** @type {Record<string, string>} */
let strings = {};

/** @param {string} key @param {Record<string, string | number>} [values] */
function say(key, values = {}) {
  return (strings[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Storage may be off or full: then nothing is remembered. @param {string} key @param {string} value */
function remember(key, value) {
  try {
    localStorage.setItem(`sitegen.${key}`, value);
  } catch {
    return;
  }
}

/** @param {string} key */
function recall(key) {
  try {
    return localStorage.getItem(`sitegen.${key}`);
  } catch {
    return null;
  }
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
function all(selector, within = document) {
  return Array.from(within.querySelectorAll(selector));
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement | null} */
function one(selector, within = document) {
  return within.querySelector(selector);
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} className @param {string} [text] @returns {HTMLElementTagNameMap[Name]}
 */
function make(name, className, text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

/** A button that does `act`. @param {string} text @param {(button: HTMLButtonElement) => void} act */
function makeButton(text, act) {
  const button = make("button", "", text);
  button.type = "button";
  button.addEventListener("click", () => act(button));
  return button;
}

/** The element an event happened in, when it is one. @param {Event} event @returns {Element | null} */
function targetOf(event) {
  return event.target instanceof Element ? event.target : null;
}

/** A click that wants what a link does by itself. @param {MouseEvent} event */
function isPlain(event) {
  return !event.defaultPrevented && !event.button && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

/** @type {Map<string, Promise<string>>} */
const loaded = new Map();

/** @type {Map<string, (text: string) => void>} */
const awaited = new Map();

// A page opened from disk may not fetch; there a script beside the file hands its text over.
Object.assign(globalThis, {
  sitegenLate: (/** @type {string} */ text) =>
    awaited.get(/** @type {HTMLScriptElement} */ (document.currentScript).src)?.(text),
});

/**
 * The text of a file of this site, loaded once. A page that keeps its files elsewhere answers the event
 * `sitegen:late` by putting a promise into its detail.
 * @param {string} href @returns {Promise<string>}
 */
function late(href) {
  const url = new URL(href, document.baseURI).href;
  let text = loaded.get(url);
  if (!text) {
    const detail = { url, text: /** @type {Promise<string> | null} */ (null) };
    document.dispatchEvent(new CustomEvent("sitegen:late", { detail }));
    text = detail.text ?? (url.startsWith("file:") ? fromScript(`${url}.js`) : fromServer(url));
    text.catch(() => loaded.delete(url));
    loaded.set(url, text);
  }
  return text;
}

/** @param {string} url */
async function fromServer(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  return response.text();
}

/** @param {string} url @returns {Promise<string>} */
function fromScript(url) {
  return new Promise((resolve, reject) => {
    const script = make("script", "");
    awaited.set(url, resolve);
    script.onerror = () => reject(new Error(`no ${url}`));
    script.src = url;
    document.head.append(script);
  });
}

/** A page may demand that HTML comes through a policy of this name (Trusted Types); most browsers don't know of it. */
const policy = /** @type {{createHTML(html: string): string} | undefined} */ (
  /** @type {any} */ (globalThis).trustedTypes?.createPolicy("sitegen", { createHTML: (/** @type {string} */ html) => html })
);

/** HTML of this site's own pages as nodes. @param {string} html @returns {DocumentFragment} */
function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = policy?.createHTML(html) ?? html;
  return template.content;
}

/** @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = make("textarea", "");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("not copied");
}

/** Copies, and says on the button whether it worked. @param {HTMLButtonElement} button @param {string} text */
async function copyBy(button, text) {
  const label = button.textContent ?? "";
  const said = await copy(text).then(() => say("copied"), () => say("copy_failed"));
  button.textContent = said;
  announce(said);
  setTimeout(() => (button.textContent = label), 1600);
}

/** Tells a screen reader. @param {string} text */
function announce(text) {
  const status = one("#status") ?? make("output", "");
  status.id = "status";
  document.body.append(status);
  status.textContent = text;
}
