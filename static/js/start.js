// @ts-check
/** Starts everything once the page is there; a page that gets its conversation later says so by `sitegen:content`. */

function startPage() {
  readStrings();
  applyTheme(currentTheme());
  startFilter();
  startReading();
}

function readStrings() {
  strings = JSON.parse(one("#strings")?.textContent ?? "{}");
}

function startReading() {
  readStrings();
  if (!one(".conversation")) return;
  for (const chip of all("[data-show]")) chip.onclick = () => chooseView(chip.dataset.show ?? usualView);
  startView();
  startFind();
  watchEnd();
  markSoon();
  void followBar();
  void completeOutline().catch(() => {}); // without the map, the part's own outline stays
}

document.addEventListener("DOMContentLoaded", startPage);
document.addEventListener("sitegen:content", startPage);
document.addEventListener("keydown", pressKey);
document.addEventListener("click", (event) => {
  if (targetOf(event)?.closest("[data-act=theme]")) nextTheme();
  followLink(event);
  enlarge(event);
});
for (const name of ["pointerover", "focusin", "touchstart"]) document.addEventListener(name, comeNear, { passive: true });
document.addEventListener("toggle", (event) => void openLate(event), true);
addEventListener("scroll", markSoon, { passive: true });
addEventListener("hashchange", () => void followBar());
