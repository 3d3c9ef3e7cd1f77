"use strict";
// All pages work without this script. It sorts and searches the tables of a report, loads pages again that wait for a
// computation, and adds keys, and colours, tips and zooming to stacks.

// loadAgain loads a page again that is not finished, once nothing in it has the focus: it would be lost.
function loadAgain() {
  const waiting = document.querySelector("[data-again]"), focused = () => document.activeElement !== document.body;
  if (waiting) setTimeout(() => (focused() ? loadAgain() : location.reload()), Number(waiting.dataset.again));
}

// cellValue returns what a cell is sorted by: the number of its text, if it does not say another.
function cellValue(row, at) {
  const cell = row.cells[at], number = cell.classList.contains("number");
  return "value" in cell.dataset ? Number(cell.dataset.value) : number ? Number(cell.textContent.replaceAll(",", "")) : cell.textContent;
}

// sortBy sorts the rows of a table by the column of a heading: numbers from the highest first.
function sortBy(heading) {
  const table = heading.closest("table"), at = heading.cellIndex;
  const number = heading.classList.contains("number");
  const before = heading.getAttribute("aria-sort");
  const falling = before ? before === "ascending" : number;
  for (const th of heading.parentNode.cells) th.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const x = cellValue(a, at), y = cellValue(b, at);
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
    return falling ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

// fold returns a name as searches compare it.
const fold = (text) => text.trim().toLowerCase().replace(/::|[/$]/g, ".").replaceAll(", ", ",");

// expressionOf returns the regular expression of a word, or null: between slashes, with signs of one, or a glob.
function expressionOf(word) {
  const slashed = word.length > 2 && word.startsWith("/") && word.endsWith("/");
  if (slashed) return new RegExp(word.slice(1, -1), "i");
  try {
    if (/[|^\\]|[.)][*+]|.\$$/.test(word)) return new RegExp(word, "i");
  } catch {
    return null; // an operator of C++, for example
  }
  if (!/[*?]/.test(word)) return null;
  const glob = fold(word).replace(/[^\w\s*?]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp("^" + glob + "$", "s");
}

// selectorOf returns a function that reports whether texts have each word of a search. Searches of a server mean the same.
function selectorOf(typed) {
  const meanings = (typed.match(/\/[^/]+\/(?=\s|$)|\S+/g) ?? []).map((word) => [fold(word), expressionOf(word)]);
  const has = (texts, [part, expression]) =>
    texts.some((text) => fold(text).includes(part) || (expression && (expression.test(text.trim()) || expression.test(fold(text)))));
  return (texts) => texts.some((text) => fold(text).includes(fold(typed))) || meanings.every((meaning) => has(texts, meaning));
}

const ADVICE = "Try fewer words, or a part of a name.";

// search hides the rows of a table that a search does not select.
function search(table, typed, selects) {
  const rows = [...table.querySelectorAll("tbody tr")];
  for (const row of rows) row.hidden = !selects([...row.cells].map((cell) => cell.textContent));
  const found = rows.filter((row) => !row.hidden).length, told = table.querySelector(".rows");
  if (told) told.textContent = found ? found + " of " + rows.length + " rows" : "No row matches “" + typed + "”. " + ADVICE;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sort]");
  if (button) sortBy(button.closest("th"));
});

// find searches the page of a report that is shown. Pages without lists to search lead to the methods.
function find(input) {
  let page = [...document.querySelectorAll(".page")].find((section) => section.offsetParent);
  if (/^(overview|m-\d+$|method|p-|pair)/.test(page.id) && page.id !== "methods") {
    leaving = true;
    location.hash = "methods";
    page = document.getElementById("methods");
  }
  let selects;
  try {
    selects = selectorOf(input.value);
    input.setCustomValidity("");
  } catch (problem) {
    input.setCustomValidity(problem.message);
    input.reportValidity();
    return;
  }
  for (const table of page.querySelectorAll("[data-table]")) search(table, input.value, selects);
}
let leaving = false; // find itself leads to another page
for (const field of document.querySelectorAll("header [hidden]")) field.hidden = false;

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-find]")) find(event.target);
});

// The key "/" leads to the search of the page, as in many others.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
  const field = [...document.querySelectorAll("input[type=search]")].find((f) => f.offsetParent);
  if (field) {
    event.preventDefault();
    field.focus();
  }
});

// The link that skips the menu must not lead a report to another of its pages.
document.addEventListener("click", (event) => {
  if (!event.target.closest(".skip")) return;
  event.preventDefault();
  document.getElementById("main").focus();
});

