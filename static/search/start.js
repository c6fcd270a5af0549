// @ts-check
/** Starts the kind of search that the page asks for. */

function startSearch() {
  const { body } = document;
  searchWords = JSON.parse(document.querySelector("#search-words")?.textContent ?? "{}");
  const filter = /** @type {HTMLInputElement | null} */ (document.querySelector("#filter"));
  const query = /** @type {HTMLInputElement | null} */ (document.querySelector("#query"));
  if (query) startPagefind(query, new URL(body.dataset.index ?? "", location.href).href);
  else if (filter) startDisk(filter, body);
}

document.addEventListener("DOMContentLoaded", startSearch);
