// What stands beside the plan: what it covers, its steps, notes of the check, what changed, what was tried, earlier comments.

import { find, get, h, plural, post, say, state, trying } from "./site.js";
import { drawLeftOut, drawNoted, goToLine } from "./rows.js";

const line = (number) => h("button", { type: "button", class: "line-link", onclick: () => goToLine(number) }, `line ${number}`);

function panel(id, title, count, ...children) {
  const old = find(id);
  const isOpen = old ? old.open : matchMedia("(min-width: 70rem)").matches;
  const words = count === "" ? title : `${title} (${count})`;
  const element = h("details", { id, open: isOpen }, h("summary", {}, words), ...children);
  if (old) {
    old.replaceWith(element);
  } else {
    find("panels").append(element);
  }
}

export function openPanel(id) {
  const element = find(id);
  if (!element) {
    return say("There is nothing of that kind here.");
  }
  element.open = true;
  element.querySelector("summary").focus();
  return element.scrollIntoView({ block: "nearest" });
}

/** All of them anew. */
export function drawPanels() {
  find("panels").replaceChildren();
  drawContract();
  drawSteps();
  drawNotes();
  drawChanges();
  drawTried();
  drawEarlier();
}

function drawFacts() {
  const { facts, revision, shortHash, lineCount, name, path, draft, notes } = state.page;
  find("title").textContent = facts.agent ? `Plan of the agent ${facts.agent}: ${state.page.title}` : state.page.title;
  document.title = `Review: ${state.page.title}`;
  const file = h("span", { title: path }, name);
  find("about").replaceChildren(`revision ${revision} · ${shortHash} · ${plural(lineCount, "line")} · `, file);
  const edited = draft.edited ? `edited by you: +${draft.edited.added} -${draft.edited.removed}` : "";
  const fact = (words, kind = "") => words && h("li", { class: kind }, words);
  find("facts").replaceChildren(
    ...[
      fact(facts.proof, facts.isProofClean ? "good" : "bad"),
      fact(facts.moved.length > 0 && `${plural(facts.moved.length, "file")} changed since this plan was made`, "bad"),
      fact(facts.hidden, "bad"),
      fact(notes?.length > 0 && `${plural(notes.length, "note")} of the plan check`, "warning"),
      fact(edited, "own"),
      fact(facts.context),
      fact(facts.cost),
    ].filter(Boolean),
  );
}

function grantRow(grant, kind) {
  const strike = async (event) => {
    const list = kind === "files" ? "struckFiles" : "struckCommands";
    const changes = grantChanges();
    changes[list] = changes[list].filter((named) => named !== grant.named);
    if (!event.target.checked) {
      changes[list].push(grant.named);
    }
    await sendGrants(changes);
  };
  const box = h("input", { type: "checkbox", checked: !grant.struck, onchange: strike });
  return h(
    "li",
    { class: grant.struck ? "entry-row struck" : "entry-row" },
    h("label", {}, box, h("span", {}, h("code", {}, grant.shown), " ", h("span", { class: "faint" }, grant.scope))),
    grant.line > 0 && line(grant.line),
  );
}

function grantChanges() {
  const { files, commands, added } = state.page.contract;
  const struck = (grants) => grants.filter((grant) => grant.struck).map((grant) => grant.named);
  const entries = added.map((one) => one.entry);
  return {
    struckFiles: struck(files),
    struckCommands: struck(commands),
    addedFiles: entries.filter((entry) => !entry.startsWith("$")),
    addedCommands: entries.filter((entry) => entry.startsWith("$")).map((entry) => entry.slice(1).trim()),
  };
}

async function sendGrants(changes) {
  const draft = await trying(() => post("/api/grants", changes));
  if (draft) {
    state.draft = draft;
    await readContract();
    say("What the plan covers has changed.");
  }
}

/** What the plan covers, as the program reads it now. */
export async function readContract() {
  const contract = await trying(() => get("/api/contract"));
  if (contract) {
    state.page.contract = contract;
    drawContract();
  }
}

