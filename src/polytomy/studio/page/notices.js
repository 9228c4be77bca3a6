// Messages: refusals of the server, and a lost connection.

const notice = {
  text: h("span"),
  element: null,
  lost: h("div", { class: "notice lost", role: "alert", hidden: true }),
};
notice.element = h("div", { class: "notice", role: "alert", hidden: true }, notice.text,
  h("button", { type: "button", class: "quiet", "aria-label": "Close the message", onclick: hideNotice }, "✕"));

/** Shows a sentence until it is closed or something else is done. */
function showNotice(text, kind = "refusal") {
  notice.element.dataset.kind = kind;
  notice.text.textContent = text;
  notice.element.hidden = false;
}

function hideNotice() {
  notice.element.hidden = true;
}

/** Says that the server is gone, or was started again, and how to go on. */
function showLost(error) {
  if (!notice.lost.hidden) return;
  const isNew = error instanceof Refusal;
  const kept = facts.folder
    ? ["Every edit was saved; continue with ", h("code", null, facts.reopen)]
    : ["Edits since the last saved model are lost. Open a saved one with ", h("code", null, facts.reopen)];
  put(notice.lost,
    h("b", null, isNew ? "The studio was started again. " : "The connection to the studio was lost. "),
    isNew ? "Open the URL that it printed. " : "Its server was stopped, or this machine was asleep. ", kept, ".");
  notice.lost.hidden = false;
  document.body.classList.add("offline");
}

function hideLost() {
  notice.lost.hidden = true;
  document.body.classList.remove("offline");
}
