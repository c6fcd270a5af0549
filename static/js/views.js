// @ts-check
/** How much of a conversation shows: its prompts and answers, a line for each activity, or the steps of all of them. */

const views = ["conversation", "calls", "everything"];
const usualView = "calls";

function currentView() {
  return root.dataset.view ?? usualView;
}

/** @param {string} view */
function applyView(view) {
  root.dataset.view = view;
  openRuns(document);
  for (const chip of all("[data-show]")) chip.setAttribute("aria-pressed", String(chip.dataset.show === view));
}

/** Opens what "everything" opens, and closes only what it opened. @param {ParentNode} within */
function openRuns(within) {
  const isOpen = currentView() === "everything";
  for (const run of all(isOpen ? ".run:not([open])" : ".run[data-opened]", within)) {
    run.toggleAttribute("data-opened", isOpen);
    run.toggleAttribute("open", isOpen);
  }
}

/** @param {string} view */
function chooseView(view) {
  keepPlace(() => applyView(view));
  remember("view", view);
  const url = new URL(location.href);
  if (view === usualView) url.searchParams.delete("show");
  else url.searchParams.set("show", view);
  putInBar(url.href);
}

function nextView() {
  const offered = all("[data-show]").map((chip) => chip.dataset.show ?? "");
  const next = offered[(offered.indexOf(currentView()) + 1) % offered.length];
  if (next) chooseView(next);
}

/** The view of the address, else the remembered one, of those the page offers. */
function startView() {
  const offered = all("[data-show]").map((chip) => chip.dataset.show);
  const view = wantedViews.find((name) => name && offered.includes(name));
  if (view) applyView(view);
}

const wantedViews = [new URLSearchParams(location.search).get("show"), recall("view"), usualView];

// Before the first paint, too: nothing that hides again shall have shown.
root.dataset.view = wantedViews.find((name) => name && views.includes(name)) ?? usualView;

/** Changes the layout and keeps what is being read where it is. @param {() => void} change */
function keepPlace(change) {
  const anchor = all(".message").find((message) => message.getBoundingClientRect().bottom > 60);
  const before = anchor?.getBoundingClientRect().top ?? 0;
  change();
  if (anchor && before < 0) scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
}

/** A page opened from disk may not have its address changed: then it stays. @param {string} href */
function putInBar(href, isStep = false) {
  try {
    if (isStep) history.pushState(null, "", href);
    else history.replaceState(null, "", href);
  } catch {
    return;
  }
}
