"use strict";
/* Rows over time: pages of rows, a filter on what stands in them, zoom by buttons or by dragging. Nothing is asked of a network. */
const schedplanGantt = (() => {
  const PAGE = 40;
  const HOVER = "<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]} to %{customdata[3]}<extra></extra>";

  const verbatim = (text) => text.replace(/<br>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

  const button = (label, title, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", act);
    return made;
  };

  const make = (place, figure, redraw) => {
    const { gantt, layout } = figure;
    const state = { first: 0, rows: gantt.rows.map((_, idx) => idx), range: null };
    const whole = layout.xaxis.range.slice();
    const words = gantt.rows.map((row) => verbatim(row).toLowerCase());
    const labels = gantt.labels.map((label) => verbatim(label).toLowerCase());
    const barsOf = gantt.rows.map(() => []);
    for (const bar of gantt.bars) barsOf[bar[0]].push(bar);

    const told = document.createElement("span");
    told.className = "told";
    told.setAttribute("role", "status");
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = gantt.row_title.toLowerCase() + " or what runs on it";
    input.setAttribute("autocomplete", "off");
    const label = document.createElement("label");
    label.append("Filter ", input);

    const toMs = (text) => Date.parse(text.replace(" ", "T") + "Z");
    const toText = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
    const zoom = (factor) => {
      const [start, end] = (state.range || whole).map(toMs);
      const [least, most] = whole.map(toMs);
      const middle = (start + end) / 2;
      const half = Math.min(((end - start) * factor) / 2, (most - least) / 2);
      const from = Math.max(least, Math.min(middle - half, most - 2 * half));
      state.range = half * 2 >= most - least ? null : [toText(from), toText(from + 2 * half)];
      redraw();
    };
    const shift = (share) => {
      if (state.range === null) return;
      const [start, end] = state.range.map(toMs);
      const [least, most] = whole.map(toMs);
      const by = Math.max(least - start, Math.min(share * (end - start), most - end));
      state.range = [toText(start + by), toText(end + by)];
      redraw();
    };
    const back = button("‹ Rows", "Rows before", () => { state.first -= PAGE; redraw(); });
    const on = button("Rows ›", "Rows after", () => { state.first += PAGE; redraw(); });
    const earlier = button("←", "Earlier", () => shift(-0.5));
    const later = button("→", "Later", () => shift(0.5));
    const closer = button("+", "Zoom in", () => zoom(0.5));
    const wider = button("−", "Zoom out", () => zoom(2));
    const all = button("All", "Whole time", () => { state.range = null; redraw(); });
    const times = document.createElement("span");
    times.className = "buttons";
    times.append(closer, wider, earlier, later, all);
    const pages = document.createElement("span");
    pages.className = "buttons";
    pages.append(back, on);
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(label, times, pages, told);
    place.before(tools);

    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const matching = labels.map((text) => text.includes(wanted));
      state.rows = gantt.rows.map((_, idx) => idx).filter((idx) => words[idx].includes(wanted) || barsOf[idx].some((bar) => matching[bar[4]]));
      state.first = 0;
      redraw();
    });

    const trace = (group, idx, shown) => {
      const bars = shown.flatMap((row, at) => barsOf[row].filter((bar) => bar[3] === idx).map((bar) => [at, ...bar]));
      return {
        type: "bar", orientation: "h", name: group.name, textposition: "inside", insidetextanchor: "start", width: 0.82,
        hovertemplate: HOVER, insidetextfont: { color: group.text_color },
        y: bars.map((bar) => bar[0]),
        base: bars.map((bar) => gantt.at[bar[2]]),
        x: bars.map((bar) => (gantt.start_s[bar[3]] - gantt.start_s[bar[2]]) * 1000),
        text: bars.map((bar) => gantt.texts[bar[5]] || gantt.labels[bar[5]]),
        customdata: bars.map((bar) => [gantt.rows[bar[1]], gantt.labels[bar[5]], gantt.clock[bar[2]], gantt.clock[bar[3]]]),
        marker: { color: group.color, opacity: bars.map((bar) => bar[6] / 100), line: { color: "surface", width: 1 } },
      };
    };

    const drawn = () => {
      const most = Math.max(0, Math.floor((state.rows.length - 1) / PAGE) * PAGE);
      state.first = Math.max(0, Math.min(state.first, most));
      const shown = state.rows.slice(state.first, state.first + PAGE);
      const last = state.first + shown.length;
      const many = gantt.rows.length.toLocaleString("en");
      label.hidden = gantt.rows.length < 2;
      told.textContent = shown.length === gantt.rows.length ? (shown.length === 1 ? "" : many + " rows")
        : shown.length === 0 ? "none of " + many + " rows" : "rows " + (state.first + 1) + " to " + last + " of " + state.rows.length.toLocaleString("en")
          + (state.rows.length < gantt.rows.length ? ", of " + many + " in all" : "");
      back.disabled = state.first === 0;
      on.disabled = last >= state.rows.length;
      pages.hidden = gantt.rows.length <= PAGE;
      earlier.disabled = later.disabled = wider.disabled = all.disabled = state.range === null;
      const height = gantt.margin + gantt.row_height * Math.max(shown.length, 1);
      place.style.minHeight = height + "px";
      return {
        data: gantt.groups.map((group, idx) => trace(group, idx, shown)),
        layout: {
          ...layout, height, dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
          xaxis: { ...layout.xaxis, range: (state.range || whole).slice() },
          yaxis: { ...layout.yaxis, range: [shown.length - 0.5, -0.5], tickvals: shown.map((_, at) => at), ticktext: shown.map((row) => gantt.ticks[row] || gantt.rows[row]) },
        },
      };
    };
    const listen = () => place.on("plotly_relayout", (change) => {
      const range = change["xaxis.range"] || [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (change["xaxis.autorange"]) state.range = null;
      else if (range[0] !== undefined) state.range = range.map((text) => String(text).slice(0, 19));
      else return;
      redraw();
    });
    return { drawn, listen };
  };

  return { make };
})();
