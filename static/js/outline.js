// @ts-check
/** Where one is: the current prompt in the outline, on the timeline and on the phone's button; moving between prompts. */

/** @returns {HTMLElement[]} */
function exchanges() {
  return all(".conversation > .group > .exchange:not(.continued)");
}

/** Index of the last exchange that begins above `line`; -1 above the first. @param {HTMLElement[]} list */
function currentIndex(list, line = 120) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.getBoundingClientRect().top ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

let isMarking = false;

/** Id of the exchange that is marked. */
let marked = "";

function markSoon() {
  if (isMarking) return;
  isMarking = true;
  requestAnimationFrame(() => {
    isMarking = false;
    markCurrent();
  });
}

function markCurrent() {
  const list = exchanges();
  const current = list[Math.max(0, currentIndex(list, innerHeight / 3))];
  if (!current || current.id === marked) return;
  marked = current.id;
  const links = /** @type {HTMLAnchorElement[]} */ (all(".rail li a"));
  const at = links.findIndex((each) => each.hash === `#${current.id}`);
  const link = links[at];
  if (link) {
    one(".rail [aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    keepInSight(link);
    const button = one(".drawer");
    if (button) button.textContent = `${at + 1}/${links.length} · ${(link.textContent ?? "").slice(0, 60)}`;
  }
  one(".timeline .here")?.classList.remove("here");
  stopOf(links.slice(0, at + 1))?.classList.add("here");
}

/** The place on the timeline of the last of these prompts; a dense one has places for several. @param {HTMLAnchorElement[]} links */
function stopOf(links) {
  const stops = new Map(all(".timeline > a").map((stop) => [stop.getAttribute("href")?.split("#")[1], stop]));
  const link = links.findLast(({ hash }) => stops.has(hash.slice(1)));
  return link && stops.get(link.hash.slice(1));
}

/** @param {HTMLElement} link */
function keepInSight(link) {
  const rail = link.closest(".rail");
  if (!rail || !rail.clientHeight) return;
  const top = link.getBoundingClientRect().top - rail.getBoundingClientRect().top;
  if (top < 0 || top > rail.clientHeight - 80) rail.scrollTop += top - rail.clientHeight / 4;
}

/** @param {1 | -1} step */
function movePrompt(step) {
  const list = exchanges();
  const index = currentIndex(list);
  const top = list[index]?.getBoundingClientRect().top ?? 0;
  // Going back first returns to the start of what is being read.
  const next = list[step < 0 && top < 0 ? index : index + step];
  if (!next) return step > 0 ? void loadNext() : scrollTo({ top: 0 });
  const prompt = one(".message", next) ?? next;
  next.scrollIntoView({ block: "start", behavior: "instant" });
  one(".at", prompt)?.focus({ preventScroll: true });
}

/** A further part knows its own prompts only; the share's map knows them all, and draws them. */
async function completeOutline() {
  const list = one(".rail ol");
  if (!list || !document.body.dataset.root || !("map" in document.body.dataset)) return;
  const own = new Set(all("a", list).map((link) => link.getAttribute("href")));
  const map = await loadMap();
  const pages = map.pages.filter((page) => /^(\d+\/)?$/.test(page.href));
  if (!pages.some((page) => page.outline.some(([anchor]) => own.has(`#${anchor}`)))) return;
  const items = pages.flatMap((page) => page.outline.map(([anchor, text]) => outlineItem(page, anchor, text)));
  // Links that are there stay: one that's being pressed would lead nowhere.
  if (items.every((item) => own.has(item.firstElementChild?.getAttribute("href") ?? ""))) return;
  list.replaceChildren(...items);
  one(".timeline")?.replaceWith(placed(parse(map.timeline ?? ""), fromShare("")));
  marked = "";
  markCurrent();
}

/** @param {MapPage} page @param {string} anchor @param {string} text */
function outlineItem(page, anchor, text) {
  const item = make("li", "");
  const link = make("a", "");
  link.append(make("bdi", "", text));
  link.href = `${fromShare(page.href)}#${anchor}`;
  item.append(link);
  return item;
}
