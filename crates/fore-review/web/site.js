// The way to the program: the token stays in memory, every request carries it, and what happens comes in as lines.

let token = location.hash.slice(1);
history.replaceState(null, "", "/");

export const hasToken = () => token !== "";

/** An answer of the program that is not what was asked for. */
export class Refused extends Error {
  constructor(status, message, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { ...options.headers, "x-fore-token": token }, credentials: "omit" });
  } catch {
    throw new Refused(0, "The program does not answer any more.", {});
  }
  const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
  const body = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) {
    throw new Refused(answer.status, isJson ? body.error ?? "" : body.trim(), isJson ? body : {});
  }
  return body;
}

export const get = (path) => request(path, { method: "GET" });

export const post = (path, body) =>
  request(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Hands over what happens until the page is over. A new plan brings a new token, which only an open tab hears of. */
export async function listen(hear, lost) {
  for (let failures = 0; failures < 6; failures += 1) {
    try {
      const answer = await fetch("/api/events", { headers: { "x-fore-token": token }, credentials: "omit" });
      if (!answer.ok) {
        return lost(true);
      }
      failures = 0;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          break;
        }
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines.filter((line) => line !== "")) {
          const message = JSON.parse(line);
          if (message.kind === "next") {
            token = message.token;
          }
          hear(message);
        }
      }
    } catch {
      // Tried again below.
    }
    lost(false);
    await wait(500 * 2 ** failures);
  }
  return lost(true);
}

/** An element with attributes, listeners and children; text is never read as HTML. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else if (key === "html") {
      element.innerHTML = value;
    } else if (typeof value === "boolean") {
      element.toggleAttribute(key, value);
    } else if (value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const find = (id) => document.getElementById(id);

/** Said to screen readers, and to nobody else. */
export function say(words) {
  find("live").textContent = "";
  setTimeout(() => {
    find("live").textContent = words;
  }, 30);
}

export function warn(words) {
  const banner = find("banner");
  banner.hidden = words === "";
  banner.replaceChildren(words);
}

/** Does something, and shows why where it was refused. */
export async function trying(action) {
  try {
    warn("");
    return await action();
  } catch (refused) {
    if (!(refused instanceof Refused)) {
      throw refused;
    }
    warn(refused.status === 410 || refused.status === 401 ? "This page is over: the plan was answered or the program has ended." : refused.message);
    return undefined;
  }
}

/** What the page knows: the plan, the draft, and what is left out. */
export const state = { page: null, draft: null, leftOut: new Set(), isOver: false, readsSource: false, hasKeys: true };

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

export const lineWords = (first, last) => (first === last ? `line ${first}` : `lines ${first} to ${last}`);
