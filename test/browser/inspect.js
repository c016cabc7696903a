// Inspects the page and returns its faults and measures. If unfolded is set, it opens all folded
// parts before and folds them afterwards.
function inspect(unfolded) {
  const faults = [];
  const fault = (what, e) => faults.push(`${what}: <${e.tagName.toLowerCase()} class="${e.getAttribute("class") || ""}"> ${e.textContent.trim().slice(0, 60)}`);
  const own = e => [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
  const visible = e => e.checkVisibility({ checkVisibilityCSS: true, contentVisibilityAuto: true }) && e.getClientRects().length > 0;
  const folded = [...document.querySelectorAll("details:not([open])")];
  const closed = folded.filter(d => ![...d.children].some(e => e.tagName !== "SUMMARY" && visible(e))).length;
  if (unfolded) folded.forEach(d => { d.open = true; });

  // Pages have more than 20,000 elements: results that many of them share are kept.
  const kept = compute => {
    const results = new Map();
    return key => {
      if (!results.has(key)) results.set(key, compute(key));
      return results.get(key);
    };
  };
  const numbers = kept(color => color.match(/[\d.]+/g).map(Number));
  const luminance = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const background = kept(e => {
    if (!e) return [255, 255, 255];
    const color = numbers(getComputedStyle(e).backgroundColor);
    return color.length === 3 || color[3] > 0 ? color : background(e.parentElement);
  });

  // Only elements that scroll may be wider than their boxes, and no box may cut off its text.
  const scrolls = e => e.closest(".scroll");
  for (const e of document.querySelectorAll("body *:not(svg *)")) {
    if (!visible(e) || e.clientWidth === 0) continue;
    if (!scrolls(e) && e.scrollWidth > e.clientWidth) fault(`cut: ${e.scrollWidth} in ${e.clientWidth} pixels`, e);
    if (!scrolls(e) && e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== "visible") fault("cut in its height", e);
  }
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) fault(`the page is ${root.scrollWidth} pixels wide on a window of ${innerWidth}`, root);

  for (const e of document.querySelectorAll("body *:not(svg *)")) {
    if (!own(e) || !visible(e)) continue;
    const style = getComputedStyle(e), value = contrast(numbers(style.color), background(e));
    if (value < 4.5) fault(`contrast ${value.toFixed(1)}`, e);
    if (parseFloat(style.fontSize) < 13 && !matchMedia("print").matches) fault(`letters of ${style.fontSize}`, e);
  }
  for (const svg of [...document.querySelectorAll("svg")].filter(visible)) {
    const edges = svg.getBoundingClientRect(), paper = svg.querySelector("path");
    for (const e of svg.querySelectorAll("text")) {
      if (!visible(e)) continue;
      const at = e.getBoundingClientRect();
      if (at.left < edges.left - 1 || at.right > edges.right + 1 || at.top < edges.top - 1 || at.bottom > edges.bottom + 1) fault("cut in a figure", e);
      const value = contrast(numbers(getComputedStyle(e).fill), numbers(getComputedStyle(paper).fill));
      if (value < 4.5) fault(`contrast ${value.toFixed(1)}`, e);
    }
  }

  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  const targets = new Set(ids);
  if (targets.size < ids.length) ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => faults.push(`two elements have the id ${id}`));
  for (const a of document.querySelectorAll("a")) {
    const to = a.getAttribute("href");
    if (!to.startsWith("#") || !targets.has(to.slice(1))) fault(`leads nowhere: ${to}`, a);
  }

  const boxes = selector => [...document.querySelectorAll(selector)].filter(visible).map(e => {
    const at = e.getBoundingClientRect();
    return { text: e.textContent.slice(0, 200), weight: Number(getComputedStyle(e).fontWeight), top: at.top, bottom: at.bottom };
  });
  const result = {
    faults, closed,
    verdict: boxes("#verdict > *"), contents: boxes("nav a"),
    pictures: boxes("figure svg").filter(b => b.top < innerHeight && b.bottom > 0),
    background: numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3).map(Math.round),
    titles: document.querySelectorAll("svg title").length, text: document.body.innerText,
  };
  if (unfolded) folded.forEach(d => { d.open = false; });
  return result;
}
