// Functions that return problems of the page that is shown, as texts. None changes the page,
// but for the focus and takeHidden. The functions are made once for each page.
globalThis.checks ??= (() => {
  const shown = (e) => e.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true }) && e.getClientRects().length > 0;
  const describe = (e) => (e.cloneNode(false).outerHTML + " " + e.textContent.trim()).slice(0, 160);

  // overflow finds what makes the page wider than the window.
  function overflow() {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const scrolls = (e) => e && e !== document.documentElement && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 0.5 && !scrolls(e.parentElement));
    return ["wider than " + width + ": " + document.documentElement.scrollWidth + ": " + wide.slice(0, 3).map(describe).join(" | ")];
  }

  // injected finds what names from an archive have made of the page.
  function injected() {
    const found = [];
    for (const e of document.querySelectorAll("[data-hostile], [onerror], [onfocus], [onbegin], [onload], [onclick], [style], iframe, object, embed, base, img, animate"))
      found.push("an element: " + describe(e));
    for (const e of document.querySelectorAll("script, style"))
      if (e.textContent.includes("hostile")) found.push("a name in " + describe(e));
    for (const e of document.querySelectorAll("[href], [src], [action], [formaction]"))
      for (const a of ["href", "src", "action", "formaction"])
        if (/^(javascript|vbscript|blob):|^data:./i.test(e.getAttribute(a)?.trim() ?? "") && e.getAttribute(a) !== "data:,") found.push("a link: " + describe(e));
    if (/[\u0000\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML)) found.push("a control character");
    if (document.querySelectorAll("title").length !== 1 + document.querySelectorAll("svg title").length) found.push("another title");
    return found;
  }

  // outsideOfBdi finds right-to-left texts that may reorder what stands around them. A text
  // of SVG is a paragraph of its own.
  function outsideOfBdi() {
    const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let t = texts.nextNode(); t; t = texts.nextNode())
      if (/[\u0590-\u08ff]/.test(t.data) && !t.parentElement.closest("bdi, svg, option, textarea")) found.push("not in bdi: " + describe(t.parentElement));
    return found;
  }

  // colour returns red, green and blue from 0 to 255, and the opacity.
  const colours = new Map();
  function colour(text) {
    if (!colours.has(text)) colours.set(text, paint(text));
    return { ...colours.get(text) };
  }

  // paint finds out what a colour is by painting with it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function paint(text) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#0000";
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  }
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  function luminance({ r, g, b }) {
    const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  }
  function contrast(a, b) {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }

  // behindElement is the colour of the backgrounds of an element and of those it is in.
  function behindElement(e) {
    if (!e) return colour(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
    const own = colour(getComputedStyle(e).backgroundColor);
    return own.a === 1 ? own : over(own, behindElement(e.parentElement));
  }

  // fill is the colour of a shape or text of SVG, with its opacities.
  function fill(e) {
    const style = getComputedStyle(e), c = style.fill === "none" ? colour("#0000") : colour(style.fill);
    c.a *= Number(style.fillOpacity);
    for (let up = e; up instanceof SVGElement; up = up.parentElement) c.a *= Number(getComputedStyle(up).opacity);
    return c;
  }

  // behindText is the colour behind a text of SVG at a place: of the shapes there that are drawn before it.
  function behindText(text, x, y) {
    let colours = behindElement(text.closest("svg").parentElement);
    const svgs = [];
    for (let s = text.closest("svg"); s; s = s.parentElement?.closest("svg")) svgs.unshift(s);
    colours = over(colour(getComputedStyle(svgs[0]).backgroundColor), colours);
    for (const s of svgs[0].querySelectorAll("rect, path, polygon, circle, ellipse")) {
      if (!(s.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) || !shown(s) || s.closest("clipPath, defs, pattern, mask")) continue;
      const r = s.getBoundingClientRect();
      if (x >= r.left && x <= r.right && y >= r.top && y <= r.bottom) colours = over(fill(s), colours);
    }
    return colours;
  }

  // faintSVG finds texts of SVG with too little contrast at their begin, middle or end.
  function faintSVG() {
    const found = [];
    for (const text of document.querySelectorAll("svg text")) {
      if (!shown(text) || !text.textContent.trim()) continue;
      const r = text.getBoundingClientRect();
      for (const x of [r.left + 1, (r.left + r.right) / 2, r.right - 1]) {
        const behind = behindText(text, x, (r.top + r.bottom) / 2), ratio = contrast(over(fill(text), behind), behind);
        if (ratio < 4.5) {
          found.push("contrast " + ratio.toFixed(2) + ": " + describe(text));
          break;
        }
      }
    }
    return found;
  }

  // faint reports whether an element outside of SVG has text with too little contrast.
  function faint(e) {
    const behind = behindElement(e);
    return contrast(over(colour(getComputedStyle(e).color), behind), behind) < 4.5;
  }

  // faintText finds texts outside of SVG with too little contrast.
  function faintText() {
    const owners = new Set(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let t = texts.nextNode(); t; t = texts.nextNode()) if (t.data.trim()) owners.add(t.parentElement);
    return [...owners].filter((e) => !(e instanceof SVGElement) && shown(e) && faint(e)).map((e) => "too faint: " + describe(e));
  }

  // cut reports whether the texts of a link in SVG are in its name, but for signs and for what is left out of them.
  function cut(e) {
    const letters = (text) => text.replace(/[^\p{L}\p{N}]/gu, "");
    const name = letters(e.getAttribute("aria-label") ?? ""), texts = [...e.querySelectorAll("text, .label")];
    const inName = (text) => text.split(/…|\.{3}/).every((part) => name.includes(letters(part)));
    return e instanceof SVGElement && texts.length > 0 && texts.every((t) => inName(t.textContent));
  }

  // axeProblems runs axe-core, which must be loaded. It cannot judge the contrast of SVG's texts,
  // which faintSVG does, nor that of a single character, of signs, or of HTML in SVG. The rows of a table are alike, so
  // that it looks at some of them, which are shown; faintText looks at all. Contrast is
  // what depends on the colour scheme: only names the rules that are asked for, all if empty.
  async function axeProblems(only) {
    const where = { exclude: ["tbody tr:nth-child(n+8)"] };
    const result = await axe.run(where, { resultTypes: ["violations", "incomplete"], ...(only.length && { runOnly: only }) });
    const found = [];
    const add = (rule, node) => found.push("axe " + rule.id + ": " + node.html.slice(0, 160) + ": " + node.failureSummary.replace(/\s+/g, " ").slice(0, 300));
    for (const rule of result.violations)
      for (const node of rule.nodes) if (rule.id !== "label-content-name-mismatch" || !cut(document.querySelector(node.target[0]))) add(rule, node);
    for (const rule of result.incomplete.filter((r) => r.id === "color-contrast"))
      for (const node of rule.nodes) {
        const e = document.querySelector(node.target[0]);
        const odd = node.any.some((c) => ["shortTextContent", "nonBmp"].includes(c.data?.messageKey));
        if (e instanceof SVGElement || ((odd || e.closest("foreignObject")) && !faint(e))) continue;
        add(rule, node);
      }
    return found;
  }

  const interactive = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  let reached = new Set(), unseen = [], first = null;

  // watchFocus begins a walk with the key Tab, and returns how many presses reach everything.
  function watchFocus() {
    reached = new Set(), unseen = [], first = null;
    document.addEventListener("focusin", (event) => {
      const e = event.target;
      first ??= e;
      reached.add(e);
      const style = getComputedStyle(e);
      if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) === 0) unseen.push("focus is not visible: " + describe(e));
    });
    return [...document.querySelectorAll(interactive)].filter(shown).length + 3;
  }

  // focusProblems finds what the walk did not reach.
  function focusProblems() {
    const found = unseen;
    if (!first?.matches(".skip")) found.push("the first is " + (first ? describe(first) : "nothing"));
    // A map may leave its links to the table beside it, whose links lead there step by step.
    const tabled = [...reached].some((e) => e.closest("td"));
    for (const e of document.querySelectorAll(interactive))
      if (shown(e) && !reached.has(e) && !(e.tabIndex === -1 && e.closest("svg") && tabled)) found.push("Tab does not reach " + describe(e));
    return found;
  }

  // links returns where the links of the page that are shown lead.
  function links() {
    return [...document.querySelectorAll("a[href]")].filter(shown).map((a) => (a instanceof SVGElement ? new URL(a.getAttribute("href"), document.baseURI).href : a.href));
  }

  // unsorted finds columns of numbers that are not in the order which their headings say.
  function unsorted() {
    const found = [];
    for (const th of document.querySelectorAll("th[aria-sort].number")) {
      if (!shown(th)) continue;
      const values = [...th.closest("table").tBodies[0].rows].map((r) => r.cells[th.cellIndex]).map((c) => Number(c.dataset.value ?? c.textContent.replaceAll(",", "")));
      const sign = th.getAttribute("aria-sort") === "descending" ? -1 : 1;
      if (values.some((v, i) => i > 0 && sign * v < sign * values[i - 1])) found.push("not " + th.getAttribute("aria-sort") + ": " + describe(th));
    }
    return found;
  }

  // rows returns the texts of the rows of the first table that has some.
  function rows() {
    const tables = [...document.querySelectorAll(".table")].map((t) => [...t.querySelectorAll("tbody tr")].filter(shown));
    return (tables.find((list) => list.length > 0) ?? []).map((r) => r.textContent);
  }

  // outline finds mistakes in the structure that readers of screens rely on.
  function outline() {
    const found = [], levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(shown).map((h) => Number(h.localName[1]));
    if (levels.filter((l) => l === 1).length !== 1) found.push("headings of level 1: " + levels.filter((l) => l === 1).length);
    levels.forEach((l, i) => i && l > levels[i - 1] + 1 && found.push("a heading of level " + l + " below level " + levels[i - 1]));
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.push("twice the id " + id));
    for (const svg of document.querySelectorAll("svg")) if (svg.getAttribute("aria-hidden") !== "true" && !svg.closest("[aria-hidden=true]") && !svg.parentElement.closest("svg")
      && !(svg.getAttribute("aria-label") || svg.getAttribute("aria-labelledby"))) found.push("an SVG without a label: " + describe(svg));
    return found;
  }

  // takeHidden removes those pages of a report that are not shown, until putBack: checks of the
  // one that is shown need not go through all.
  let taken = [];
  function takeHidden() {
    taken = [...document.querySelectorAll("section.page")].filter((page) => !shown(page)).map((page) => {
      const place = document.createComment("");
      page.replaceWith(place);
      return () => place.replaceWith(page);
    });
    return [];
  }
  function putBack() {
    taken.forEach((back) => back());
    return [];
  }

  // alone finds mistakes in a report, which shows one of its pages.
  function alone() {
    const pages = [...document.querySelectorAll("section.page")].filter(shown);
    return pages.length === 1 && "#" + pages[0].id === decodeURIComponent(location.hash) ? [] : ["shown: " + pages.map((p) => p.id).join(" ")];
  }

  return { takeHidden, putBack, alone, overflow, injected, outsideOfBdi, faintSVG, faintText, axeProblems, unsorted, rows, watchFocus, focusProblems, links, outline, shown };
})()
