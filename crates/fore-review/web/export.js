// Comments in a file of a plan: written beneath its rows, saved as a small file for whoever sent the plan.
"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const told = JSON.parse(find("told").textContent);
  const plan = find("plan");
  const rows = [...plan.querySelectorAll("[data-l]")];
  const comments = [];
  let active = rows[0];
  let other = rows[0];
  let isSaved = true;

  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...children);
    return element;
  };
  const button = (words, act) => {
    const element = make("button", { type: "button" }, words);
    element.addEventListener("click", act);
    return element;
  };
  const lines = () => {
    const all = [active, other].flatMap((row) => [Number(row.dataset.l), Number(row.dataset.e)]);
    return [Math.min(...all), Math.max(...all)];
  };
  const words = ([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`);

  function choose(row, extends_) {
    rows.forEach((one) => one.classList.remove("active", "marked"));
    active.tabIndex = -1;
    active = row;
    other = extends_ ? other : row;
    active.tabIndex = 0;
    const [first, last] = lines();
    rows.filter((one) => Number(one.dataset.l) >= first && Number(one.dataset.l) <= last).forEach((one) => one.classList.add("marked"));
    active.classList.add("active");
    const plus = find("plus");
    plus.hidden = false;
    plus.setAttribute("aria-label", `Comment on ${words(lines())}`);
    plus.style.top = `${row.getBoundingClientRect().top - plus.offsetParent.getBoundingClientRect().top}px`;
  }

  function place(line, element) {
    const row = rows.filter((one) => Number(one.dataset.l) <= line).at(-1) ?? rows[0];
    if (row.tagName === "TR") {
      row.after(make("tr", {}, make("td", { colspan: "100" }, element)));
    } else if (row.tagName === "LI") {
      row.append(element);
    } else {
      row.after(element);
    }
  }

  function tell() {
    find("pending").textContent = comments.length === 0 ? "no comments yet" : comments.length === 1 ? "1 comment" : `${comments.length} comments`;
  }

  function show(comment) {
    const about = `Comment on ${words([comment.firstLine, comment.lastLine])}`;
    const element = make("section", { class: "thread", role: "group", "aria-label": about }, make("p", { class: "about" }, about));
    const body = make("p", { class: "quote" }, comment.remark);
    element.append(body, button("Remove", () => {
      comments.splice(comments.indexOf(comment), 1);
      element.remove();
      tell();
    }));
    place(comment.lastLine, element);
  }

  function write(suggests) {
    document.querySelector("form.writing")?.remove();
    const [first, last] = lines();
    const quote = told.lines.slice(first - 1, last).join("\n");
    const field = make("textarea", { rows: "4", "aria-label": `Comment on ${words([first, last])}` });
    field.value = suggests ? `\`\`\`suggestion\n${quote}\n\`\`\`` : "";
    const add = () => {
      if (field.value.trim() !== "") {
        const comment = { firstLine: first, lastLine: last, quote, remark: field.value.trim() };
        comments.push(comment);
        isSaved = false;
        form.remove();
        show(comment);
        tell();
        find("live").textContent = `Comment on ${words([first, last])} added.`;
      }
      active.focus();
    };
    const row = make("p", { class: "buttons" }, button("Add comment", add), button("Suggest a change", () => write(true)), button("Cancel", () => form.remove()));
    const form = make("form", { class: "thread writing" }, make("p", { class: "about" }, `Comment on ${words([first, last])}`), field, row);
    form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        add();
      } else if (event.key === "Escape") {
        form.remove();
        active.focus();
      }
    });
    place(last, form);
    field.focus();
  }

  function save() {
    const file = { format: told.format, plan: told.plan, by: find("by").value, comments };
    const link = make("a", { href: URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" })), download: `${told.name}.comments.json` });
    link.click();
    isSaved = true;
    find("live").textContent = "Saved as a file; send it back.";
  }

  plan.addEventListener("click", (event) => {
    const row = event.target.closest("[data-l]");
    if (row && !event.target.closest("a, button, .thread")) {
      choose(row, event.shiftKey);
    }
  });
  plan.addEventListener("focusin", (event) => event.target.matches("[data-l]") && event.target !== active && choose(event.target, false));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, button") || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const row = step && rows[rows.indexOf(active) + step];
    if (row) {
      event.preventDefault();
      choose(row, event.shiftKey);
      row.focus();
    } else if (["c", "Enter"].includes(event.key)) {
      event.preventDefault();
      write(false);
    }
  });
  find("plus").addEventListener("click", () => write(false));
  find("save").addEventListener("click", save);
  addEventListener("beforeunload", (event) => !isSaved && event.preventDefault());
  tell();
  if (active) {
    choose(active, false);
  }
})();
