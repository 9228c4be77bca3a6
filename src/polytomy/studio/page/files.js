// Files: saving the model, the log and the report, and opening a model.

const FILE_NAMES = { model: "Model", log: "Log of the edits", report: "Report" };

function fileButtons() {
  const menu = h("div", { class: "menu-list" }, Object.entries(FILE_NAMES).map(([kind, name]) =>
    h("button", { type: "button", class: "quiet", dataset: { save: kind }, onclick: () => { details.open = false; saveFile(kind); } }, name)));
  const details = h("details", { class: "menu-box" }, h("summary", { class: "button" }, "Save"), menu);
  details.addEventListener("focusout", (event) => {
    if (!details.contains(event.relatedTarget)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus();
  });
  const input = h("input", { type: "file", accept: ".json,application/json", class: "hidden-text", tabindex: -1, "aria-hidden": true, id: "open-file", onchange: () => openFile(input) });
  const open = h("button", { type: "button", title: "Open a saved model of these rows", onclick: () => input.click() }, "Open");
  return h("div", { class: "group", role: "group", "aria-label": "Files" }, details, open, input);
}

/** Saves a file to the folder of the studio, or lets the browser download it. */
async function saveFile(kind) {
  setBusy(true);
  const answer = await inquire("save", { kind });
  setBusy(false);
  if (!answer) return;
  if (answer.path) {
    showNotice(`Saved ${answer.path}`, "info");
    return;
  }
  const url = URL.createObjectURL(new Blob([answer.text], { type: kind === "report" ? "text/html" : "application/json" }));
  const link = h("a", { href: url, download: answer.name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  showNotice(kind === "model" && facts.reopen ? `Downloaded ${answer.name}. Open it again with: ${facts.reopen}` : `Downloaded ${answer.name}.`, "info");
}

async function openFile(input) {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  if (await change("open", { text: await file.text() })) showNotice(`Opened ${file.name}.`, "info");
}
