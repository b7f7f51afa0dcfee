// The answer: chosen in a dialog, confirmed in a second step where it approves, sent with the bytes that were shown.

import { chosenSteps } from "./panels.js";
import { keepWriting } from "./rows.js";
import { find, h, plural, post, Refused, say, state, warn } from "./site.js";

let hasSeenEnd = false;
let dialog = null;

export const sawEnd = (seen) => {
  hasSeenEnd = seen;
};

/** What waits to be sent, beneath the plan. */
export function drawFoot() {
  const isReview = state.page?.kind === "review" && !state.isOver;
  find("foot").hidden = !isReview;
  if (!isReview) {
    return;
  }
  const { unsent, isEdited } = state.draft;
  const parts = [unsent && `${unsent} not sent`, isEdited && "edited by you", state.leftOut.size > 0 && `${plural(state.leftOut.size, "step")} left out`];
  find("pending").textContent = parts.filter(Boolean).join(" · ") || "Nothing is answered by closing this page.";
}

function open(...children) {
  close();
  const opened = h("dialog", { "aria-labelledby": "dialog-title" }, ...children);
  document.body.append(opened);
  // It is told late, when another one may be open.
  opened.addEventListener("close", () => opened.remove());
  opened.showModal();
  dialog = opened;
}

function close() {
  dialog?.close();
  dialog?.remove();
  dialog = null;
}

/** The choices; the careful one is marked. */
export async function decide() {
  if (state.isOver || state.page?.kind !== "review") {
    return;
  }
  await keepWriting();
  const { options } = state.page;
  const careful = options.find((option) => option.meaning === "keep");
  const row = (option) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name: "answer", value: option.value, checked: option === careful }),
      h("span", {}, option.label),
      h("span", { class: `mode mode-${option.leadsTo}` }, option.leadsTo),
    );
  const summary = h("textarea", { id: "summary", rows: 4 });
  summary.value = state.draft.note;
  let timer = null;
  const keep = () => post("/api/note", { text: summary.value }).then((draft) => (state.draft = draft));
  summary.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => keep().catch(() => {}), 800);
  });
  const go = async (event) => {
    event.preventDefault();
    clearTimeout(timer);
    const { value } = event.target.elements.answer;
    try {
      if (summary.value !== state.draft.note) {
        await keep();
      }
    } catch (refused) {
      return tell(refused.message);
    }
    drawFoot();
    return consider(options.find((option) => option.value === value));
  };
  open(
    h(
      "form",
      { onsubmit: go },
      h("h2", { id: "dialog-title" }, "Your answer"),
      h("p", { id: "dialog-problem", role: "alert" }),
      state.draft.unsent !== "" && h("p", {}, `Not sent yet: ${state.draft.unsent}.`),
      h("label", { for: "summary" }, "Summary for the whole plan"),
      summary,
      h("fieldset", {}, h("legend", {}, "Answer"), options.map(row)),
      h(
        "p",
        { class: "buttons" },
        h("button", { type: "submit", class: "primary" }, "Continue"),
        h("button", { type: "button", onclick: close }, "Back to the plan"),
      ),
    ),
  );
  dialog.querySelector("input:checked").focus();
}

function tell(words) {
  const problem = dialog?.querySelector("#dialog-problem");
  if (problem) {
    problem.textContent = words;
  } else {
    warn(words);
  }
}

function consider(option) {
  const isApproval = option.meaning === "approve";
  if (isApproval && !hasSeenEnd && !state.draft.isEdited) {
    return tell("You have not seen the end of this plan yet: go back and read to its last line.");
  }
  if (!isApproval && option.meaning === "keep") {
    return send(option, null, state.draft.version);
  }
  const steps = chosenSteps();
  // What is shown here is what is answered, whatever is written elsewhere meanwhile.
  const { unsent: words, version } = state.draft;
  const facts = [
    isApproval && `Revision ${state.page.revision}${state.draft.isEdited ? " as edited by you" : ""}, ${state.page.shortHash}.`,
    isApproval && steps && `Only ${steps.length} of ${state.page.steps.length} steps.`,
    isApproval && `The work begins in the mode ${option.leadsTo}.`,
    option.value === "discard" && "The plan is thrown away.",
  ].filter(Boolean);
  const buttons = [];
  const answer = (label, sent, kind = "") => buttons.push(h("button", { type: "button", class: kind, onclick: () => send(option, sent, version) }, label));
  if (words === "") {
    answer(isApproval ? "Approve" : option.label, null, "primary");
  } else if (isApproval) {
    answer(`Approve with ${words}`, "send", "primary");
    answer(`Approve and throw ${words} away`, "drop");
    const keep = state.page.options.find((one) => one.meaning === "keep");
    buttons.push(h("button", { type: "button", onclick: () => send(keep, null, version) }, `Keep planning with ${words}`));
  } else {
    answer(`${option.label}, and throw ${words} away`, "drop", "primary");
  }
  const back = h("button", { type: "button", class: "back", onclick: decide }, "Back");
  open(
    h("h2", { id: "dialog-title" }, isApproval ? "Approve this plan?" : `${option.label}?`),
    h("p", { id: "dialog-problem", role: "alert" }),
    words !== "" && h("p", { class: "warning" }, `Not sent yet: ${words}.`),
    h("ul", {}, facts.map((fact) => h("li", {}, fact))),
    h("p", { class: "buttons" }, back, ...buttons),
  );
  // An Enter that came along with the one before goes back, and approves nothing.
  return back.focus();
}

