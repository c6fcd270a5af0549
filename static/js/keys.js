// @ts-check
/** One key each: next and previous prompt, search, how much to show, wrap, theme, help. */

/** @param {KeyboardEvent} event */
function pressKey(event) {
  const target = targetOf(event);
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target?.closest("input, textarea, select, [contenteditable], dialog")) return;
  const act = keyActs[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** @type {Record<string, () => void>} */
const keyActs = {
  j: () => movePrompt(1),
  k: () => movePrompt(-1),
  "/": () => one("#find, #filter")?.focus(),
  v: nextView,
  w: wrapAll,
  t: nextTheme,
  "?": () => one("#help")?.togglePopover(),
};
