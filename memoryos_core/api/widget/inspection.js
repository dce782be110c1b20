// The widget of a memory. Remembered text becomes text nodes alone: nothing here makes markup of a string.

const VIEWS = ["Overview", "Knowledge", "Topics", "Recall"];
const PATIENCE = 20000; // milliseconds until a kernel that does not answer is told of
let instances = 0;

// Return an element with a class, and children that are elements or texts.
function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return element;
}

// Return a heading that the list of contents of a notebook leaves out.
function heading(text) {
  const element = make("p", "heading", text);
  element.setAttribute("role", "heading");
  element.setAttribute("aria-level", "2");
  return element;
}

function count(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many || one + "s"}`;
}

function overview(part) {
  const tier = (name, number, said) => make("section", "", heading(name), make("p", "count", number), make("p", "", said));
  const archived = part.archived ? `; ${count(part.archived, "turn")} archived` : "";
  const known = `facts, ${count(part.fields, "profile field")}, ${count(part.traits, "trait")}`;
  return make("div", "",
    make("p", "", `${count(part.turns, "turn")} of ${count(part.sessions, "session")} are remembered.`),
    make("div", "tiers",
      tier("Short term", part.short_term, "turns that were not sorted into topics yet"),
      tier("Mid term", part.topics, `topics of ${count(part.mid_term, "turn")}${archived}`),
      tier("Long term", part.facts, known)),
    make("p", "about", `${count(part.held, "fact")} held back for a person to look at.`));
}

function fact(one) {
  const until = one.until ? ` to ${one.until}` : "";
  const source = one.turns ? `from ${count(one.turns, "turn")}` : "told on purpose";
  const item = make("li", one.status === "current" ? "" : "former", make("span", "text", one.text));
  if (one.now) item.append(make("span", "now", `→ ${one.now}`));
  item.append(make("p", "about", `since ${one.since}${until} · of the ${one.about} · trust: ${one.trust} · ${source}`));
  return item;
}

function facts(part) {
  const list = (title, kind) => [
    heading(`${title} (${part.counts[kind]})`),
    part[kind].length ? make("ul", "rows", ...part[kind].map(fact)) : make("p", "about", "none"),
    ...(part.counts[kind] > part[kind].length ? [make("p", "about", `the newest ${part[kind].length} are shown`)] : []),
  ];
  return make("div", "", ...list("Current", "current"), ...list("Former", "former"));
}

function knowledge(part, talk) {
  const shown = make("div", "shown", facts(part));
  const field = make("input");
  field.type = "search";
  const label = make("label", "", "Facts with the words ", field);
  const form = make("form", "ask", label, make("button", "", "Find"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    talk({ kind: "facts", text: field.value }, shown, facts);
  });
  return make("div", "", form, shown);
}

function topics(part) {
  if (!part.rows.length) return make("p", "", "There are no topics yet: turns leave short-term memory in batches, when a worker runs.");
  const hottest = Math.max(...part.rows.map((row) => row.heat), 0.01);
  const most = Math.max(...part.rows.flatMap((row) => row.heat_by_month), 0.01);
  const heads = ["Topic", "Heat", ...part.months].map((name) => {
    const head = make("th", "", name);
    head.scope = "col";
    return head;
  });
  const rows = part.rows.map((row) => {
    const bar = make("span", "bar");
    bar.style.width = `${Math.max(0, (row.heat / hottest) * 5)}rem`;
    const name = make("th", "topic", row.title, make("p", "about", row.summary));
    name.scope = "row";
    const cells = row.by_month.map((turns, at) => {
      const heat = row.heat_by_month[at];
      const cell = make("td", "month", turns || "");
      if (heat) cell.style.setProperty("--share", `${Math.round((50 * heat) / most)}%`);
      cell.title = `${part.months[at]}: heat ${heat.toFixed(2)}, ${count(turns, "turn")}`;
      return cell;
    });
    return make("tr", "", name, make("td", "heat", bar, ` ${row.heat.toFixed(2)}`), ...cells);
  });
  const scrolled = make("div", "scrolled", make("table", "", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows)));
  scrolled.tabIndex = 0; // a keyboard scrolls it
  scrolled.setAttribute("role", "region");
  scrolled.setAttribute("aria-label", "Topics by month");
  return make("div", "", make("p", "about", `Heat today; in each month its turns, on a colour as strong as its heat was. ${count(part.total, "topic")} in all.`), scrolled);
}

function hit(one) {
  const whole = one.signals.reduce((sum, [, value]) => sum + Math.max(0, value), 0) || 1;
  const bars = make("span", "signals");
  bars.setAttribute("aria-hidden", "true");
  one.signals.forEach(([, value], index) => {
    if (value <= 0) return;
    const bar = make("span", `s${index % 8}`);
    bar.style.width = `${(value / whole) * 100}%`;
    bars.append(bar);
  });
  const said = [`relevance ${one.score.toFixed(2)}`, one.day, one.tier.replace("_", " ")];
  said.push(...one.signals.filter(([, value]) => Math.abs(value) >= 0.005).map(([name, value]) => `${name} ${value > 0 ? "+" : ""}${value.toFixed(2)}`));
  const item = make("li", "", make("span", "text", one.text), bars, make("p", "about", said.join(" · ")));
  if (one.why) item.append(make("p", "about", one.why));
  return item;
}

function recalled(found) {
  const meter = make("meter");
  meter.max = found.budget;
  meter.value = found.tokens;
  meter.setAttribute("aria-label", "tokens of the budget");
  const text = make("pre", "", found.text || "Nothing is remembered about that, or nothing of it fits.");
  text.tabIndex = 0;
  const list = (tag, hits, none) => (hits.length ? make(tag, "rows", ...hits.map(hit)) : make("p", "about", none));
  return make("div", "",
    heading("The text that a prompt gets"),
    make("p", "about", meter, ` ${found.tokens} of ${found.budget} tokens; ${found.milliseconds} ms`),
    text,
    heading("Hits, best first"),
    list("ol", found.hits, "No hit was relevant enough."),
    heading("What just missed"),
    list("ul", found.missed, "Nothing else was found."));
}

function bench(talk) {
  const shown = make("div", "shown");
  const question = make("input", "question");
  const budget = make("input", "budget");
  budget.inputMode = "numeric";
  const form = make("form", "ask", make("label", "wide", "Question ", question), make("label", "", "tokens ", budget), make("button", "", "Recall"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    talk({ kind: "recall", text: question.value, budget: budget.value.trim() }, shown, recalled);
  });
  return make("div", "", form, shown);
}

// Return a function that asks the kernel, and shows its answer, or what went wrong, in an element.
function conversation(model, whenGone) {
  const waiting = new Map();
  let number = 0;
  const receive = (message) => {
    const asked = message && waiting.get(message.number);
    if (!asked) return;
    waiting.delete(message.number);
    clearTimeout(asked.timer);
    if (asked.element.dataset.asked !== String(message.number)) return; // a newer question was asked there
    asked.element.replaceChildren(message.problem ? make("p", "problem", message.problem) : asked.show(message.found));
  };
  model.on("msg:custom", receive);
  whenGone.push(() => {
    model.off("msg:custom", receive);
    waiting.forEach((asked) => clearTimeout(asked.timer));
  });
  return (message, element, show) => {
    number += 1;
    const own = number;
    element.dataset.asked = String(own);
    element.setAttribute("aria-live", "polite");
    element.replaceChildren(make("p", "about", "asking the kernel …"));
    const timer = setTimeout(() => {
      const late = element.dataset.asked === String(own);
      if (late && waiting.has(own)) element.replaceChildren(make("p", "problem", "The kernel does not answer: run the cell again, or wait until the running cell ends."));
    }, PATIENCE);
    waiting.set(own, { element, show, timer });
    model.send({ ...message, number: own });
  };
}

function tabs(panels, prefix) {
  const list = make("div", "tabs");
  list.setAttribute("role", "tablist");
  const buttons = VIEWS.map((name, index) => {
    const button = make("button", "", name);
    button.type = "button";
    button.id = `${prefix}-tab-${index}`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `${prefix}-panel-${index}`);
    panels[index].id = `${prefix}-panel-${index}`;
    panels[index].setAttribute("role", "tabpanel");
    panels[index].setAttribute("aria-labelledby", button.id);
    return button;
  });
  const choose = (chosen) => buttons.forEach((button, index) => {
    button.setAttribute("aria-selected", String(index === chosen));
    button.tabIndex = index === chosen ? 0 : -1;
    panels[index].hidden = index !== chosen;
  });
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => choose(index));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // the notebook has keys of its own
      const next = (index + step + VIEWS.length) % VIEWS.length;
      choose(next);
      buttons[next].focus();
    });
  });
  list.append(...buttons);
  choose(0);
  return list;
}

function render({ model, el }) {
  const parts = model.get("parts");
  const whenGone = [];
  const talk = conversation(model, whenGone);
  const panels = [overview(parts.overview), knowledge(parts.knowledge, talk), topics(parts.topics), bench(talk)];
  instances += 1;
  const { user, assistant, actor } = parts.whose;
  const whose = `${user} with ${assistant}${actor ? `, as ${actor}` : ""}`;
  const root = make("div", "memoryos", make("p", "whose", make("b", "", "Memory"), ` of ${whose}`), tabs(panels, `memoryos-${instances}`), ...panels);
  root.addEventListener("keydown", (event) => event.stopPropagation()); // typing here is no command of the notebook
  el.replaceChildren(root);
  return () => whenGone.forEach((call) => call());
}

export default { render };
