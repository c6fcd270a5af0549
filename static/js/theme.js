// @ts-check
/** Light, dark, or as the system: chosen once for the whole site. */

const themes = ["auto", "light", "dark"];

function currentTheme() {
  return root.dataset.theme ?? "auto";
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const button of all("[data-act=theme]")) button.textContent = say(`theme_${currentTheme()}`);
}

function nextTheme() {
  const theme = themes[(themes.indexOf(currentTheme()) + 1) % themes.length] ?? "auto";
  remember("theme", theme);
  applyTheme(theme);
  announce(say(`theme_${theme}`));
}

// Before the first paint.
root.dataset.script = "";
applyTheme(recall("theme") ?? "auto");
