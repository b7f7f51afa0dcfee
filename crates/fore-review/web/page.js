// Opens the page, listens to what happens and to keys. Nothing is answered by one key alone.

import { again, decide, drawFoot, editPlan, notCounted, over, sawEnd, showKeys } from "./decide.js";
import { drawPanels, goToNote, openPanel, readContract, readNotes, toggleStep } from "./panels.js";
import { drawLibrary } from "./reading.js";
import * as rows from "./rows.js";
import { find, get, hasToken, listen, plural, post, say, state, trying, warn } from "./site.js";

async function load() {
  const page = await trying(() => get("/api/page"));
  if (!page) {
    return false;
  }
  state.page = page;
  find("tools").hidden = false;
  const isReview = page.kind === "review";
  for (const id of ["open-source", "open-edit", "open-import"]) {
    find(id).hidden = !isReview;
  }
  if (!isReview) {
    drawLibrary();
    return true;
  }
  state.draft = page.draft;
  const numbers = page.steps.map((step) => step.number);
  state.leftOut = new Set([...state.leftOut].filter((number) => numbers.includes(number)));
  await rows.drawPlan();
  drawPanels();
  drawFoot();
  rows.watchEnd(() => sawEnd(true));
  performance.mark("plan-shown");
  return true;
}

async function readDraft(version) {
  if (state.draft && version <= state.draft.version) {
    return;
  }
  const draft = await trying(() => get("/api/draft"));
  if (!draft) {
    return;
  }
  state.draft = draft;
  if (draft.textHash !== state.page.textHash) {
    await load();
  } else {
    rows.drawComments();
    drawFoot();
  }
}

const HEARD = {
  draft: (message) => readDraft(message.version),
  contract: readContract,
  notes: readNotes,
  decided: over,
  "not-counted": (message) => notCounted(message.why),
  progress: (message) => state.isOver && say(message.text),
  next: async () => {
    state.leftOut = new Set();
    again();
    await load();
    say("The plan is here, to be answered.");
  },
  problem: (message) => warn(message.text),
  behind: load,
};

function lost(isOver) {
  if (!state.isOver) {
    warn(isOver ? "The program has ended or the plan was answered. This page answers nothing any more." : "The connection is lost; trying again…");
  }
}

/** Where the next place to write or to choose is, letters belong to that. */
const isTyping = (target) => target.closest("input, textarea, select, dialog, [contenteditable]") !== null;

function applyHere() {
  const { first, last } = rows.chosenLines();
  const comment = state.draft.comments.find((one) => one.suggestion !== null && one.first <= last && one.last >= first);
  return comment ? rows.apply(comment) : say("There is no suggestion on this row.");
}

const stepHere = () => {
  const step = rows.stepHere();
  return step ? toggleStep(step.number) : say("This row is in no step.");
};

let isMarking = false;

const KEYS = {
  j: () => rows.move(1, isMarking),
  k: () => rows.move(-1, isMarking),
  ArrowDown: () => rows.move(1, isMarking),
  ArrowUp: () => rows.move(-1, isMarking),
  g: () => rows.toEnd(false),
  G: () => rows.toEnd(true),
  v: () => {
    isMarking = !isMarking;
    say(isMarking ? "Marking rows." : "Not marking.");
  },
  c: () => rows.beginComment(),
  Enter: () => rows.beginComment(),
  i: () => rows.beginComment(null, true),
  y: applyHere,
  x: () => rows.removeHere(),
  m: stepHere,
  "/": () => find("search-text").focus(),
  n: () => rows.nextHit(1),
  N: () => rows.nextHit(-1),
  o: () => showOutline(),
  ".": () => goToNote(1),
  ",": () => goToNote(-1),
  p: () => openPanel("covers"),
  d: () => openPanel("changes"),
  t: () => openPanel("tried"),
  r: () => openPanel("earlier"),
  s: () => openPanel("steps"),
  e: editPlan,
  u: () => showSource(),
  a: decide,
  "?": showKeys,
};
/** Keys that only move or show something work on every page. */
const READING = ["j", "k", "ArrowDown", "ArrowUp", "g", "G", "/", "n", "N", "o", "?"];

function press(event) {
  const isRow = event.target.matches?.("[data-l], #plan, body");
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.shiftKey && ["ArrowDown", "ArrowUp"].includes(event.key) && isRow) {
    event.preventDefault();
    rows.move(event.key === "ArrowDown" ? 1 : -1, true);
    return;
  }
  if (event.key === "Escape") {
    isMarking = false;
    rows.unmark();
    return;
  }
  const isLetter = event.key.length === 1;
  const act = KEYS[event.key];
  const fits = act && (isLetter ? state.hasKeys : isRow) && (state.page?.kind === "review" || READING.includes(event.key));
  if (fits && state.page) {
    event.preventDefault();
    if (["c", "Enter", "i"].includes(event.key)) {
      isMarking = false;
    }
    act();
  }
}

function showOutline() {
  const outline = find("outline");
  outline.hidden = !outline.hidden;
  find("open-outline").setAttribute("aria-expanded", String(!outline.hidden));
  document.body.classList.toggle("has-outline", !outline.hidden);
  if (!outline.hidden) {
    outline.querySelector("a")?.focus();
  }
}

function showSource() {
  state.readsSource = !state.readsSource;
  find("open-source").setAttribute("aria-pressed", String(state.readsSource));
  trying(() => rows.drawPlan());
}

/** Comments that somebody saved in an exported plan. */
async function takeIn(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) {
    return;
  }
  const before = state.draft.comments.length;
  const text = await file.text();
  if (await trying(async () => rows.take(await post("/api/import", { file: text })))) {
    const more = state.draft.comments.length - before;
    say(more > 0 ? `${plural(more, "comment")} taken in.` : "The comments stand beside yours.");
  }
}

function listenToTools() {
  find("open-outline").addEventListener("click", showOutline);
  find("open-source").addEventListener("click", showSource);
  find("open-edit").addEventListener("click", editPlan);
  find("open-keys").addEventListener("click", showKeys);
  find("open-import").addEventListener("click", () => find("import-file").click());
  find("import-file").addEventListener("change", takeIn);
  find("finish").addEventListener("click", decide);
  find("search").addEventListener("submit", (event) => {
    event.preventDefault();
    rows.nextHit(1);
  });
  find("search-text").addEventListener("input", (event) => rows.search(event.target.value));
  find("search-text").addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.target.value = "";
      rows.search("");
      rows.move(0);
    }
  });
  document.addEventListener("keydown", press);
  document.addEventListener("text-changed", load);
  addEventListener("beforeunload", (event) => {
    if (!state.isOver && document.querySelector("form.writing textarea")?.value) {
      event.preventDefault();
    }
  });
}

async function begin() {
  listenToTools();
  rows.listenToMouse(drawFoot);
  if (!hasToken()) {
    find("title").textContent = "This page needs its whole address";
    find("about").textContent = "Open the address from your terminal once more; it is not kept in the browser.";
    return;
  }
  if (await load()) {
    listen((message) => HEARD[message.kind]?.(message), lost);
  }
}

begin();
