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

// search hides the rows of a table that do not have each word of a text.
function search(input) {
  const table = input.closest("[data-table]"), words = input.value.toLowerCase().split(/\s+/);
  let found = 0;
  const rows = table.querySelectorAll("tbody tr");
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) found++;
  }
  table.querySelector(".rows").textContent = found + " of " + rows.length + " rows";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sort]");
  if (button) sortBy(button.closest("th"));
});

// find searches the methods of a report from its header, which has a search only with this script.
function find(input) {
  location.hash = "methods";
  const field = document.querySelector("#methods [data-search]");
  if (field) search(Object.assign(field, { value: input.value }));
}
for (const field of document.querySelectorAll("header [hidden]")) field.hidden = false;

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-find]")) find(event.target);
  if (event.target.matches("[data-search]")) search(event.target);
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

// A page of a report begins at its top.
addEventListener("hashchange", () => {
  if (document.querySelector(".page:target")) scrollTo(0, 0);
});
loadAgain();