function drawContract() {
  const { contract } = state.page;
  if (!contract.hash) {
    return;
  }
  const add = async (event) => {
    event.preventDefault();
    const field = event.target.elements.entry;
    const entry = field.value.trim();
    const changes = grantChanges();
    if (entry.startsWith("$")) {
      changes.addedCommands.push(entry.slice(1).trim());
    } else if (entry !== "") {
      changes.addedFiles.push(entry);
    }
    await sendGrants(changes);
    find("grant-entry")?.focus();
  };
  const drop = (entry) => async () => {
    const changes = grantChanges();
    changes.addedFiles = changes.addedFiles.filter((one) => one !== entry);
    changes.addedCommands = changes.addedCommands.filter((one) => `$ ${one}` !== entry);
    await sendGrants(changes);
  };
  const addedRow = (one) =>
    h(
      "li",
      { class: one.why ? "bad" : "own" },
      h("code", {}, one.text ?? one.entry),
      one.why && ` cannot be granted: ${one.why} `,
      !one.text && !one.why && " is being looked up ",
      h("button", { type: "button", onclick: drop(one.entry) }, "Take back", h("span", { class: "spoken" }, ` ${one.entry}`)),
    );
  const rows = [
    ...contract.files.map((grant) => grantRow(grant, "files")),
    ...contract.commands.map((grant) => grantRow(grant, "commands")),
    ...contract.added.map(addedRow),
  ];
  const refused = contract.notGranted.map((one) => h("li", {}, h("code", {}, one.named), ` ${one.why} `, line(one.line)));
  panel(
    "covers",
    "What the plan covers",
    contract.isCurrent ? contract.summary ?? "nothing" : "being read",
    rows.length === 0 ? h("p", {}, "Nothing: every edit and command is asked about as the mode says.") : h("ul", { class: "list" }, rows),
    contract.besides && h("p", { class: "faint" }, contract.besides),
    h(
      "form",
      { class: "add", onsubmit: add },
      h("label", { for: "grant-entry" }, "Add a file, or a command after $"),
      h("input", { id: "grant-entry", name: "entry", autocomplete: "off", placeholder: "src/cart.rs or $ cargo test" }),
      h("button", { type: "submit" }, "Add"),
    ),
    refused.length > 0 && h("p", {}, "Named, but not covered:"),
    refused.length > 0 && h("ul", { class: "list faint" }, refused),
  );
}

export async function toggleStep(number) {
  const { steps } = state.page;
  if (state.leftOut.has(number)) {
    state.leftOut.delete(number);
  } else if (state.leftOut.size + 1 >= steps.length) {
    drawSteps();
    return say("One step has to stay; to approve none of them, keep planning.");
  } else {
    state.leftOut.add(number);
  }
  drawSteps();
  drawLeftOut();
  say(state.leftOut.has(number) ? `Step ${number} is left out.` : `Step ${number} is in again.`);
  return trying(() => post("/api/steps", { steps: chosenSteps() }));
}

/** The steps that are meant; null where that is all of them. */
export const chosenSteps = () =>
  state.leftOut.size === 0 ? null : state.page.steps.map((step) => step.number).filter((number) => !state.leftOut.has(number));

