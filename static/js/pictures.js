// @ts-check
/** A picture opens large in its place; without script its link leads to the file. */

/** @param {MouseEvent} event */
function enlarge(event) {
  const image = /** @type {HTMLImageElement | null} */ (targetOf(event)?.closest("a:has(> img)")?.firstElementChild);
  if (!isPlain(event) || !image?.currentSrc) return;
  event.preventDefault();
  const dialog = make("dialog", "enlarged");
  const large = make("img", "");
  large.src = image.currentSrc;
  large.alt = image.alt;
  dialog.ariaLabel = image.alt;
  dialog.append(makeButton(say("close"), () => {}), large);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
