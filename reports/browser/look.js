// Looks at the page and tells what it sees; with all that is folded if unfolded is set.
function look(unfolded) {
  const faults = [];
  const fault = (what, e) => faults.push(`${what}: <${e.tagName.toLowerCase()} class="${e.getAttribute("class") || ""}"> ${e.textContent.trim().slice(0, 60)}`);
  const own = e => [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
  const seen = e => e.checkVisibility({ checkVisibilityCSS: true, contentVisibilityAuto: true }) && e.getClientRects().length > 0;
  const folded = [...document.querySelectorAll("details:not([open])")];
  const closed = folded.filter(d => ![...d.children].some(e => e.tagName !== "SUMMARY" && seen(e))).length;
  if (unfolded) folded.forEach(d => { d.open = true; });

  const numbers = color => color.match(/[\d.]+/g).map(Number);
  const luminance = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const color = numbers(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };

  // Nothing is wider than its room but what scrolls, and nothing is hidden in a box that does not.
  const scrolls = e => e.closest(".scroll, figure");
  for (const e of document.querySelectorAll("body *:not(svg *)")) {
    if (!seen(e) || e.clientWidth === 0) continue;
    if (!scrolls(e) && e.scrollWidth > e.clientWidth) fault(`cut: ${e.scrollWidth} in ${e.clientWidth} pixels`, e);
    if (!scrolls(e) && e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== "visible") fault("cut in its height", e);
  }
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) fault(`the page is ${root.scrollWidth} pixels wide on a window of ${innerWidth}`, root);

  for (const e of document.querySelectorAll("body *:not(svg *)")) {
    if (!own(e) || !seen(e)) continue;
    const style = getComputedStyle(e), value = contrast(numbers(style.color), behind(e));
    if (value < 4.5) fault(`contrast ${value.toFixed(1)}`, e);
    if (parseFloat(style.fontSize) < 13 && !matchMedia("print").matches) fault(`letters of ${style.fontSize}`, e);
  }
  for (const svg of document.querySelectorAll("svg")) {
    const room = svg.getBoundingClientRect(), paper = svg.querySelector("path");
    for (const e of svg.querySelectorAll("text")) {
      if (!seen(e)) continue;
      const at = e.getBoundingClientRect();
      if (at.left < room.left - 1 || at.right > room.right + 1 || at.top < room.top - 1 || at.bottom > room.bottom + 1) fault("cut in a figure", e);
      const value = contrast(numbers(getComputedStyle(e).fill), numbers(getComputedStyle(paper).fill));
      if (value < 4.5) fault(`contrast ${value.toFixed(1)}`, e);
    }
  }

  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => faults.push(`two elements have the id ${id}`));
  for (const a of document.querySelectorAll("a")) {
    const to = a.getAttribute("href");
    if (!to.startsWith("#") || !ids.includes(to.slice(1))) fault(`leads nowhere: ${to}`, a);
  }

  return {
    faults, closed,
    answers: [...document.querySelectorAll(".answer")].map(e => ({ text: e.textContent, top: e.getBoundingClientRect().top, bottom: e.getBoundingClientRect().bottom })),
    background: numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3).map(Math.round),
    folds: [...document.querySelectorAll("summary")].filter(seen).length,
    titles: document.querySelectorAll("svg title").length,
  };
}