// A page of a report begins at its top, without the search of the page before.
addEventListener("hashchange", () => {
  const field = document.querySelector("[data-find]");
  if (field && field.value && !leaving) {
    field.value = "";
    for (const table of document.querySelectorAll("[data-table]")) search(table, "", () => true);
  }
  leaving = false;
  if (document.querySelector(".page:target")) scrollTo(0, 0);
});

// Stacks: each box has its text in its title, as lines. The first is the name of its method.
const boxesOf = (flame) => [...flame.querySelectorAll("foreignObject")];
const textOf = (box) => box.dataset.text ?? box.title;
const shownFlames = () => [...document.querySelectorAll(".flame")].filter((flame) => flame.getClientRects().length);

// spanOf returns where a box begins and ends, as parts of its graph's width, and its level.
function spanOf(object) {
  const [x, width] = ["x", "width"].map((name) => parseFloat(object.dataset[name] ?? object.getAttribute(name)));
  return { x, width, y: Number(object.getAttribute("y")) };
}

// A tip shows at once what a box is. It stands for the title, which browsers show late.
let tip = null;
function showTip(box, x, y) {
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "tip";
    document.body.append(tip);
  }
  if (box.title) {
    box.dataset.text = box.title;
    box.removeAttribute("title");
  }
  tip.textContent = textOf(box);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - width - 12)) + "px";
  tip.style.top = (y + 20 + height < innerHeight ? y + 18 : y - height - 8) + "px";
}
function hideTip() {
  tip?.remove();
  tip = null;
}
document.addEventListener("pointermove", (event) => {
  const box = event.target.closest?.(".flame .box");
  if (box) showTip(box, event.clientX, event.clientY);
  else hideTip();
});
document.addEventListener("focusin", (event) => {
  const box = event.target.closest(".flame a")?.querySelector(".box");
  if (!box || !event.target.matches(":focus-visible")) return hideTip();
  const { left, bottom } = box.getBoundingClientRect();
  showTip(box, left, bottom - 14);
});
document.addEventListener("focusout", hideTip);
addEventListener("scroll", hideTip, { passive: true });

// mark highlights the boxes that a search selects, and returns their share of the graph: of the outermost ones.
function mark(flame, selects) {
  const found = [];
  for (const object of boxesOf(flame)) {
    const box = object.firstElementChild, isFound = Boolean(selects) && object !== flame.querySelector("foreignObject") && selects([textOf(box).split("\n")[0]]);
    box.classList.toggle("found", isFound);
    if (isFound) found.push(spanOf(object));
  }
  flame.classList.toggle("searched", Boolean(selects));
  found.sort((a, b) => a.x - b.x || b.width - a.width);
  let end = -1, sum = 0;
  for (const { x, width } of found)
    if (x + width > end + 0.0005) {
      sum += x + width - Math.max(x, end);
      end = x + width;
    }
  return sum;
}

// searchStacks highlights while one types. On a server Enter then counts all stacks, also those too narrow for boxes.
function searchStacks(input) {
  for (const flame of shownFlames()) {
    let selects = null;
    try {
      selects = input.value.trim() ? selectorOf(input.value) : null;
    } catch {
      return; // not complete yet
    }
    const share = mark(flame, selects);
    let told = flame.parentElement.querySelector(".matched");
    if (!told) {
      told = Object.assign(document.createElement("p"), { className: "matched" });
      told.setAttribute("role", "status");
      flame.before(told);
    }
    told.textContent = selects ? share.toFixed(1) + "% of the shown boxes go through “" + input.value + "”." + (input.form ? " Enter counts all stacks." : "") : "";
  }
}

// zoomIn widens a box that has no page of its own to the whole graph, as pages of a server do. The outermost box leads back.
function zoomIn(flame, object) {
  const to = spanOf(object), all = boxesOf(flame), up = all.length > 1 && spanOf(all[0]).y > spanOf(all[1]).y;
  for (const other of all) {
    if (!other.dataset.x) Object.assign(other.dataset, { x: other.getAttribute("x"), width: other.getAttribute("width") });
    const from = spanOf(other), above = up ? from.y > to.y : from.y < to.y;
    const left = above ? 0 : ((from.x - to.x) / to.width) * 100, width = above ? 100 : (from.width / to.width) * 100;
    const inside = above ? from.x <= to.x + 0.0005 && from.x + from.width >= to.x + to.width - 0.0005 : left > -0.01 && left + width < 100.01;
    other.setAttribute("x", left + "%");
    other.setAttribute("width", width + "%");
    other.setAttribute("visibility", inside ? "visible" : "hidden");
    const box = other.firstElementChild;
    if (inside && !box.firstElementChild && width > 1.5) box.append(Object.assign(document.createElement("span"), { className: "label", textContent: textOf(box).split("\n")[0] }));
  }
}

