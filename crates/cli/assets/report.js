// Draws the plots of a report from the JSON in the page. Everything shown is also in the record's JSON.
"use strict";
(() => {
  const all = JSON.parse(document.getElementById("data").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = (i) => colour(`--c${i % 7}`);

  // Figures as people write them.
  const digits = (value) => String(Number(value.toPrecision(4))).replace("-", "−");
  const time = (ns) => {
    if (ns == null || !Number.isFinite(ns)) return "–";
    const size = Math.abs(ns);
    const [scale, unit] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"]
      : size >= 1 || size === 0 ? [1, "ns"] : [1e-3, "ps"];
    return `${digits(ns / scale)} ${unit}`;
  };
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    Object.assign(made, attributes);
    made.append(...children);
    return made;
  };

  // The wheel zooms about the pointer; uPlot itself zooms where one drags, and back by a double click.
  const wheel = () => ({
    hooks: {
      ready: (u) => u.over.addEventListener("wheel", (event) => {
        event.preventDefault();
        const { min, max } = u.scales.x;
        const at = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
        const by = event.deltaY < 0 ? 0.8 : 1.25;
        const [from, to] = u.axes[0].whole;
        const low = Math.max(from, at - (at - min) * by), high = Math.min(to, at + (max - at) * by);
        if (low < high) u.setScale("x", { min: low, max: high });
      }, { passive: false }),
    },
  });
  const WIDTH = (at) => Math.max(260, Math.floor(at.clientWidth));
  const drawn = [];
  const draw = (at, options, data) => {
    const xs = data[0];
    const axis = (more) => ({ stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 0.5 },
      ticks: { stroke: colour("--line") }, font: "12px system-ui", ...more });
    const plot = new uPlot({
      width: WIDTH(at), height: 300, cursor: { drag: { x: true, y: false } }, plugins: [wheel()], ...options,
      axes: [axis({ whole: [xs[0], xs[xs.length - 1]], ...options.axes[0] }), axis({ size: 70, ...options.axes[1] })],
    }, data, at);
    plot.axes[0].whole = [plot.scales.x.min ?? xs[0], plot.scales.x.max ?? xs[xs.length - 1]];
    drawn.push([plot, at]);
  };
  const log = { distr: 3, log: 10 };
  // A logarithmic axis: decades, as many as there is room for; within one or two of them also 2 and 5, or else the ends.
  const places = (u, axis, min, max) => {
    const [first, last] = [Math.ceil(Math.log10(min) - 1e-9), Math.floor(Math.log10(max) + 1e-9)];
    const room = axis ? u.bbox.height / 24 : u.bbox.width / 56;
    const every = Math.max(1, Math.ceil((last - first + 1) / (room / devicePixelRatio)));
    const all = (steps) => {
      const found = [];
      for (let e = first - 1; e <= last; e++) steps.forEach((step) => found.push(Number(`${step}e${e}`)));
      return found.filter((v) => v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9));
    };
    if (last - first > 1) return all([1]).filter((_, i) => i % every === 0);
    const finer = all([1, 2, 5]);
    return finer.length > 1 ? finer : [min, Math.sqrt(min * max), max];
  };
  const decades = (values, more) => ({ splits: places, values: (u, splits) => splits.map(values), filter: (u, splits) => splits, ...more });

  // Curves with places of their own on a common axis: all places, each curve empty where it has none.
  const joined = (curves) => {
    const xs = [...new Set(curves.flatMap(([x]) => x))].sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    return [xs, ...curves.map(([x, y]) => {
      const row = new Array(xs.length).fill(null);
      x.forEach((value, i) => { row[place.get(value)] = y[i]; });
      return row;
    })];
  };
  // Where the pointer reads a joined curve: its nearest point; of a staircase the one that the step leads to.
  const nearest = (u, k, at) => {
    const [xs, ys] = [u.data[0], u.data[k]];
    let [left, right] = [at, at];
    while (left >= 0 && ys[left] == null) left--;
    while (right < xs.length && ys[right] == null) right++;
    if (left < 0 || right === xs.length) return left < 0 ? Math.min(right, xs.length - 1) : left;
    const away = (i) => Math.abs(u.valToPos(xs[i], "x") - u.valToPos(xs[at], "x"));
    return away(left) < away(right) ? left : right;
  };
  const next = (u, k, at, x) => {
    let i = u.data[0][at] < x ? at + 1 : at;
    while (i < u.data[0].length && u.data[k][i] == null) i++;
    return Math.min(i, u.data[0].length - 1);
  };
  const cursor = (dataIdx) => ({ drag: { x: true, y: false }, dataIdx });
  const series = (labels, value, more) => [{}, ...labels.map((label, i) => ({
    label, stroke: palette(i), width: 1.5, spanGaps: true, value: (u, v) => (v == null ? "–" : value(v)), ...more }))];

  const box = (into, title, text) => {
    const plot = element("div", { className: "plot" }, element("h3", { textContent: title }), element("p", { textContent: text }));
    into.append(plot);
    return plot;
  };
  const none = (at, why) => at.append(element("div", { className: "none", textContent: why }));

  // A share on an axis on which each further nine takes as much room as the one before.
  const nines = (share) => -Math.log10(1 - share);
  const percent = (x) => {
    const share = 100 * (1 - 10 ** -x);
    return `${Number(share.toFixed(Math.max(0, Math.ceil(x) - 1)))} %`;
  };

  const costs = (into, clocks) => {
    const at = box(into, "Cost of single reads", "A point says: that share of all reads cost no more. The axis gives each further nine as much room.");
    const have = clocks.filter((clock) => clock.cost[0].length > 1);
    if (!have.length) return none(at, clocks[0]?.missing.cost ?? "the record has no series");
    const data = joined(have.map((clock) => [clock.cost[0].map(nines), clock.cost[1]]));
    draw(at, {
      cursor: cursor(next),
      scales: { x: { time: false }, y: log },
      axes: [{ values: (u, splits) => splits.map(percent), label: "share of the reads", splits: (u, i, min, max) => {
        const places = [0, nines(0.5), 1, 2, 3, 4, 5, 6, 7, 8].filter((x) => x >= min && x <= max);
        return places.length > 1 ? places : [min, (min + max) / 2, max];
      } }, decades(time)],
      series: [{ label: "share", value: (u, v) => (v == null ? "–" : percent(v)) },
        ...series(have.map((clock) => clock.id), time, { paths: uPlot.paths.stepped({ align: -1 }) }).slice(1)],
    }, data);
  };

  const differences = (into, clock) => {
    const at = box(into, `Differences of adjacent reads: ${clock.id}`, clock.quantum_ns
      ? `Dashed: multiples of the resolution, ${time(clock.quantum_ns)}.` : "No resolution was found whose multiples could be drawn.");
    const [ns, times] = clock.differences;
    if (!ns.length) return none(at, clock.missing.differences ?? "the record has no series");
    // From the least to where 99.5 % are; the rest by the axis.
    const sum = times.reduce((a, b) => a + b, 0);
    let seen = 0;
    const most = ns.findIndex((_, i) => (seen += times[i]) >= 0.995 * sum);
    const [low, high] = [ns[0], ns[Math.max(most, 0)]], room = Math.max((high - low) * 0.05, clock.quantum_ns ?? 0, 0.5);
    draw(at, {
      scales: { x: { time: false, range: (u, from, to) => (u.status ? [from, to] : [low - room, high + room]) }, y: log },
      axes: [{ values: (u, splits) => splits.map(time), label: "difference" }, decades((v) => v.toLocaleString("en"))],
      series: [{ label: "difference", value: (u, v) => time(v) },
        { label: "times", stroke: palette(0), fill: palette(0), width: 1, value: (u, v) => (v == null ? "–" : v.toLocaleString("en")),
          paths: uPlot.paths.bars({ size: [0.5, 12, 1] }), points: { show: false } }],
      hooks: { drawAxes: [(u) => {
        if (!clock.quantum_ns) return;
        const { min, max } = u.scales.x, step = clock.quantum_ns;
        if ((max - min) / step > 400) return;
        const context = u.ctx;
        context.save();
        context.strokeStyle = colour("--hot");
        context.setLineDash([3, 4]);
        context.beginPath();
        for (let k = Math.ceil(min / step); k * step <= max; k++) {
          const x = Math.round(u.valToPos(k * step, "x", true));
          context.moveTo(x, u.bbox.top);
          context.lineTo(x, u.bbox.top + u.bbox.height);
        }
        context.stroke();
        context.restore();
      }] },
    }, [ns, times]);
  };

  const offsets = (into, clock, reference) => {
    const [at_s, low, high] = clock.offset;
    const text = `Against ${reference}, less the mean rate; the band is certain: each read stands between two of the reference.`;
    const at = box(into, `Offset over time: ${clock.id}`, text);
    if (at_s.length < 2) return none(at, clock.missing.offset ?? "the record has no series");
    const middle = low.map((v, i) => (v + high[i]) / 2);
    // A straight line by least squares: what is left is what the clock does beside running at another rate.
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const [x0, y0] = [mean(at_s), mean(middle)];
    const slope = mean(at_s.map((x, i) => (x - x0) * (middle[i] - y0))) / (mean(at_s.map((x) => (x - x0) ** 2)) || 1);
    const rest = (values) => values.map((v, i) => v - y0 - slope * (at_s[i] - x0));
    at.querySelector("p").textContent += ` Mean rate ${digits(slope / 1e3)} ppm.`;
    const shade = palette(0);
    draw(at, {
      scales: { x: { time: false } },
      axes: [{ values: (u, splits) => splits.map((v) => `${digits(v)} s`), label: "time" }, { values: (u, splits) => splits.map(time) }],
      series: [{ label: "at", value: (u, v) => (v == null ? "–" : `${digits(v)} s`) },
        { label: "at most", stroke: shade, width: 0.5, points: { show: false }, value: (u, v) => time(v) },
        { label: "at least", stroke: shade, width: 0.5, points: { show: false }, value: (u, v) => time(v) },
        { label: "middle", stroke: palette(1), width: 1, points: { show: at_s.length < 80, size: 4 }, value: (u, v) => time(v) }],
      bands: [{ series: [1, 2], fill: `${shade}33` }],
    }, [at_s, rest(high), rest(low), rest(middle)]);
  };

  // One cell a pair: the middle of the bounds, or how far from 0 they certainly are; a frame where the two disagree.
  const matrix = (into, skew) => {
    const at = box(into, `Offsets between CPUs: ${skew.clock}`,
      "A cell is the second CPU's reading less the first one's, the middle of its bounds; in full colour, and framed if there is room, where the two certainly disagree.");
    if (!skew.a.length) return none(at, "no pair of CPUs was compared");
    // Room on the left and above for the numbers of some of the CPUs.
    const n = skew.cpus.length, cell = Math.max(3, Math.min(96, Math.floor(960 / n))), edge = 56, size = n * cell + edge;
    const canvas = element("canvas", { className: "matrix", width: size, height: size });
    canvas.style.maxWidth = `${Math.max(160, size / 1.6)}px`;
    const middle = skew.a.map((_, i) => (skew.low_ns[i] == null || skew.high_ns[i] == null ? null : (skew.low_ns[i] + skew.high_ns[i]) / 2));
    // By the bounds: where nothing is off, the middles are noise.
    const most = skew.a.reduce((all, _, i) => Math.max(all, Math.abs(skew.low_ns[i] ?? 0), Math.abs(skew.high_ns[i] ?? 0)), 1e-3);
    const legend = `Rows: the first CPU; columns: the second. Full colour is ${time(most)} ahead (orange) or behind (blue); pale: 0 is within the bounds.`;
    const out = element("output", { textContent: `${n} CPUs; point at a cell` });
    at.append(canvas, out, element("p", { textContent: legend }));
    const paint = () => {
      const context = canvas.getContext("2d");
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, size, size);
      context.fillStyle = colour("--faint");
      context.font = "18px system-ui";
      context.textBaseline = "middle";
      const every = Math.ceil(48 / cell);
      skew.cpus.forEach((cpu, i) => {
        if (i % every) return;
        context.textAlign = "right";
        context.fillText(cpu, edge - 8, edge + (i + 0.5) * cell);
        context.textAlign = "center";
        context.fillText(cpu, edge + (i + 0.5) * cell, edge - 16);
      });
      context.translate(edge, edge);
      context.fillStyle = colour("--shade");
      context.fillRect(0, 0, n * cell, n * cell);
      skew.a.forEach((a, i) => {
        const b = skew.b[i];
        [[a, b, 1], [b, a, -1]].forEach(([row, column, sign]) => {
          const v = middle[i] == null ? null : sign * middle[i];
          if (v != null) {
            context.globalAlpha = (skew.apart[i] ? 0.25 + 0.75 * Math.abs(v) / most : 0.08 + 0.22 * Math.abs(v) / most);
            context.fillStyle = colour(v < 0 ? "--cold" : "--hot");
            context.fillRect(column * cell, row * cell, cell - (cell > 6 ? 1 : 0), cell - (cell > 6 ? 1 : 0));
            context.globalAlpha = 1;
          }
          // Frames of small cells would hide their colour.
          if (skew.apart[i] && cell >= 8) {
            context.strokeStyle = colour("--ink");
            context.lineWidth = Math.max(1, cell / 12);
            context.strokeRect(column * cell + 0.5, row * cell + 0.5, cell - 1, cell - 1);
          }
        });
      });
    };
    paint();
    drawn.push([{ redraw: paint, setSize: () => {} }, at]);
    const pairs = new Map(skew.a.map((a, i) => [a * n + skew.b[i], i]));
    canvas.addEventListener("mousemove", (event) => {
      const frame = canvas.getBoundingClientRect();
      const place = (v, from, whole) => Math.min(n - 1, Math.max(0, Math.floor((((v - from) / whole) * size - edge) / cell)));
      const row = place(event.clientY, frame.top, frame.height), column = place(event.clientX, frame.left, frame.width);
      const turned = row > column, i = pairs.get(turned ? column * n + row : row * n + column);
      if (i == null) { out.textContent = row === column ? `CPU ${skew.cpus[row]} itself` : "not compared"; return; }
      const less = (v) => (v == null ? null : -v);
      const [low, high] = turned ? [less(skew.high_ns[i]), less(skew.low_ns[i])] : [skew.low_ns[i], skew.high_ns[i]];
      out.textContent = `CPU ${skew.cpus[column]} less CPU ${skew.cpus[row]}: ${time(low)} to ${time(high)}`
        + (skew.apart[i] ? ", they disagree" : "");
    });
  };

  const events = (into, clock, wall_s) => {
    const { at_s, size_ns, what, names, left_out } = clock.events;
    const at = box(into, `Events: ${clock.id}`, "Steps back, jumps, standstills, and times that the reader itself was away."
      + (left_out ? ` The ${at_s.length} largest; ${left_out.toLocaleString("en")} more are counted in the table.` : ""));
    if (!at_s.length) return none(at, "none was seen");
    const curves = names.map((_, k) => {
      const mine = what.flatMap((w, i) => (w === k ? [i] : []));
      return [mine.map((i) => at_s[i]), mine.map((i) => Math.max(size_ns[i], 0.1))];
    });
    draw(at, {
      scales: { x: { time: false, range: (u, from, to) => (u.status ? [from, to] : [0, Math.max(wall_s, to)]) }, y: log },
      axes: [{ values: (u, splits) => splits.map((v) => `${digits(v)} s`), label: "time" }, decades(time)],
      series: [{ label: "at", value: (u, v) => (v == null ? "–" : `${digits(v)} s`) },
        ...series(names, time, { width: 0, points: { show: true, size: 6 } }).slice(1)
          .map((it) => ({ ...it, paths: () => null, points: { show: true, size: 6, fill: it.stroke } }))],
    }, joined(curves));
  };

  const spans = (into, clocks) => {
    const at = box(into, "Error of a timed interval, by its length", "95 of 100 errors are no larger, once the overhead is subtracted. Dashed: 1 % of the length.");
    const have = clocks.filter((clock) => clock.span[0].length > 1);
    if (!have.length) return none(at, clocks[0]?.missing.span ?? "the record has no series");
    const data = joined(have.map((clock) => clock.span));
    data.push(data[0].map((x) => x / 100));
    draw(at, {
      cursor: cursor(nearest),
      scales: { x: { time: false, ...log }, y: log },
      axes: [decades(time, { label: "length" }), decades(time)],
      series: [{ label: "length", value: (u, v) => time(v) }, ...series(have.map((clock) => clock.id), time, { points: { show: true, size: 4 } }).slice(1),
        { label: "1 %", stroke: colour("--faint"), dash: [4, 4], width: 1, points: { show: false }, value: (u, v) => time(v) }],
    }, data);
  };

  const deviations = (into, clocks) => {
    const at = box(into, "Allan deviation", "By the offset from the reference; overlapping; the bands are 95 % intervals. Lower is steadier.");
    const have = clocks.filter((clock) => clock.adev[0].length > 1);
    if (!have.length) return none(at, clocks[0]?.missing.adev ?? "the record has no series");
    const [data, low, high] = [1, 2, 3].map((k) => joined(have.map((clock) => [clock.adev[0], clock.adev[k]])));
    // A band without a lower end has none to draw.
    const ends = have.flatMap((clock) => clock.adev.slice(1).flat()).filter((v) => v > 0);
    const range = uPlot.rangeLog(Math.min(...ends), Math.max(...ends), 10, true);
    const told = (v) => v.toExponential(1);
    draw(at, {
      cursor: cursor(nearest),
      scales: { x: { time: false, ...log }, y: { ...log, range: () => range } },
      axes: [decades((v) => `${digits(v)} s`, { label: "τ" }), decades((v) => v.toExponential(0))],
      series: [{ label: "τ", value: (u, v) => (v == null ? "–" : `${digits(v)} s`) },
        ...series(have.map((clock) => clock.id), told, { points: { show: true, size: 4 } }).slice(1).map((it) => ({ ...it,
          value: (u, v, k, i) => (v == null ? "–" : `${told(v)} (${told(low[k][i])} to ${told(high[k][i])})`) }))],
      hooks: { drawAxes: [(u) => have.forEach((_, k) => {
        if (!u.series[k + 1].show) return;
        const places = data[0].flatMap((x, i) => (low[k + 1][i] > 0 && x >= u.scales.x.min && x <= u.scales.x.max ? [i] : []));
        const context = u.ctx;
        context.save();
        context.globalAlpha = 0.18;
        context.fillStyle = palette(k);
        context.beginPath();
        [[high, places], [low, places.slice().reverse()]].forEach(([of, order]) =>
          order.forEach((i) => context.lineTo(u.valToPos(data[0][i], "x", true), u.valToPos(of[k + 1][i], "y", true))));
        context.fill();
        context.restore();
      })] },
    }, data);
  };

  document.querySelectorAll(".record").forEach((section, place) => {
    const record = all[place], into = section.querySelector(".plots");
    if (!record || !record.clocks.length) return;
    const by_id = new Map(record.clocks.map((clock) => [clock.id, clock]));
    const find = (id) => by_id.get(id);
    const more = record.clocks_left_out ? ` ${record.clocks_left_out.toLocaleString("en")} further clocks have no plots here.` : "";
    let focus = find(record.chosen[0]) ?? record.clocks[0];
    const pick = element("select", { ariaLabel: "Clock" });
    record.clocks.forEach((clock) => pick.append(element("option", { value: clock.id, textContent: clock.id })));
    const rows = new Map();
    section.querySelectorAll("table tr").forEach((row) => {
      const clock = find(row.cells[0]?.textContent.trim());
      if (!clock || row.parentElement.tagName === "THEAD") return;
      rows.set(row, clock);
      row.classList.add("plotted");
      row.tabIndex = 0;
      row.title = "Show its plots";
      const show = () => { choose(clock); into.scrollIntoView({ behavior: "smooth" }); };
      row.addEventListener("click", show);
      row.addEventListener("keydown", (event) => { if (event.key === "Enter") show(); });
    });
    const choose = (clock) => {
      focus = clock;
      pick.value = clock.id;
      rows.forEach((of, row) => row.classList.toggle("shown", of === clock));
      for (let i = drawn.length - 1; i >= 0; i--) {
        if (into.contains(drawn[i][1])) { drawn[i][0].destroy?.(); drawn.splice(i, 1); }
      }
      const together = [clock, ...record.chosen.map(find).filter((other) => other && other !== clock)];
      into.replaceChildren(element("label", { className: "pick" }, "Clock ", pick,
        ` beside ${together.slice(1).map((other) => other.id).join(", ") || "none"}. Point to read a value, drag or turn the wheel to zoom, double-click to go back.${more}`));
      costs(into, together);
      differences(into, clock);
      offsets(into, clock, record.reference);
      record.skew.forEach((skew) => matrix(into, skew));
      events(into, clock, record.wall_s);
      spans(into, together);
      deviations(into, together);
    };
    pick.addEventListener("change", () => choose(find(pick.value)));
    choose(focus);
  });
  // For whoever wants to know that it is done, and when: ms since the page was asked for.
  document.documentElement.dataset.drawn = performance.now().toFixed(0);

  const again = () => document.querySelectorAll(".record .pick select").forEach((pick) => pick.dispatchEvent(new Event("change")));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawn.forEach(([plot, at]) => plot.setSize({ width: WIDTH(at), height: 300 })), 100);
  });
})();
