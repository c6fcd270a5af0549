// @ts-check
/** What one can do with a message or a block of code. Buttons are made when a pointer or the focus comes near. */

/** @param {Event} event */
function comeNear(event) {
  const target = targetOf(event);
  const time = target?.closest("time[datetime]");
  if (time instanceof HTMLTimeElement) nameLocalTime(time);
  const pre = target?.closest(".conversation pre, .output pre");
  if (pre instanceof HTMLElement) addCodeTools(pre);
  const message = target?.closest(".message");
  if (message instanceof HTMLElement) addActs(message);
}

/** In the reader's own zone, named. @param {HTMLTimeElement} time */
function nameLocalTime(time) {
  if (time.title || time.dateTime.length < 11) return;
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  time.title = new Intl.DateTimeFormat(root.lang, { dateStyle: "full", timeStyle: "long" }).format(moment);
}

/** @param {HTMLElement} message */
function addActs(message) {
  const who = one(":scope > .who", message);
  if (!who || one(".acts", who)) return;
  const acts = make("span", "acts");
  const quote = makeButton(say("quote"), (button) => void copyBy(button, quoteOf(message)));
  // The selection is what is quoted: pressing the button mustn't clear it.
  quote.addEventListener("pointerdown", (event) => event.preventDefault());
  acts.append(quote);
  acts.append(makeButton(say("source"), (button) => toggleSource(message, button)));
  who.append(acts);
}

/** @param {HTMLElement} message */
function quoteOf(message) {
  const selection = getSelection();
  const isInside = selection && !selection.isCollapsed && message.contains(selection.anchorNode);
  const text = isInside ? selection.toString() : (one(".source, .prose", message)?.innerText ?? "");
  const link = one(".at", message);
  const href = link instanceof HTMLAnchorElement ? link.href : `${documentUrl}#${message.id}`;
  return `${text.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n${href}\n`;
}

/** The raw text in place of what was made of it, and back. @param {HTMLElement} message @param {HTMLButtonElement} button */
function toggleSource(message, button) {
  const shown = one(":scope > .block.raw", message);
  shown?.remove();
  for (const prose of all(":scope > .prose, :scope > .fold", message)) prose.hidden = !shown;
  button.textContent = say(shown ? "source" : "rendered");
  if (shown) return;
  const block = make("div", "block raw");
  const source = make("pre", "source", sourceOf(message));
  source.tabIndex = 0;
  block.append(source);
  one(".who", message)?.after(block);
  addCodeTools(source);
}

/** The raw text stands beside what differs from it. @param {HTMLElement} message */
function sourceOf(message) {
  return message.dataset.src ?? all(":scope > .prose", message).map((prose) => prose.textContent?.trim()).join("\n\n");
}

/** @param {HTMLElement} pre */
function addCodeTools(pre) {
  let frame = pre.closest("figure.code, .block");
  if (frame && one(":scope > .tools", frame)) return;
  if (!frame) {
    frame = make("div", "block");
    pre.before(frame);
    frame.append(pre);
  }
  const tools = make("div", "tools");
  const code = frame;
  tools.append(
    makeButton(say("copy"), (button) => void copyBy(button, all("pre:not(.ln)", code).map((part) => part.textContent).join(""))),
    makeButton(say("wrap"), (button) => button.setAttribute("aria-pressed", String(code.classList.toggle("wrap")))),
  );
  frame.prepend(tools);
}

function wrapAll() {
  root.toggleAttribute("data-wrap");
}
