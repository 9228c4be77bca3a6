// Fields to type a cell into, one for each kind of column.

const FEW_CHOICES = 40; // above, a field with suggestions is easier than a list

/**
 * Makes a field for a column.
 * @param {number} j the column
 * @param {function()} changed called when the cell has changed
 * @returns {{element: HTMLElement, read: function(): Object, write: function(?string)}} `read` gives a cell as
 *   `scoreOf` takes it, `{wrong: sentence}` for what is no cell; an empty field is a missing cell, and so
 *   is null for `write`
 */
function cellField(j, changed) {
  const column = facts.columns[j];
  const choices = column.categories ?? column.labels;
  if (choices && choices.length <= FEW_CHOICES && !column.more) return choiceField(column, choices, changed);
  return typedField(column, choices, changed);
}

function labelled(column, field, hint) {
  const wrong = h("span", { class: "wrong", id: freshId("wrong"), role: "status" });
  field.setAttribute("aria-describedby", wrong.id);
  const element = h("div", { class: "cell" },
    h("label", { for: field.id, title: column.name }, column.name, hint && h("span", { class: "muted" }, ` ${hint}`)),
    field, wrong);
  return { element, wrong };
}

function choiceField(column, choices, changed) {
  const field = h("select", { id: freshId("cell"), onchange: changed },
    h("option", { value: "missing" }, MISSING),
    choices.map((name, i) => h("option", { value: String(i) }, shorten(shownName(name), 80))),
    h("option", { value: "unseen" }, ANOTHER));
  const { element } = labelled(column, field);
  const read = () => {
    if (field.value === "missing") return { missing: true };
    return field.value === "unseen" ? { unseen: true } : { value: Number(field.value) };
  };
  const write = (text) => {
    const cell = text === null ? { missing: true } : choiceOf(choices, text);
    field.value = cell.missing ? "missing" : cell.unseen ? "unseen" : String(cell.value);
  };
  return { element, read, write };
}

function typedField(column, choices, changed) {
  const field = h("input", {
    type: "text", id: freshId("cell"), placeholder: "missing", autocomplete: "off", spellcheck: "false",
    inputmode: column.kind === "numbers" ? "decimal" : null, oninput: changed,
  });
  const { element, wrong } = labelled(column, field, hintOf(column));
  if (choices) {
    const list = h("datalist", { id: freshId("choices") }, choices.slice(0, 1000).map((name) => h("option", { value: shownName(name) })));
    field.setAttribute("list", list.id);
    element.append(list);
  }
  const read = () => {
    const cell = parsedCell(column, choices, field.value);
    wrong.textContent = cell.wrong ?? "";
    field.setAttribute("aria-invalid", String(Boolean(cell.wrong)));
    return cell;
  };
  const write = (text) => {
    field.value = text === null ? "" : choices?.includes(text) ? shownName(text) : text.trim();
  };
  return { element, read, write };
}

function isMissing(text) {
  return ["", "na", "nan", "null", "none", "?"].includes(text.trim().toLowerCase());
}

/** What a text says of a column with names: what is one of them is never taken for a missing cell. */
function choiceOf(choices, text) {
  const at = [text, text.trim()].map((t) => choices.indexOf(t)).find((i) => i >= 0) ?? -1;
  if (at >= 0) return { value: at };
  return isMissing(text) ? { missing: true } : { unseen: true };
}

/** A value of a column that is nothing special, as `write` takes it. */
function middleOf(column) {
  const names = column.labels ?? column.categories;
  if (names) return names[column.labels ? names.length >> 1 : 0] ?? null;
  return column.middle_text ?? (column.middle === undefined ? null : String(column.middle));
}

/** The range of the training values, as a hint. */
function hintOf(column) {
  if (column.low === undefined) return null;
  return column.kind === "times" ? `${column.low_text} to ${column.high_text}` : `${asTyped(column.low)} to ${asTyped(column.high)}`;
}

function parsedCell(column, choices, typed) {
  if (typed === "") return { missing: true };
  if (choices) {
    const quoted = choices.findIndex((name) => name !== shownName(name) && shownName(name) === typed);
    const cell = quoted < 0 ? choiceOf(choices, typed) : { value: quoted };
    return cell.unseen && column.more ? { wrong: `not among the ${count(choices.length)} categories listed here` } : cell;
  }
  if (isMissing(typed)) return { missing: true };
  const text = typed.trim();
  const value = column.kind === "times" ? ticksOf(text, column) : numberOf(text);
  if (!Number.isNaN(value)) return { value };
  if (column.kind === "numbers") return { wrong: "not a number" };
  return { wrong: isSpan(column) ? "not a time such as 36:00:00" : "not a time such as 2024-06-01 12:30" };
}

function numberOf(text) {
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  return /^[+\-−]?(\d|\.\d)/.test(text) ? Number(text.replace("−", "-")) : NaN;
}

function isSpan(column) {
  return column.dtype.startsWith("timedelta64");
}

/** Ticks of a time as a day, or with a clock where the axis is short; spans in days or hours. */
function sayTicks(column, ticks, width) {
  const [, times, unit] = /\[(\d*)(\w+)\]/.exec(column.dtype) ?? [];
  if (!NANOS[unit]) return say(ticks);
  const step = Number(NANOS[unit]) * Number(times || 1);
  const hours = (width * step) / 3600e9;
  if (isSpan(column)) return hours > 72 ? `${say((ticks * step) / 86400e9)} d` : `${say((ticks * step) / 3600e9)} h`;
  const instant = Math.floor((ticks * step) / 1e6);
  const ahead = column.zone ? fixedOffset(column.zone) ?? aheadAt(column.zone, instant) : 0;
  const moment = new Date(instant + ahead);
  if (Number.isNaN(moment.getTime())) return say(ticks);
  const iso = moment.toISOString();
  return hours > 72 ? iso.slice(0, 10) : iso.slice(5, 16).replace("T", " ");
}
