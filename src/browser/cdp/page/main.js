// Functions that the driver calls for a whole document.

/**
 * The place of the document, the text that is selected in it, and its content, read at the same moment; see `walk`. New
 * elements get numbers above those of other tabs. The result is JSON text, which the browser transfers in a fifth of the
 * time that it needs for a tree of values.
 */
function observe(wanted) {
  lastNumber = Math.max(lastNumber, wanted.above);
  return JSON.stringify({ place: place(), selected: selection.selected(), seen: walk(wanted) });
}

const selection = makeSelection(isSecret, dom.shadow);

/** Selects the text of an element, or only these words in it if they are not null. */
function selectText(number, words) {
  const element = elementOf(number);
  if (element === null) return gone();
  return lacks(element, { visible: true }) ?? { selecting: selection.select(element, words) };
}

/** Returns the distance by which the window is scrolled. */
function scrolled() {
  return { x: scrollX, y: scrollY };
}

const traces = makeTraces(dom.shadow);

/** Starts to watch for reactions to the next action. */
function traceFrom() {
  traces.begin();
  return true;
}

/** Returns the traces of the action; null if nothing was watched. */
function traced() {
  return traces.end();
}
