// @ts-check
/** A protected page's link whose "#" was escaped on its way: its key went to the server, and no page is found there. */

function mendLink() {
  const [, page, key] = /^(.*?)(?:%23|%2523)k(?:=|%3D)(1\..*)$/i.exec(location.pathname) ?? [];
  if (key) location.replace(`${location.origin}${page}#k=${key}&logged`);
}

mendLink();
