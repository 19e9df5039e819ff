// Questions of the driver about a whole document.

/**
 * The document's own words and what it shows, of one moment; see `walk`. New elements get numbers above those of other tabs.
 * It is told as JSON, because the browser hands a text over in a fifth of the time that it needs for a tree of values.
 */
function observe(wanted) {
  lastNumber = Math.max(lastNumber, wanted.above);
  return JSON.stringify({ place: place(), seen: walk(wanted) });
}

/** Returns the distance by which the window is scrolled. */
function scrolled() {
  return { x: scrollX, y: scrollY };
}

const traces = makeTraces();

/** Watches for what answers the action that comes next. */
function traceFrom() {
  traces.begin();
  return true;
}

/** Returns the traces of the action; null if nobody watched. */
function traced() {
  return traces.end();
}
