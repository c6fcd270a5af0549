// @ts-check
/** Permalinks: opening the folds on the way, showing where one is, finding the page of an anchor that isn't here. */

/** @typedef {{href: string, anchors: string, outline: [string, string][]}} MapPage */

/** Opens everything that hides `element`, marks it and brings it into sight. @param {Element} element */
function reveal(element) {
  openTo(element);
  for (const marked of all(".here")) marked.classList.remove("here");
  element.classList.add("here");
  element.scrollIntoView({ block: "start", behavior: "instant" });
  // What was out of sight has a guessed height until it's painted: aim again.
  requestAnimationFrame(() => element.scrollIntoView({ block: "start", behavior: "instant" }));
}

/** @param {Element} element */
function openTo(element) {
  if (currentView() === "conversation" && element.closest(".run, .note")) applyView(usualView);
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
}

function anchorOfBar() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

async function followBar() {
  const anchor = anchorOfBar();
  const element = anchor ? document.getElementById(anchor) : null;
  if (element) return reveal(element);
  if (!anchor || !("map" in document.body.dataset)) return;
  const page = (await loadMap()).pages.find((each) => each.anchors.split(" ").includes(anchor));
  const asked = new CustomEvent("sitegen:page", { cancelable: true, detail: page });
  // A page that keeps the others elsewhere brings them in itself.
  if (page && document.dispatchEvent(asked)) location.replace(fromShare(page.href) + location.hash);
}

/** Every page of this share, and the picture of all of it. @returns {Promise<{pages: MapPage[], timeline?: string}>} */
async function loadMap() {
  return JSON.parse(await late(fromShare("map.json")));
}

/** @param {string} href from the share's folder @returns {string} */
function fromShare(href) {
  const isFolder = href === "" || href.endsWith("/");
  const file = isFolder && location.protocol === "file:" ? `${href}index.html` : href;
  return new URL((document.body.dataset.root ?? "") + file, documentUrl).href;
}

/** This page without its anchor. */
const documentUrl = location.href.split("#")[0] ?? "";

/** A link to something that is already here moves the page instead of leaving it. @param {MouseEvent} event */
function followLink(event) {
  const link = targetOf(event)?.closest("a[href*='#']");
  if (!isPlain(event) || !link) return;
  // A link of the timeline has no string for its `href`.
  const [page = "", anchor = ""] = new URL(link.getAttribute("href") ?? "", document.baseURI).href.split("#");
  const element = isHere(page) ? document.getElementById(decodeURIComponent(anchor)) : null;
  if (!element) return;
  event.preventDefault();
  closeSheet();
  // The page keeps its own address, or its relative links would lead astray: the map finds the part again.
  putInBar(`#${anchor}`, true);
  reveal(element);
}

/** @param {string} page */
function isHere(page) {
  const path = (/** @type {string} */ url) => url.split("?")[0];
  return path(page) === path(documentUrl) || flowedIn.has(path(page) ?? "");
}

function closeSheet() {
  for (const sheet of all("[popover]")) if (sheet.matches(":popover-open")) sheet.hidePopover();
}
