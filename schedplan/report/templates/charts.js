"use strict";
(() => {
  const PALETTE = ["ink", "muted", "line", "surface", "good", "bad", "idle", "on-fill", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
  const NARROW = 560;
  const charts = [];

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    return new Map(PALETTE.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
  };

  const colour = (name, palette) => {
    const [base, alpha] = name.split("@");
    const value = palette.get(base);
    if (value === undefined) return name;
    if (alpha === undefined) return value;
    const parts = [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16));
    return "rgba(" + parts.join(",") + "," + alpha + ")";
  };

  const painted = (value, palette, key) => {
    if (typeof value === "string") return /color$/.test(key) ? colour(value, palette) : value;
    if (Array.isArray(value)) return value.map((item) => painted(item, palette, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, painted(item, palette, name)]));
  };

  const fitted = (layout, width) => {
    layout.font.family = getComputedStyle(document.body).fontFamily;
    layout.autosize = true;
    layout.showlegend = false;
    if (width < NARROW) {
      layout.margin.l = 4;
      layout.font.size = 10;
      layout.margin.r = 8;
      layout.xaxis.nticks = 5;
    }
    return layout;
  };

  const verbatim = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

  const swatch = (trace) => {
    const mark = document.createElement("i");
    if (trace.mode === "markers") {
      mark.style.border = "3px solid " + trace.marker.color;
      mark.style.borderRadius = "50%";
    } else if (trace.type === "bar" || trace.fill) {
      mark.style.background = trace.fill ? trace.fillcolor : trace.marker.color;
    } else {
      mark.className = "line";
      mark.style.borderTop = "3px " + ({ dash: "dashed", dot: "dotted" }[trace.line.dash] || "solid") + " " + trace.line.color;
    }
    return mark;
  };

  const legend = (place, data, layout) => {
    const named = data.filter((trace) => trace.name && trace.showlegend !== false);
    place.previousElementSibling?.classList.contains("legend") && place.previousElementSibling.remove();
    if (layout.showlegend === false || (named.length < 2 && layout.showlegend !== true)) return;
    const list = document.createElement("ul");
    list.className = "legend";
    for (const trace of named) {
      const entry = document.createElement("li");
      entry.append(swatch(trace), verbatim(trace.name));
      list.append(entry);
    }
    place.before(list);
  };

  const drawOne = (chart) => {
    const { place, gantt } = chart;
    const figure = gantt ? gantt.drawn() : structuredClone(chart.figure);
    const { data, layout } = painted(figure, theme(), "");
    legend(place, data, layout);
    Plotly.react(place, data, fitted(structuredClone(layout), place.clientWidth), { displayModeBar: false, responsive: true, doubleClick: "reset" });
  };

  const draw = () => charts.forEach(drawOne);

  for (const place of document.querySelectorAll(".chart")) {
    const source = document.getElementById(place.id.replace(/-chart$/, "-figure"));
    const figure = JSON.parse(source.textContent);
    const chart = { place, figure, gantt: null };
    if (figure.gantt) chart.gantt = schedplanGantt.make(place, figure, () => drawOne(chart));
    else place.style.minHeight = place.dataset.height + "px";
    charts.push(chart);
  }
  draw();
  for (const { gantt } of charts) if (gantt) gantt.listen();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; draw(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.theme; draw(); });
  document.documentElement.dataset.drawn = charts.length;
})();
