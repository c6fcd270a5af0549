// @ts-check
/** Search in the conversation: every match marked, folds opened on the way, other parts through the share's index. */

/** @type {Range[]} */
let matches = [];
let matchAt = -1;

const blocks = "p,li,pre,td,th,summary,h1,h2,h3,h4,h5,h6,dt,dd,figcaption,blockquote,article,aside,div,tr";

/** @param {string} words */
function find(words) {
  const wanted = fold(words.trim());
  matches = wanted.length > 1 ? rangesOf(wanted) : [];
  matchAt = -1;
  paint();
  showCount(wanted.length > 1);
  void findElsewhere(wanted);
}

/** @param {string} text */
function fold(text) {
  const folded = text.toLowerCase();
  return folded.length === text.length ? folded : text;
}

/** Matches may run over several text nodes, but not out of a block. @param {string} wanted @returns {Range[]} */
function rangesOf(wanted) {
  const { text, nodes, starts } = textOf(one(".conversation"));
  const found = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    const [first, last] = [nodeAt(starts, at), nodeAt(starts, at + wanted.length - 1)];
    range.setStart(/** @type {Text} */ (nodes[first]), at - (starts[first] ?? 0));
    range.setEnd(/** @type {Text} */ (nodes[last]), at + wanted.length - (starts[last] ?? 0));
    found.push(range);
  }
  return found;
}

/** @param {HTMLElement | null} body */
function textOf(body) {
  /** @type {Text[]} */
  const nodes = [];
  /** @type {number[]} */
  const starts = [];
  const pieces = [];
  let length = 0;
  /** @type {Element | null} */
  let block = null;
  if (body) {
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { data } = /** @type {Text} */ (node);
      const own = node.parentElement?.closest(blocks) ?? null;
      if (own !== block) {
        pieces.push("\n");
        length += 1;
        block = own;
      }
      nodes.push(/** @type {Text} */ (node));
      starts.push(length);
      pieces.push(fold(data));
      length += data.length;
    }
  }
  return { text: pieces.join(""), nodes, starts };
}

/** @param {number[]} starts @param {number} offset */
function nodeAt(starts, offset) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function paint() {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set("found", new Highlight(...matches));
  const here = matches[matchAt];
  CSS.highlights.set("found-here", here ? new Highlight(here) : new Highlight());
}

/** @param {boolean} isAsked */
function showCount(isAsked) {
  const output = one(".find output");
  if (!output) return;
  const some = { at: matchAt + 1, count: matches.length };
  output.textContent = !isAsked ? "" : matches.length ? say("found", some) : say("found_none");
  for (const button of all(".find button")) button.hidden = !matches.length;
}

/** @param {1 | -1} step */
function moveMatch(step) {
  if (!matches.length) return;
  matchAt = (matchAt + step + matches.length) % matches.length;
  const element = matches[matchAt]?.startContainer.parentElement;
  if (element) {
    openTo(element);
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }
  paint();
  showCount(true);
}

/** @param {string} wanted */
async function findElsewhere(wanted) {
  const list = one(".elsewhere");
  if (!list || !("search" in document.body.dataset)) return;
  list.hidden = true;
  if (wanted.length < 2) return;
  /** @type {[string, string, string][]} */
  const index = JSON.parse(await late(fromShare("search.json")));
  if (fold(findField()?.value.trim() ?? "") !== wanted) return; // more was typed meanwhile
  const items = index.flatMap(([page, anchor, text]) => {
    const at = document.getElementById(anchor) ? -1 : fold(text).indexOf(wanted);
    return at < 0 ? [] : [elsewhereItem(page, anchor, text.slice(Math.max(0, at - 40), at + 80))];
  });
  list.replaceChildren(...items.slice(0, 100));
  list.hidden = !items.length;
}

/** @param {string} page @param {string} anchor @param {string} excerpt */
function elsewhereItem(page, anchor, excerpt) {
  const item = make("li", "");
  const link = make("a", "", say("found_elsewhere", { number: parseInt(page, 10) || 1 }));
  link.href = `${fromShare(page)}#${anchor}`;
  item.append(link, ` … ${excerpt.replace(/\s+/g, " ")} …`);
  return item;
}

function findField() {
  return /** @type {HTMLInputElement | null} */ (one("#find"));
}

function startFind() {
  const field = findField();
  if (!field) return;
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => find(field.value), 120);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") moveMatch(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") field.blur();
  });
  one(".find [data-act=previous]")?.addEventListener("click", () => moveMatch(-1));
  one(".find [data-act=next]")?.addEventListener("click", () => moveMatch(1));
}
