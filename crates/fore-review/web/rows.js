// The rows of the plan: which one is chosen, the comments beneath them, what is searched and where headings are.

import { find, get, h, lineWords, plural, post, say, state, trying, warn } from "./site.js";

let rows = [];
let active = -1;
/** The other end of a marked range; the active row itself where nothing is marked. */
let other = -1;
let isDragging = false;
let form = null;
let shown = () => {};

const plan = () => find("plan");

/** Draws the plan, or its source. */
export async function drawPlan() {
  const html = state.readsSource ? await get("/api/source") : state.page.html;
  const line = rows[active]?.first ?? 1;
  plan().innerHTML = html;
  rows = [...plan().querySelectorAll("[data-l]")].map((element) => ({
    element,
    first: Number(element.dataset.l),
    last: Number(element.dataset.e),
  }));
  [active, other, form] = [-1, -1, null];
  choose(Math.max(0, rowAt(line)), false);
  drawOutline();
  drawNoted();
  drawLeftOut();
  drawComments();
}

/** The row that holds a line, or the last one before it. */
function rowAt(line) {
  let [low, high, best] = [0, rows.length - 1, -1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (rows[middle].first <= line) {
      [best, low] = [middle, middle + 1];
    } else {
      high = middle - 1;
    }
  }
  return best;
}

function choose(index, takesFocus = true, extends_ = false) {
  if (rows.length === 0) {
    return;
  }
  const before = rows[active];
  if (before) {
    before.element.tabIndex = -1;
    before.element.classList.remove("active");
  }
  marked().forEach((row) => row.element.classList.remove("marked"));
  active = Math.min(Math.max(index, 0), rows.length - 1);
  other = extends_ && other >= 0 ? other : active;
  const row = rows[active];
  row.element.tabIndex = 0;
  row.element.classList.add("active");
  if (other !== active) {
    marked().forEach((one) => one.element.classList.add("marked"));
  }
  if (takesFocus) {
    row.element.focus({ preventScroll: true });
    row.element.scrollIntoView({ block: "nearest" });
  }
  placePlus();
}

function marked() {
  return active < 0 ? [] : rows.slice(Math.min(active, other), Math.max(active, other) + 1);
}

/** The lines that a comment would be about. */
export function chosenLines() {
  const all = marked();
  return { first: Math.min(...all.map((row) => row.first)), last: Math.max(...all.map((row) => row.last)) };
}

export const move = (by, extends_ = false) => choose(active + by, true, extends_);
export const toEnd = (isEnd) => choose(isEnd ? rows.length - 1 : 0);
export const unmark = () => {
  const hadMark = active !== other;
  choose(active);
  return hadMark;
};

export function goToLine(line) {
  choose(Math.max(0, rowAt(line)));
  rows[active]?.element.scrollIntoView({ block: "center" });
}

function placePlus() {
  const plus = find("plus");
  const row = rows[active];
  plus.hidden = !row || state.isOver || state.page?.kind !== "review";
  if (plus.hidden) {
    return;
  }
  const { first, last } = chosenLines();
  plus.setAttribute("aria-label", `Comment on ${lineWords(first, last)}`);
  const main = plus.offsetParent.getBoundingClientRect();
  // Beside the first line of its words.
  const above = Number.parseFloat(getComputedStyle(row.element).paddingTop) || 0;
  plus.style.top = `${row.element.getBoundingClientRect().top - main.top + above}px`;
}

const rowOf = (target) => rows.findIndex((row) => row.element === target.closest?.("[data-l]"));

function isInGutter(event) {
  const gutter = Number.parseFloat(getComputedStyle(plan()).getPropertyValue("--gutter-px")) || 56;
  return event.clientX - plan().getBoundingClientRect().left < gutter;
}

/** The mouse chooses a row; in the gutter it comments, and drags over several. */
export function listenToMouse(whenShown) {
  shown = whenShown;
  const article = plan();
  article.addEventListener("mousedown", (event) => {
    const index = rowOf(event.target);
    if (index < 0 || event.button !== 0 || event.target.closest("a, button, .thread")) {
      return;
    }
    isDragging = isInGutter(event);
    if (isDragging) {
      event.preventDefault();
    }
    choose(index, isDragging, event.shiftKey);
  });
  article.addEventListener("mouseover", (event) => {
    const index = isDragging ? rowOf(event.target) : -1;
    if (index >= 0) {
      choose(index, true, true);
    }
  });
  document.addEventListener("mouseup", () => {
    if (isDragging) {
      isDragging = false;
      beginComment();
    }
  });
  article.addEventListener("focusin", (event) => {
    const index = rows.findIndex((row) => row.element === event.target);
    if (index >= 0 && index !== active) {
      choose(index, false);
    }
  });
  find("plus").addEventListener("click", () => beginComment());
  new ResizeObserver(placePlus).observe(article);
}

