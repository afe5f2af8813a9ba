"use strict";
// Moves the page with the slider and shows values under the pointer. The page stands without it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.classList.add("scripted");
  let held = data.estimate; // where the slider stands

  // Numbers as formats.py writes them.

  const minus = (text) => text.replace(/-/g, "\u2212");
  const raised = (power) => [...String(power)].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");

  function number(value) {
    if (value === null || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const [mantissa, power] = value.toExponential(2).split("e").map(Number);
    if (power < -4 || power > 5) return minus(String(mantissa)) + " × 10" + raised(power);
    const decimals = Math.max(0, 2 - power);
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return minus(value.toLocaleString("en-US", options));
  }

  function percent(share) {
    if (share > 0 && share < 0.0005) return "< 0.1%";
    if (share >= 0.9995 && share < 1) return "> 99.9%";
    return (100 * share).toFixed(1) + "%";
  }

  // Places on a chart, and outlines.

  const at = ([low, high, start, end], value) => start + ((value - low) / (high - low)) * (end - start);
  const point = (effect, i, u) => {
    const place = at(effect.scale, u);
    return effect.upright ? [effect.places[i], place] : [place, effect.places[i]];
  };
  const pair = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const line = (points) => (points.length ? "M" + points.map(pair).join("L") : "");
  const circle = ([x, y], r) => {
    const half = `a${r} ${r} 0 1 0`;
    return `M${pair([x - r, y])}${half} ${2 * r} 0${half} ${-2 * r} 0`;
  };

  function effectOutline(effect, u) {
    const known = u.map((value, i) => [i, value]).filter(([, value]) => value !== null);
    const joined = known.filter(([i]) => i < effect.joined).map(([i, value]) => point(effect, i, value));
    const single = known.filter(([i]) => i >= effect.joined).map(([i, value]) => point(effect, i, value));
    return line(joined) + single.map((p) => circle(p, 3.2)).join("");
  }

  function histogramOutline(shares) {
    const { scale, edges } = data.histogram;
    const steps = shares.flatMap((share, i) => [[edges[i], at(scale, share)], [edges[i + 1], at(scale, share)]]);
    return line([[edges[0], at(scale, 0)], ...steps, [edges[edges.length - 1], at(scale, 0)]]);
  }

  // The slider.

  const slider = byId("slider");

  function draw(id, outline) {
    byId(id).querySelector(".what-if").setAttribute("d", outline);
  }

  function move(place) {
    held = place;
    const away = held !== data.estimate;
    root.classList.toggle("away", away);
    slider.value = held;
    slider.setAttribute("aria-valuetext", "pi = " + data.pi[held]);
    byId("back").disabled = !away;
    byId("what-if-pi").textContent = data.pi[held];
    byId("what-if-start").textContent = away ? `(${data.start} ${data.pi[data.estimate]})` : `(the ${data.start})`;
    byId("what-if-called").textContent = data.called[held];
    const standing = byId("what-if-standing");
    if (standing) standing.textContent = data.standing[held];
    data.effects.forEach((effect, i) => draw("effect-" + i, away ? effectOutline(effect, effect.held[held]) : ""));
    draw("histogram", away ? histogramOutline(data.histogram.held[held]) : "");
    if (data.profile) {
      const { places, bottom, top } = data.profile;
      draw("profile", away && places[held] !== null ? `M${places[held]} ${bottom}V${top}` : "");
    }
    document.querySelectorAll(".candidates td.moving").forEach((cell, row) => {
      cell.textContent = data.candidates[row][held];
    });
    const heading = byId("candidates-pi");
    if (heading) heading.textContent = data.pi[held];
    showValues();
  }

  if (slider) {
    slider.addEventListener("input", () => move(Number(slider.value)));
    byId("back").addEventListener("click", () => {
      move(data.estimate);
      slider.focus();
    });
  }

  // Values under the pointer, or where the arrow keys have led.

  const tooltip = byId("tooltip");
  let shown = null; // {chart, index}

  const between = (low, high) => `(${number(low)} to ${number(high)})`;

  function effectChart(effect, svg) {
    const lines = (i) => [
      [effect.column, effect.names[i]],
      ["effect", `${number(effect.u[i])} ${between(effect.lower[i], effect.upper[i])}`],
      ["factor on the odds", odds(effect.u[i]) + ` (${odds(effect.lower[i])} to ${odds(effect.upper[i])})`],
    ];
    const lineAway = (i) => {
      const u = effect.held[held][i];
      return [`with pi = ${data.pi[held]}`, `effect ${number(u)}, factor ${odds(u)}`, "moved"];
    };
    return {
      svg,
      places: effect.places,
      upright: effect.upright,
      mark: (i) => point(effect, i, effect.u[i] === null ? effect.scale[0] : effect.u[i]),
      lines: (i) => (held === data.estimate ? lines(i) : [...lines(i), lineAway(i)]),
    };
  }

  function odds(u) {
    return number(u === null ? null : Math.exp(u));
  }

  function histogramChart(histogram, svg) {
    const rows = (value) => Math.round(value * histogram.rows).toLocaleString("en-US");
    const share = (value) => `${percent(value)} of the rows, about ${rows(value)}`;
    const atEstimate = histogram.held[data.estimate];
    const lines = (i) => [["probability", histogram.names[i]], [`at the ${data.start}`, share(atEstimate[i])]];
    const lineAway = (i) => [`with pi = ${data.pi[held]}`, share(histogram.held[held][i]), "moved"];
    const places = histogram.names.map((_, i) => (histogram.edges[i] + histogram.edges[i + 1]) / 2);
    return {
      svg,
      places,
      upright: true,
      mark: (i) => [places[i], at(histogram.scale, atEstimate[i])],
      lines: (i) => (held === data.estimate ? lines(i) : [...lines(i), lineAway(i)]),
    };
  }

  function showValues() {
    if (!shown) return;
    const { chart, index } = shown;
    const mark = chart.mark(index);
    chart.svg.querySelector(".cursor").setAttribute("d", circle(mark, 5));
    tooltip.replaceChildren(...chart.lines(index).map(tooltipLine));
    tooltip.hidden = false;
    placeTooltip(chart.svg, mark);
  }

  function tooltipLine([name, value, style]) {
    const row = document.createElement("div");
    if (style) row.className = style;
    for (const [tag, text] of [["span", name], ["b", value]]) {
      const part = document.createElement(tag);
      part.textContent = text;
      row.append(part);
    }
    return row;
  }

  function placeTooltip(svg, [x, y]) {
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const [left, top] = [box.left + x * scale, box.top + y * scale];
    const [width, height] = [root.clientWidth, root.clientHeight];
    const room = 8;
    const inside = (value, size, whole) => Math.max(room, Math.min(value, whole - size - room));
    const above = top - tooltip.offsetHeight - 16;
    tooltip.style.left = inside(left + 12, tooltip.offsetWidth, width) + "px";
    tooltip.style.top = inside(above >= room ? above : top + 16, tooltip.offsetHeight, height) + "px";
  }

  function hideValues() {
    if (shown) shown.chart.svg.querySelector(".cursor").setAttribute("d", "");
    shown = null;
    tooltip.hidden = true;
  }

  function show(chart, index) {
    if (shown && shown.chart !== chart) hideValues();
    shown = { chart, index };
    showValues();
  }

  function nearest(chart, event) {
    const box = chart.svg.getBoundingClientRect();
    const scale = chart.svg.viewBox.baseVal.width / box.width;
    const place = scale * (chart.upright ? event.clientX - box.left : event.clientY - box.top);
    const distances = chart.places.map((value) => Math.abs(value - place));
    return distances.indexOf(Math.min(...distances));
  }

  function step(chart, event) {
    const last = chart.places.length - 1;
    const index = shown && shown.chart === chart ? shown.index : 0;
    const [back, on] = [index - 1, index + 1];
    const moves = { ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on, Home: 0, End: last };
    if (event.key === "Escape") hideValues();
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(chart, Math.max(0, Math.min(moves[event.key], last)));
  }

  function watch(chart) {
    const { svg } = chart;
    svg.tabIndex = 0;
    const follow = (event) => show(chart, nearest(chart, event));
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideValues());
    svg.addEventListener("focus", () => shown || show(chart, Math.floor(chart.places.length / 2)));
    svg.addEventListener("blur", hideValues);
    svg.addEventListener("keydown", (event) => step(chart, event));
  }

  data.effects.forEach((effect, i) => watch(effectChart(effect, byId("effect-" + i))));
  watch(histogramChart(data.histogram, byId("histogram")));
  document.addEventListener("pointerdown", (event) => event.target.closest("svg.chart") || hideValues());
  const follow = () => shown && placeTooltip(shown.chart.svg, shown.chart.mark(shown.index));
  window.addEventListener("scroll", follow, { passive: true });

  // Paper cannot unfold what is folded.

  const folded = [...document.querySelectorAll("details")];
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = folded.filter((part) => !part.open);
    opened.forEach((part) => (part.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));

  if (slider) move(Number(slider.value));
})();
