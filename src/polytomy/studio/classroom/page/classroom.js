// The page of the classroom: three parts, one of which is shown. The part is in the address, so that it survives a reload.

const PARTS = {
  lesson: { name: "Guess the split", page: lessonPage },
  weight: { name: "Weight game", page: weightPage },
  branching: { name: "Branching game", page: branchingPage },
};

function currentPart() {
  const name = location.hash.slice(1);
  return Object.hasOwn(PARTS, name) ? name : "lesson";
}

/** Shows the part in the address. */
function show(focus = null) {
  const part = currentPart();
  for (const link of document.querySelectorAll(".parts a")) {
    if (link.hash === `#${part}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = document.getElementById("main");
  const opened = new Map(main.dataset.part === part ? [...main.querySelectorAll("details")].map((one) => [one.className, one.open]) : []);
  put(main, PARTS[part].page());
  main.dataset.part = part;
  for (const one of main.querySelectorAll("details")) one.open = opened.get(one.className) ?? one.open;
  if (focus) focusOn(document.querySelector(focus));
}

function focusOn(element) {
  if (!element) return;
  if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  element.focus();
}

function classroomPage() {
  const links = Object.entries(PARTS).map(([name, { name: words }]) => h("li", null, h("a", { href: `#${name}` }, words)));
  put(document.getElementById("top"),
    h("div", { class: "title-row" }, h("h1", null, room.title), themeButton()),
    h("nav", { class: "parts", "aria-label": "Parts of the classroom" }, h("ul", null, links)),
    alertLine, statusLine);
  addEventListener("hashchange", () => {
    complain("");
    show("#main h2");
  });
  show();
}

classroomPage();
