// Input fields for the cells of a row, one for each kind of column.
//
// A cell is { value, text }, { missing: true }, { unseen: true, text } or { wrong: message }. The value is a
// number, the ticks of a time, the position of a label, or the position of a listed category.

const FEW_CHOICES = 50; // with more categories, a text field with suggestions is easier than a list
const MOST_SUGGESTIONS = 1000;
const MISSING_WORDS = ["", "na", "nan", "null", "none", "?"];

/**
 * Makes the field of a column.
 * @param {number} j the column
 * @param {{onlyListed: ?boolean}} options `onlyListed`: a category that the column does not list is an error
 * @returns {{column: number, element: HTMLElement, read: function(): Object, write: function(?string)}}
 *   `read` returns the cell; `write` takes text, or null for a missing cell
 */
function cellField(j, { onlyListed = false } = {}) {
  const column = facts.columns[j];
  const id = `cell-${j}`;
  const isList = column.kind === "labels" || (column.kind === "categories" && column.categories.length <= FEW_CHOICES && !column.more);
  const input = isList ? listInput(column, id) : textInput(column, id);
  const wrong = h("span", { class: "wrong", id: `${id}-wrong`, role: "status" });
  const hint = isList ? null : rangeHint(column);
  const element = h("div", { class: "cell" },
    h("div", { class: "cell-head", title: hint ? `${column.name}: ${hint}` : column.name }, h("label", { for: id }, breakable(column.name)),
      hint && h("span", { class: "hint", id: `${id}-hint` }, hint)),
    input, isList ? null : suggestions(column, id), wrong);
  input.dataset.column = j;
  input.setAttribute("aria-describedby", hint ? `${id}-hint ${id}-wrong` : `${id}-wrong`);
  const read = () => {
    let cell = isList ? chosenCell(column, input.value) : typedCell(column, input.value);
    if (onlyListed && cell.unseen) cell = { wrong: `“${shorten(input.value, 30)}” is not among the ${formatCount(column.categories.length)} categories listed here` };
    wrong.textContent = cell.wrong ?? "";
    input.setAttribute("aria-invalid", String(Boolean(cell.wrong)));
    return cell;
  };
  const write = (text) => {
    if (isList) input.value = choiceOf(column, text);
    else input.value = text === null ? "" : column.categories?.includes(text) ? visibleName(text) : text.trim();
  };
  return { column: j, element, read, write };
}

/** The form that holds some fields; `update` is called when a cell has changed. */
function cellForm(elements, update) {
  return h("form", { class: "cells", "aria-label": "Cells of the row", oninput: update, onsubmit: (event) => event.preventDefault() }, elements);
}

function listInput(column, id) {
  const names = column.labels ?? column.categories;
  return h("select", { id },
    h("option", { value: "missing" }, MISSING),
    names.map((name, i) => h("option", { value: i }, shortenMiddle(visibleName(name), 80))),
    column.kind === "categories" ? h("option", { value: "unseen" }, ANOTHER) : null);
}

function textInput(column, id) {
  return h("input", {
    type: "text", id, placeholder: "missing", autocomplete: "off", spellcheck: "false",
    inputmode: column.kind === "numbers" ? "decimal" : null, list: column.categories ? `${id}-list` : null,
  });
}

function suggestions(column, id) {
  if (!column.categories) return null;
  const names = column.categories.slice(0, MOST_SUGGESTIONS);
  return h("datalist", { id: `${id}-list` }, names.map((name) => h("option", { value: visibleName(name) })));
}

/** The range of the training values. */
function rangeHint(column) {
  if (column.kind === "times") return column.low_text ? `${column.low_text} to ${column.high_text}` : timeHint(column);
  return column.low === undefined ? null : `${asTyped(column.low)} to ${asTyped(column.high)}`;
}

/** The cell that an option of a list stands for. */
function chosenCell(column, option) {
  if (option === "missing") return { missing: true };
  if (option === "unseen") return { unseen: true, text: ANOTHER };
  return { value: Number(option), text: visibleName((column.labels ?? column.categories)[Number(option)]) };
}

/** The option of a list for a text; a label that the column does not have counts as missing. */
function choiceOf(column, text) {
  if (text === null) return "missing";
  const cell = namedCell(column.labels ?? column.categories, text);
  if (cell.value !== undefined) return String(cell.value);
  return cell.missing || column.kind === "labels" ? "missing" : "unseen";
}

/** The cell that a text stands for. */
function typedCell(column, typed) {
  if (typed === "") return { missing: true };
  if (column.categories) return namedCell(column.categories, typed, Boolean(column.more));
  const text = typed.trim();
  if (isMissingWord(text)) return { missing: true };
  const value = column.kind === "times" ? ticksOf(text, column) : numberOf(text);
  if (!Number.isNaN(value)) return { value, text };
  return { wrong: `“${shorten(text, 30)}” is not ${column.kind === "times" ? `a time such as ${timeHint(column)}` : "a number"}` };
}

/** The cell of a category: a category such as "NA" is itself, other such words are missing cells. */
function namedCell(names, typed, hasMore = false) {
  const quoted = names.findIndex((name) => name !== visibleName(name) && visibleName(name) === typed);
  const value = [quoted, names.indexOf(typed), names.indexOf(typed.trim())].find((i) => i >= 0);
  if (value !== undefined) return { value, text: visibleName(names[value]) };
  return isMissingWord(typed) && !hasMore ? { missing: true } : { unseen: true, text: visibleName(typed) };
}

function isMissingWord(text) {
  return MISSING_WORDS.includes(text.trim().toLowerCase());
}

function numberOf(text) {
  const plain = text.replace("−", "-");
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}
