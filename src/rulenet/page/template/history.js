// What was changed, and why; undo, redo, and what to take home.

function historyPanel(app) {
  const past = app.data.edits.map((edit) => el("li", { class: "past" }, visible(edit.what), edit.reason && el("span", { class: "note" }, ` – ${visible(edit.reason)}`)));
  const entry = (step, i) => el("li", { class: i === app.at ? "now" : i > app.at ? "undone" : "" },
    button(i ? step.what : "the start", () => app.goTo(i), { class: "plain" }),
    i > 0 && el("input", { value: step.reason, placeholder: "reason", "aria-label": `reason for: ${step.what}`, "data-reason": i, onchange: (event) => (step.reason = event.target.value) }),
    i > 0 && el("span", { class: "note" }, ` accuracy ${percent(step.accuracy)}`));
  return [
    el("p", { class: "tools" },
      button("undo", () => app.goTo(app.at - 1), { id: "undo", disabled: app.at === 0 }),
      button("redo", () => app.goTo(app.at + 1), { id: "redo", disabled: app.at === app.steps.length - 1 }),
      button("download the model", () => app.download(), { id: "download" }),
      button("copy the refit call", () => app.copyRefit(), { id: "copy-refit" })),
    past.length > 0 && [el("h3", {}, "before this page"), el("ol", {}, past)],
    el("ol", { start: 0, class: "steps" }, app.steps.map(entry)),
    el("label", {}, app.state.outputs.length > 1 ? "to learn on" : "to learn on around what is locked", el("textarea", { id: "refit", readonly: true, rows: 5, value: refitCall(app.state, app.attributes) })),
  ];
}
