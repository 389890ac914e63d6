"use strict";
/* A filter above every long table. */
(() => {
  for (const region of document.querySelectorAll(".scroll[data-filter]")) {
    const rows = Array.from(region.querySelectorAll("tbody tr"), (row) => ({ row, text: row.textContent.toLowerCase() }));
    const told = document.createElement("span");
    told.className = "told";
    told.setAttribute("role", "status");
    const input = document.createElement("input");
    input.type = "search";
    input.setAttribute("autocomplete", "off");
    const label = document.createElement("label");
    label.append("Filter rows ", input);
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(label, told);
    region.before(tools);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const { row, text } of rows) {
        row.hidden = !text.includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      told.textContent = wanted ? shown + " of " + rows.length + " rows" : "";
    });
  }
})();