document.addEventListener("click", (event) => {
  const object = event.target.closest(".flame foreignObject"), link = event.target.closest(".flame a");
  if (!object) return;
  const around = link?.dataset.around, sandwich = event.shiftKey || document.querySelector("[data-sandwich]")?.checked;
  if (around && sandwich && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    location.href = around;
  } else if (!link || object.dataset.x) {
    event.preventDefault();
    zoomIn(object.closest(".flame"), object);
  }
});

// Arrow keys lead from box to box, s to callers and callees, Escape to all stacks.
function boxInDirection(link, key) {
  const object = link.querySelector("foreignObject"), from = spanOf(object), middle = from.x + from.width / 2;
  const links = [...link.closest(".flame").querySelectorAll("a")].map((a) => ({ a, ...spanOf(a.querySelector("foreignObject")) }));
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const sign = key === "ArrowLeft" ? -1 : 1;
    const beside = links.filter((l) => l.y === from.y && sign * (l.x - from.x) > 0);
    return beside.sort((a, b) => sign * (a.x - b.x))[0]?.a;
  }
  const level = from.y + (key === "ArrowUp" ? -20 : 20);
  const there = links.filter((l) => l.y === level && l.x < from.x + from.width && l.x + l.width > from.x);
  return there.sort((a, b) => b.width - a.width || Math.abs(a.x - middle) - Math.abs(b.x - middle))[0]?.a;
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
  if (event.key === "Escape" && shownFlames().length) {
    hideTip();
    const all = document.querySelector(".zoom a");
    if (all && document.querySelectorAll(".zoom li").length > 1) location.href = all.href;
    for (const flame of shownFlames()) if (boxesOf(flame)[0]?.dataset.x) zoomIn(flame, boxesOf(flame)[0]);
  }
  const link = event.target.closest?.(".flame a");
  if (!link) return;
  if (event.key === "s" && link.dataset.around) location.href = link.dataset.around;
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  boxInDirection(link, event.key)?.focus();
});

// Colours of packages: those with the largest area of an origin have colours of their own, which the legend names.
const COLOURS = { own: 5, library: 4, runtime: 3 };
function colourPackages(flame) {
  const packages = new Map(), used = { own: 0, library: 0, runtime: 0 };
  const originOf = (box) => Object.keys(COLOURS).find((name) => box.classList.contains(name));
  for (const box of flame.querySelectorAll(".box[data-in]")) {
    const known = packages.get(box.dataset.in) ?? { area: 0, boxes: [], origin: originOf(box) };
    packages.set(box.dataset.in, known);
    known.area += parseFloat(box.parentElement.getAttribute("width"));
    known.boxes.push(box);
  }
  const legend = flame.parentElement.querySelector(".colours .packages"), named = !legend || legend.children.length;
  for (const [name, p] of [...packages].sort(([, a], [, b]) => b.area - a.area)) {
    if (!p.origin || used[p.origin] === COLOURS[p.origin]) continue;
    const colour = p.origin + "-" + used[p.origin]++;
    for (const box of p.boxes) box.classList.add(colour);
    if (!named) legend.append(legendEntry(name || "no package", colour));
  }
}
function legendEntry(name, colour) {
  const entry = document.createElement("li"), key = document.createElement("span"), text = document.createElement("bdi");
  key.className = "key " + colour;
  text.textContent = name;
  entry.append(key, text);
  return entry;
}

// colourBy chooses whether colours are packages or own shares, for as long as the tab is open.
function colourBy(what) {
  for (const flame of document.querySelectorAll(".flame.coloured")) flame.classList.toggle("by-share", what === "share");
  for (const option of document.querySelectorAll("[data-colour]")) option.setAttribute("aria-pressed", String(option.dataset.colour === what));
  try {
    sessionStorage.setItem("colours", what);
  } catch {} // not allowed for files in some browsers
}
function chosenColours() {
  try {
    return sessionStorage.getItem("colours") ?? "package";
  } catch {
    return "package";
  }
}
for (const flame of document.querySelectorAll(".flame.coloured")) colourPackages(flame);
if (document.querySelector(".flame.coloured")) colourBy(chosenColours());
for (const hidden of document.querySelectorAll(".colours [hidden]")) hidden.hidden = false;
document.addEventListener("click", (event) => {
  const option = event.target.closest("[data-colour]");
  if (option) colourBy(option.dataset.colour);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("header input[type=search]") && shownFlames().length) searchStacks(event.target);
});
loadAgain();