async function send(option, words, version) {
  const { agentId, contract } = state.page;
  const answer = {
    agentId,
    selected: option.value,
    leadsTo: option.leadsTo,
    textHash: state.page.textHash,
    contractHash: option.meaning === "approve" && contract.isCurrent && contract.summary !== null ? contract.hash : null,
    steps: chosenSteps(),
    words,
    draft: version,
  };
  try {
    await post("/api/answer", answer);
    // It may be decided before this is heard.
    if (!state.isOver && dialog) {
      tell("Sent…");
    }
  } catch (refused) {
    if (!(refused instanceof Refused)) {
      throw refused;
    }
    if (refused.body.unsent !== undefined) {
      return tell(`Not sent yet: ${refused.body.unsent}. Go back and say what becomes of it.`);
    }
    tell(refused.message);
  }
}

/** The answer did not count; the plan still waits. */
export function notCounted(why) {
  tell(`The answer did not count: ${why}`);
}

/** It was answered, here or elsewhere: nothing can be done on this page any more. */
export function over(message) {
  close();
  state.isOver = true;
  document.body.classList.add("over");
  const where = message.here ? "" : " It was answered elsewhere: in the terminal, or in another tab.";
  warn(`${message.text}${where} This page answers nothing any more.`);
  drawFoot();
  find("plus").hidden = true;
}

export function again() {
  close();
  state.isOver = false;
  hasSeenEnd = false;
  document.body.classList.remove("over");
  warn("");
}

/** All keys; letters can be turned off. */
export function showKeys() {
  const keys = [
    ["j k ↓ ↑", "a row down or up; g G its start and end"],
    ["Shift+↓ ↑, v", "mark rows"],
    ["c, Enter", "comment on the marked rows"],
    ["i", "suggest other words for them"],
    ["y", "apply the suggestion on this row"],
    ["x", "remove the comment on this row"],
    ["m", "leave the step under the cursor out, or take it in again"],
    ["/ n N", "search; the next place and the one before"],
    ["o", "outline"],
    [". ,", "the next note of the plan check, and the one before"],
    ["p d t r s", "what the plan covers, changes, what was tried, earlier comments, steps"],
    ["e", "edit the plan"],
    ["u", "source or rendered"],
    ["a", "answer"],
    ["Ctrl+Enter", "finish what you write; Esc leaves it"],
  ];
  const toggle = h("input", { type: "checkbox", checked: state.hasKeys, onchange: (event) => (state.hasKeys = event.target.checked) });
  open(
    h("h2", { id: "dialog-title" }, "Keys"),
    h("dl", { class: "keys" }, keys.flatMap(([key, does]) => [h("dt", {}, key), h("dd", {}, does)])),
    h("label", {}, toggle, "Letters are commands"),
    h("p", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: close }, "Close")),
  );
}

/** The plan as text, with what it looks like. */
export function editPlan() {
  if (state.isOver || state.page?.kind !== "review") {
    return;
  }
  const base = state.page.textHash;
  const field = h("textarea", { id: "edit-text", spellcheck: "false", "aria-label": "Text of the plan" });
  field.value = state.page.text;
  const preview = h("div", { class: "preview", role: "region", "aria-label": "Preview", tabindex: "0" });
  let timer = null;
  const draw = async () => {
    try {
      preview.innerHTML = await post("/api/preview", { text: field.value });
    } catch (refused) {
      tell(refused.message);
    }
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, 150);
  });
  const save = async (text) => {
    clearTimeout(timer);
    try {
      state.draft = await post("/api/edit", { text, textHash: base });
      close();
      document.dispatchEvent(new Event("text-changed"));
      say(text === null ? "The plan is as proposed again." : "Your text is the plan now; your answer carries it.");
    } catch (refused) {
      tell(refused.message);
    }
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      save(field.value);
    }
  });
  open(
    h("h2", { id: "dialog-title" }, "Edit the plan"),
    h("p", { id: "dialog-problem", role: "alert" }),
    h("div", { class: "edit" }, field, preview),
    h(
      "p",
      { class: "buttons" },
      h("button", { type: "button", class: "primary", onclick: () => save(field.value) }, "Use this text"),
      state.draft.isEdited && h("button", { type: "button", onclick: () => save(null) }, "Take my edit back"),
      h("button", { type: "button", onclick: close }, "Cancel"),
    ),
  );
  dialog.classList.add("wide");
  draw();
  field.focus();
  field.setSelectionRange(0, 0);
  field.scrollTop = 0;
}
