// Everything of a project to read: a list, and the text that is chosen.

import { find, h, post, say, state, trying } from "./site.js";
import { drawPlan } from "./rows.js";

const KINDS = [
  ["plan", "Plans"],
  ["report", "Reports"],
  ["session", "Sessions"],
];

/** The list, beside the text. */
export function drawLibrary() {
  const { project, entries } = state.page;
  find("title").textContent = `To read in ${project}`;
  document.title = `To read in ${project}`;
  find("about").textContent = "Nothing can be answered or changed here.";
  const row = (entry) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "entry", onclick: () => read(entry) }, entry.title || "(no title)"),
      h("span", { class: "faint" }, [entry.state, entry.age].filter(Boolean).join(" · ")),
    );
  const group = ([kind, title]) => {
    const found = entries.filter((entry) => entry.kind === kind);
    return found.length > 0 && h("details", { open: true }, h("summary", {}, `${title} (${found.length})`), h("ul", { class: "list" }, found.map(row)));
  };
  find("panels").replaceChildren(...KINDS.map(group).filter(Boolean));
  if (entries.length === 0) {
    find("plan").replaceChildren(h("p", {}, "There is nothing to read yet."));
  }
}

async function read(entry) {
  const text = await trying(() => post("/api/read", { id: entry.id }));
  if (text) {
    Object.assign(state.page, { html: text.html, outline: text.outline, steps: [] });
    await drawPlan();
    find("plan").focus();
    say(`${text.title} is shown.`);
  }
}