function putBeneath(line, element) {
  const row = rows[rowAt(line)];
  if (!row) {
    plan().append(element);
  } else if (row.element.tagName === "TR") {
    const cell = h("td", { colspan: "100" }, element);
    row.element.after(h("tr", { class: "thread-row" }, cell));
  } else if (row.element.tagName === "LI") {
    const inner = [...row.element.children].find((child) => ["UL", "OL"].includes(child.tagName));
    row.element.insertBefore(element, inner ?? null);
  } else {
    row.element.after(element);
  }
}

const remove = (element) => (element.closest(".thread-row") ?? element).remove();

/** All comments beneath their rows; the one that is being written stays as it is. */
export function drawComments() {
  plan().querySelectorAll("section.thread").forEach(remove);
  for (const comment of state.draft?.comments ?? []) {
    if (!(form && form.first === comment.first && form.last === comment.last)) {
      putBeneath(comment.last, thread(comment));
    }
  }
  placePlus();
  shown();
}

function thread(comment) {
  const words = lineWords(comment.first, comment.last);
  const anchors = { same: "", changed: ", the line has changed", older: ", written on an older text" };
  const about = `${words}${comment.isDraft ? ", a draft" : ""}${anchors[comment.anchor]}`;
  const isOld = comment.anchor !== "same";
  return h(
    "section",
    { class: "thread", role: "group", "aria-label": `Comment on ${about}`, "data-first": comment.first, "data-last": comment.last },
    h("p", { class: "about" }, `Your comment on ${about}`),
    isOld && h("blockquote", { class: "quote" }, comment.quote),
    h("div", { class: "body", html: comment.html }),
    comment.suggestion !== null && h("div", { class: "suggested", html: comment.suggestion }),
    h(
      "p",
      { class: "buttons" },
      comment.suggestion !== null &&
        h("button", { type: "button", class: "apply", onclick: () => apply(comment) }, "Apply suggestion"),
      h("button", { type: "button", onclick: () => beginComment(comment) }, "Change", h("span", { class: "spoken" }, ` the comment on ${words}`)),
      h("button", { type: "button", onclick: () => removeComment(comment) }, "Remove", h("span", { class: "spoken" }, ` the comment on ${words}`)),
    ),
  );
}

export function take(draft) {
  if (draft) {
    const isOther = draft.textHash !== state.page.textHash;
    state.draft = draft;
    if (isOther) {
      document.dispatchEvent(new Event("text-changed"));
    } else {
      drawComments();
    }
  }
  return draft;
}

export async function apply(comment) {
  if (await trying(async () => take(await post("/api/suggestion", { first: comment.first, last: comment.last })))) {
    say(`The suggestion on ${lineWords(comment.first, comment.last)} is in the plan now.`);
  }
}

async function removeComment({ first, last }) {
  if (await trying(async () => take(await post("/api/comment", { first, last, text: "" })))) {
    say(`The comment on ${lineWords(first, last)} is removed.`);
    choose(rowAt(last));
  }
}

export function removeHere() {
  const { first, last } = chosenLines();
  const comment = state.draft.comments.find((one) => one.first <= last && one.last >= first);
  if (comment) {
    removeComment(comment);
  } else {
    say("There is no comment on this line.");
  }
}

const source = (first, last) => state.page.text.split("\n").slice(first - 1, last).join("\n");

