/** Light or dark: as the notebook around says, otherwise as the system does. */

import type { Theme } from "./palette";

export function currentTheme(): Theme {
  const { body } = document;
  const notebook = body?.dataset["jpThemeLight"];
  if (notebook) return notebook === "false" ? "dark" : "light";
  const kind = body?.dataset["vscodeThemeKind"];
  if (kind) return kind.includes("light") ? "light" : "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back when the theme may have changed; returns a function that ends it. */
export function onTheme(changed: () => void): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", changed);
  const watcher = new MutationObserver(changed);
  watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => {
    query.removeEventListener("change", changed);
    watcher.disconnect();
  };
}
