"use strict";
// Moves the page with the slider and shows values under the pointer. The page stands without it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.classList.add("scripted");
  let stand = data.estimate; // where the slider stands
  let view = data.views[0]; // of all unlabelled rows, or of those of the sample that was chosen

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

  function columnsOutline(shares) {
    const { scale, edges } = data.histogram;
    const bottom = at(scale, 0);
    return shares
      .map((share, i) => {
        const [left, right, top] = [edges[i] + 0.5, edges[i + 1] - 0.5, at(scale, share)];
        return `${line([[left, bottom], [right, bottom], [right, top], [left, top]])}Z`;
      })
      .join("");
  }

  // The slider, and the choice of a sample.

  const slider = byId("slider");
  const sample = byId("sample");

  function draw(id, ...outlines) {
    byId(id).querySelectorAll(".what-if").forEach((path, i) => path.setAttribute("d", outlines[i]));
  }

  const moved = (effect) => (effect.curves || []).map((curve) => effectOutline(effect, curve.fixed[stand]));

  function move(place) {
    stand = place;
    const away = stand !== data.estimate;
    root.classList.toggle("away", away);
    slider.value = stand;
    slider.setAttribute("aria-valuetext", "pi = " + view.pi[stand]);
    byId("back").disabled = !away;
    byId("what-if-pi").textContent = view.pi[stand];
    byId("what-if-start").textContent = away ? `(${data.start} ${view.pi[data.estimate]})` : `(the ${data.start})`;
    byId("what-if-called").textContent = view.called[stand];
    byId("what-if-of").textContent = view.of;
    const standing = byId("what-if-standing");
    if (standing) standing.textContent = view.standing[stand];
    data.effects.forEach((effect, i) => draw("effect-" + i, ...moved(effect).map((outline) => (away ? outline : ""))));
    draw("histogram", away ? histogramOutline(view.histogram[stand]) : "");
    if (data.profile) {
      const { places, bottom, top } = data.profile;
      draw("profile", away && places[stand] !== null ? `M${places[stand]} ${bottom}V${top}` : "");
    }
    document.querySelectorAll(".candidates td.moving").forEach((cell, row) => {
      cell.textContent = data.candidates[row][stand];
    });
    const heading = byId("candidates-pi");
    if (heading) heading.textContent = view.pi[stand];
    showValues();
  }

  function choose(number) {
    view = data.views[number];
    byId("lowest-pi").textContent = view.pi[0];
    byId("highest-pi").textContent = view.pi[view.pi.length - 1];
    byId("histogram").setAttribute("aria-label", view.label);
    byId("histogram").querySelector(".column").setAttribute("d", columnsOutline(view.histogram[data.estimate]));
    document.querySelectorAll(".candidates > tbody").forEach((row, i) => {
      row.hidden = !data.listed[i].includes(number);
    });
    move(stand);
  }

  if (slider) {
    slider.addEventListener("input", () => move(Number(slider.value)));
    byId("back").addEventListener("click", () => {
      move(data.estimate);
      slider.focus();
    });
  }
  if (sample) sample.addEventListener("change", () => choose(Number(sample.value)));

  // Values under the pointer, or where the arrow keys have led. A chart says which place is nearest to the pointer,
  // where a key leads from a place, which points are marked there, and what is said about it.

  const tooltip = byId("tooltip");
  let shown = null; // {chart, index}

  const between = (low, high) => `(${number(low)} to ${number(high)})`;
  const odds = (u) => number(u === null ? null : Math.exp(u));
  const limited = ({ u, lower, upper }) => `${number(u)} ${between(lower, upper)}`;
  const factor = ({ u, lower, upper }) => `${odds(u)} (${odds(lower)} to ${odds(upper)})`;
  const within = (place, places) => Math.max(0, Math.min(place, places.length - 1));

  function closest(places, place) {
    const distances = places.map((value) => Math.abs(value - place));
    return distances.indexOf(Math.min(...distances));
  }

  function alongOne(places, upright) {
    return {
      start: Math.floor(places.length / 2),
      nearest: (x, y) => closest(places, upright ? x : y),
      step: (i, key) => {
        const last = places.length - 1;
        const [back, on] = [i - 1, i + 1];
        const moves = { ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on, Home: 0, End: last };
        return key in moves ? within(moves[key], places) : null;
      },
    };
  }

  function alongTwo(xs, ys) {
    return {
      start: [Math.floor(ys.length / 2), Math.floor(xs.length / 2)],
      nearest: (x, y) => [closest(ys, y), closest(xs, x)],
      step: ([row, column], key) => {
        const across = { ArrowLeft: column - 1, ArrowRight: column + 1, Home: 0, End: xs.length - 1 };
        const upwards = { ArrowUp: row + 1, ArrowDown: row - 1 };
        if (key in across) return [row, within(across[key], xs)];
        return key in upwards ? [within(upwards[key], ys), column] : null;
      },
    };
  }

  function effectChart(effect, svg) {
    const [first, ...others] = effect.curves;
    const at = (curve, i) => ({ u: curve.u[i], lower: curve.lower[i], upper: curve.upper[i] });
    const away = (said) => (stand === data.estimate ? [] : [[`with pi = ${view.pi[stand]}`, said, "moved"]]);
    const aboutOne = (i) => [
      ["effect", limited(at(first, i))],
      ["factor on the odds", factor(at(first, i))],
      ...away(`effect ${number(first.fixed[stand][i])}, factor ${odds(first.fixed[stand][i])}`),
    ];
    const aboutAll = (i) => effect.curves.flatMap((curve) => [
      [curve.name, `effect ${limited(at(curve, i))}`],
      ...away(`effect ${number(curve.fixed[stand][i])}`),
    ]);
    return {
      svg,
      ...alongOne(effect.places, effect.upright),
      marks: (i) => effect.curves.map(({ u }) => point(effect, i, u[i] === null ? effect.scale[0] : u[i])),
      lines: (i) => [[effect.column, effect.names[i]], ...(others.length ? aboutAll(i) : aboutOne(i))],
    };
  }

  function mapChart(map, svg) {
    const at = ([row, column]) => {
      const [u, lower, upper] = [map.u, map.lower, map.upper].map((values) => values[row][column]);
      return { u, lower, upper };
    };
    return {
      svg,
      ...alongTwo(map.x, map.y),
      marks: ([row, column]) => [[map.x[column], map.y[row]]],
      lines: (place) => [
        [map.columns[0], map.xNames[place[1]]],
        [map.columns[1], map.yNames[place[0]]],
        ["effect", limited(at(place))],
        ["factor on the odds", factor(at(place))],
        ...(map.far[place[0]][place[1]] ? [["no rows near", ""]] : []),
      ],
    };
  }

  function histogramChart(histogram, svg) {
    const rows = (value) => Math.round(value * view.rows).toLocaleString("en-US");
    const share = (value) => `${percent(value)} of the rows, about ${rows(value)}`;
    const atEstimate = (i) => view.histogram[data.estimate][i];
    const lines = (i) => [["probability", histogram.names[i]], [`at the ${data.start}`, share(atEstimate(i))]];
    const lineAway = (i) => [`with pi = ${view.pi[stand]}`, share(view.histogram[stand][i]), "moved"];
    const places = histogram.names.map((_, i) => (histogram.edges[i] + histogram.edges[i + 1]) / 2);
    return {
      svg,
      ...alongOne(places, true),
      marks: (i) => [[places[i], at(histogram.scale, atEstimate(i))]],
      lines: (i) => (stand === data.estimate ? lines(i) : [...lines(i), lineAway(i)]),
    };
  }

  function showValues() {
    if (!shown) return;
    const { chart, index } = shown;
    const marks = chart.marks(index);
    chart.svg.querySelector(".cursor").setAttribute("d", marks.map((mark) => circle(mark, 5)).join(""));
    tooltip.replaceChildren(...chart.lines(index).map(tooltipLine));
    tooltip.hidden = false;
    placeTooltip(chart.svg, marks[0]);
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
    return chart.nearest(scale * (event.clientX - box.left), scale * (event.clientY - box.top));
  }

  function step(chart, event) {
    if (event.key === "Escape") hideValues();
    const index = chart.step(shown && shown.chart === chart ? shown.index : chart.start, event.key);
    if (index === null) return;
    event.preventDefault();
    show(chart, index);
  }

  function watch(chart) {
    const { svg } = chart;
    svg.tabIndex = 0;
    const follow = (event) => show(chart, nearest(chart, event));
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideValues());
    svg.addEventListener("focus", () => shown || show(chart, chart.start));
    svg.addEventListener("blur", hideValues);
    svg.addEventListener("keydown", (event) => step(chart, event));
  }

  data.effects.forEach((effect, i) => watch((effect.curves ? effectChart : mapChart)(effect, byId("effect-" + i))));
  watch(histogramChart(data.histogram, byId("histogram")));
  document.addEventListener("pointerdown", (event) => event.target.closest("svg.chart") || hideValues());
  const follow = () => shown && placeTooltip(shown.chart.svg, shown.chart.marks(shown.index)[0]);
  window.addEventListener("scroll", follow, { passive: true });

  // The search unfolds what it finds, and folds it again when it is given up.

  const search = byId("search");
  const figures = [...document.querySelectorAll(".terms > figure")];

  function find(wanted) {
    const found = figures.filter((figure) => figure.querySelector("figcaption").textContent.toLowerCase().includes(wanted));
    figures.forEach((figure) => (figure.hidden = !found.includes(figure)));
    document.querySelectorAll(".fold").forEach((fold) => {
      fold.open = wanted !== "" && found.some((figure) => fold.contains(figure));
    });
    byId("search-found").textContent = wanted === "" ? "" : `${found.length} of ${figures.length} charts`;
  }

  if (search) search.addEventListener("input", () => find(search.value.trim().toLowerCase()));

  // Paper cannot unfold what is folded. Of each likely positive it shows the three main reasons, which are not.

  const folded = [...document.querySelectorAll("details")].filter((part) => !part.closest(".why"));
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = folded.filter((part) => !part.open);
    opened.forEach((part) => (part.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));

  if (slider && sample) choose(Number(sample.value));
  else if (slider) move(Number(slider.value));
})();