/** A field beneath the marked rows; what is typed is kept as a draft. */
export function beginComment(before = null, suggests = false) {
  if (state.isOver || state.page?.kind !== "review") {
    return;
  }
  closeForm();
  const { first, last } = before ?? chosenLines();
  const there = before ?? state.draft.comments.find((one) => one.first === first && one.last === last);
  let timer = null;
  const field = h("textarea", { rows: 4, "aria-label": `Comment on ${lineWords(first, last)}`, placeholder: "Markdown" });
  field.value = there?.text ?? "";
  const keep = (draft) => post("/api/comment", { first, last, text: field.value, draft });
  const save = async () => {
    clearTimeout(timer);
    const isBlank = field.value.trim() === "";
    if (await trying(async () => {
      const draft = await keep(false);
      closeForm();
      return take(draft);
    })) {
      say(isBlank ? "Nothing was added." : `Comment on ${lineWords(first, last)} added.`);
      choose(rowAt(last));
    }
  };
  const cancel = () => {
    clearTimeout(timer);
    closeForm();
    trying(async () => take(await post("/api/comment", { first, last, text: there?.text ?? "", draft: there?.isDraft ?? false })));
    choose(rowAt(last));
  };
  const suggest = () => {
    const [start, end] = ["```suggestion\n", "\n```"];
    const at = field.value === "" ? 0 : field.value.length + 1;
    field.value = `${field.value === "" ? "" : `${field.value}\n`}${start}${source(first, last)}${end}`;
    field.focus();
    field.setSelectionRange(at + start.length, field.value.length - end.length);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => keep(true).then((draft) => (state.draft = draft), () => {}), 1000);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      cancel();
    }
  });
  const element = h(
    "form",
    { class: "thread writing", onsubmit: (event) => (event.preventDefault(), save()) },
    h("p", { class: "about" }, `Comment on ${lineWords(first, last)}`),
    field,
    h(
      "p",
      { class: "buttons" },
      h("button", { type: "submit", class: "primary" }, "Add comment"),
      h("button", { type: "button", onclick: suggest }, "Suggest a change"),
      h("button", { type: "button", onclick: cancel }, "Cancel"),
    ),
  );
  const keepNow = async () => {
    clearTimeout(timer);
    if (field.value.trimEnd() !== (there?.text ?? "").trimEnd()) {
      state.draft = await keep(true);
    }
  };
  form = { element, first, last, keepNow };
  drawComments();
  putBeneath(last, element);
  field.focus();
  if (suggests) {
    suggest();
  }
}

/** What is being written counts as a draft from now on. */
export const keepWriting = () => trying(async () => form?.keepNow());

function closeForm() {
  if (form) {
    remove(form.element);
    form = null;
  }
}

export function drawOutline() {
  const link = (entry) => {
    const go = (event) => (event.preventDefault(), goToLine(entry.line));
    return h("li", { class: `level-${entry.level}` }, h("a", { href: `#L${entry.line}`, onclick: go }, entry.text || "(no words)"));
  };
  const entries = state.page.outline ?? [];
  const nothing = h("p", {}, "This plan has no headings.");
  find("outline").replaceChildren(entries.length === 0 ? nothing : h("ol", {}, entries.map(link)));
}

/** Rows that the plan check says something about. */
export function drawNoted() {
  const noted = new Set((state.page.notes ?? []).filter((note) => note.line).map((note) => rowAt(note.line)));
  rows.forEach((row, index) => row.element.classList.toggle("noted", noted.has(index)));
}

/** Steps that are left out are seen as such. */
export function drawLeftOut() {
  const out = (state.page.steps ?? []).filter((step) => state.leftOut.has(step.number));
  for (const row of rows) {
    row.element.classList.toggle("left-out", out.some((step) => row.first >= step.firstLine && row.first <= step.lastLine));
  }
}

export const stepHere = () => {
  const line = rows[active]?.first ?? 0;
  return (state.page.steps ?? []).find((step) => step.firstLine <= line && line <= step.lastLine);
};

let hits = [];
let hit = -1;

/** Marks the rows that hold the words, and goes to the first one from here on. */
export function search(words) {
  hits.forEach((index) => rows[index]?.element.classList.remove("hit"));
  const wanted = words.trim().toLowerCase();
  const text = (row) => (row.element.firstChild ? ownText(row.element) : "").toLowerCase();
  hits = wanted === "" ? [] : rows.flatMap((row, index) => (text(row).includes(wanted) ? [index] : []));
  hits.forEach((index) => rows[index].element.classList.add("hit"));
  hit = hits.findIndex((index) => index >= active);
  hit = hit < 0 && hits.length > 0 ? 0 : hit;
  tellHit(wanted === "");
}

function ownText(element) {
  if (element.tagName !== "LI") {
    return element.textContent;
  }
  return [...element.childNodes].filter((node) => !["UL", "OL", "SECTION"].includes(node.nodeName)).map((node) => node.textContent).join("");
}

function tellHit(isOver) {
  find("search-found").textContent = isOver ? "" : hits.length === 0 ? "not found" : `${hit + 1} of ${hits.length}`;
  if (!isOver) {
    say(hits.length === 0 ? "not found" : `${plural(hits.length, "place")}, this is number ${hit + 1}`);
  }
  if (hits.length > 0) {
    const { element } = rows[hits[hit]];
    choose(hits[hit], false);
    element.scrollIntoView({ block: "center" });
  }
}

export function nextHit(by) {
  if (hits.length === 0) {
    return warn("");
  }
  hit = (hit + by + hits.length) % hits.length;
  tellHit(false);
  return rows[hits[hit]].element.focus({ preventScroll: true });
}

/** Whether the last row has been on the screen. */
export function watchEnd(seen) {
  const last = rows.at(-1)?.element;
  if (!last) {
    return seen();
  }
  const watcher = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) {
      watcher.disconnect();
      seen();
    }
  });
  return watcher.observe(last);
}