function drawSteps() {
  const { steps } = state.page;
  if (steps.length < 2) {
    return;
  }
  const focused = document.activeElement?.dataset?.step;
  const row = (step) => {
    const box = h("input", { type: "checkbox", "data-step": step.number, checked: !state.leftOut.has(step.number), onchange: () => toggleStep(step.number) });
    const words = h("span", {}, `${step.number}. ${step.title.replaceAll("`", "")}`);
    return h("li", { class: state.leftOut.has(step.number) ? "entry-row struck" : "entry-row" }, h("label", {}, box, words), line(step.firstLine));
  };
  const kept = steps.length - state.leftOut.size;
  panel(
    "steps",
    "Steps to approve",
    `${kept} of ${steps.length}`,
    h("ul", { class: "list" }, steps.map(row)),
    h("p", { class: "faint" }, "Only the ticked steps are approved."),
  );
  if (focused) {
    find("steps").querySelector(`[data-step="${focused}"]`)?.focus();
  }
}

let noteAt = -1;

export function goToNote(by) {
  const notes = state.page.notes ?? [];
  if (notes.length === 0) {
    return say("The plan check has no notes.");
  }
  noteAt = (noteAt + by + notes.length) % notes.length;
  const note = notes[noteAt];
  if (note.line) {
    goToLine(note.line);
  }
  return say(`Note ${noteAt + 1} of ${notes.length}: ${note.text}`);
}

export async function readNotes() {
  state.page.notes = await trying(() => get("/api/notes"));
  drawNotes();
}

function drawNotes() {
  const { notes } = state.page;
  drawNoted();
  drawFacts();
  if (notes && notes.length === 0) {
    find("notes")?.remove();
    return;
  }
  const row = (note) => h("li", { class: note.severity }, `${note.severity}: ${note.text} `, note.line && line(note.line));
  panel("notes", "Notes of the plan check", notes ? `${notes.length}` : "being checked", h("ul", { class: "list" }, (notes ?? []).map(row)));
}

function drawChanges() {
  const { changed, revisions, draft } = state.page;
  const texts = revisions.map((one) => [String(one.number), `revision ${one.number}, by the ${one.author || "model"}`]);
  if (changed) {
    texts.push(["seen", "as you last saw it"]);
  }
  texts.push(["proposed", "as proposed"]);
  if (draft.isEdited) {
    texts.push(["edited", "as edited by you"]);
  }
  if (texts.length < 2) {
    return;
  }
  const choice = (id, label, chosen) =>
    h(
      "label",
      {},
      `${label} `,
      h("select", { id }, texts.map(([value, words]) => h("option", { value, selected: value === chosen }, words))),
    );
  const output = h("div", { id: "difference", "aria-live": "off" });
  output.innerHTML = changed ? changed.html : "";
  const text = (id) => {
    const { value } = find(id);
    return /^\d+$/.test(value) ? Number(value) : value;
  };
  const compare = async (event) => {
    event.preventDefault();
    const html = await trying(() => post("/api/difference", { from: text("from-text"), to: text("to-text") }));
    if (html !== undefined) {
      output.innerHTML = html === "" ? "<p>Nothing differs.</p>" : html;
      say(html === "" ? "Nothing differs." : "The difference is shown.");
    }
  };
  panel(
    "changes",
    "Changes",
    changed ? `+${changed.added} -${changed.removed} since you last saw it` : "",
    h(
      "form",
      { class: "compare", onsubmit: compare },
      choice("from-text", "From", changed ? "seen" : texts.at(texts.length > 2 ? 1 : 0)[0]),
      choice("to-text", "to", draft.isEdited ? "edited" : "proposed"),
      h("button", { type: "submit" }, "Compare"),
    ),
    output,
  );
}

function drawTried() {
  const { tried, facts } = state.page;
  if (tried.length > 0) {
    const row = (one) =>
      h(
        "li",
        { class: one.isFine ? "" : "warning" },
        h("code", {}, one.command),
        ` ${one.ended}; `,
        one.wouldChange.length === 0 ? "nothing would have changed" : "would have changed:",
        one.wouldChange.length > 0 && h("ul", {}, one.wouldChange.map((change) => h("li", {}, h("code", {}, change)))),
      );
    panel("tried", "Tried while planning, nothing kept", `${tried.length}`, h("ul", { class: "list" }, tried.map(row)));
  }
  if (facts.moved.length > 0 || facts.proofPaths.length > 0) {
    const moved = (file) => h("li", {}, file.text, h("div", { html: file.diff }));
    panel(
      "moved",
      "Files that changed meanwhile",
      "",
      h("ul", { class: "list" }, facts.moved.map(moved), facts.proofPaths.map((path) => h("li", {}, h("code", {}, path)))),
    );
  }
}

function drawEarlier() {
  const { earlier } = state.page;
  if (earlier.length === 0) {
    return;
  }
  const row = (one) =>
    h(
      "li",
      {},
      h("blockquote", { class: "quote" }, one.quote),
      h("p", {}, one.remark),
      one.now === null ? h("p", { class: "good" }, "The lines have changed since.") : h("p", { class: "warning" }, "These lines are as they were: ", line(one.now)),
    );
  panel("earlier", "Your earlier comments", `${earlier.length}`, h("ul", { class: "list" }, earlier.map(row)));
}
