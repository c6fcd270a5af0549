// @ts-check
/** What one can do with a message or a block of code. Buttons are made when a pointer or the focus comes near. */

/** @param {Event} event */
function comeNear(event) {
  const target = targetOf(event);
  const near = (/** @type {string} */ selector) => /** @type {any} */ (target?.closest(selector));
  const [time, pre, message] = [near("time[datetime]"), near(".conversation pre, .output pre"), near(".message")];
  if (time) nameLocalTime(time);
  if (pre) addCodeTools(pre);
  if (message) addActs(message);
  const fold = near("details[id]");
  if (fold && !one(":scope > .at", fold)) fold.firstChild.after(linkTo(fold));
}

/** In the reader's own zone, named. @param {HTMLTimeElement} time */
function nameLocalTime(time) {
  if (time.title || time.dateTime.length < 11) return;
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  time.title = new Intl.DateTimeFormat(root.lang, { dateStyle: "full", timeStyle: "long" }).format(moment);
}

/** Of a fold; the map finds its part. @param {HTMLElement} fold */
function linkTo(fold) {
  const link = make("a", "at", "#");
  link.href = `#${fold.id}`;
  link.ariaLabel = say("link");
  return link;
}

/** @param {HTMLElement} message */
function addActs(message) {
  const who = one(":scope > .who", message);
  if (!who || one(".acts", who)) return;
  const acts = make("span", "acts");
  const quote = makeButton(say("quote"), (button) => void copyBy(button, quoteOf(message)));
  // The selection is what is quoted: pressing the button mustn't clear it.
  quote.addEventListener("pointerdown", (event) => event.preventDefault());
  acts.append(quote, makeButton(say("source"), (button) => void toggleSource(message, button)));
  who.append(acts);
}

/** @param {HTMLElement} message */
function quoteOf(message) {
  const selection = getSelection();
  const isInside = selection && !selection.isCollapsed && message.contains(selection.anchorNode);
  const text = isInside ? selection.toString() : (one(".source, .prose", message)?.innerText ?? "");
  const { href } = /** @type {HTMLAnchorElement} */ (one(".at", message));
  return `${text.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n${href}\n`;
}

/** The raw text in place of what was made of it, and back. @param {HTMLElement} message @param {HTMLButtonElement} button */
async function toggleSource(message, button) {
  const text = await sourceOf(message).catch(() => say("load_failed"));
  const shown = one(":scope > .block.raw", message);
  shown?.remove();
  for (const prose of all(":scope > .prose, :scope > .fold", message)) prose.hidden = !shown;
  button.textContent = say(shown ? "source" : "rendered");
  if (shown) return;
  const source = make("pre", "source", text);
  source.tabIndex = 0;
  const block = make("div", "block raw");
  block.append(source);
  one(".who", message)?.after(block);
  addCodeTools(source);
}

/** Where the raw text differs from what is shown, a file of its part holds it. @param {HTMLElement} message */
async function sourceOf(message) {
  const file = message.dataset.src;
  if (file) return JSON.parse(await late(fromShare(file)))[message.id];
  return all(":scope > .prose", message).map((prose) => prose.textContent?.trim()).join("\n\n");
}

/** @param {HTMLElement} pre */
function addCodeTools(pre) {
  const code = pre.closest("figure.code, .block") ?? make("div", "block");
  if (one(":scope > .tools", code)) return;
  if (!code.isConnected) {
    pre.before(code);
    code.append(pre);
  }
  const tools = make("div", "tools");
  tools.append(
    makeButton(say("copy"), (button) => void copyBy(button, all("pre:not(.ln)", code).map((part) => part.textContent).join(""))),
    makeButton(say("wrap"), (button) => button.setAttribute("aria-pressed", String(code.classList.toggle("wrap")))),
  );
  code.prepend(tools);
}

function wrapAll() {
  root.toggleAttribute("data-wrap");
}
