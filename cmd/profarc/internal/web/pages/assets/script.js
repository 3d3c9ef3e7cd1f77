"use strict";
// All pages work without this script. It sorts and searches the tables of a report, loads pages
// again that wait for a computation, and adds keys.

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
loadAgain();
