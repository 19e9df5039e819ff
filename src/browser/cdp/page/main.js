// What the driver asks of a whole document at once.

/** The document's own words and what it shows, of one moment. New elements get numbers above those of other tabs. */
function observe(wanted) {
  lastNumber = Math.max(lastNumber, wanted.above ?? 0);
  return { place: place(), seen: walk(wanted) };
}

/** How far the window is scrolled. */
function scrolled() {
  return { x: scrollX, y: scrollY };
}

/** What the document's origin keeps in its local storage. */
function stored() {
  const items = [];
  for (let index = 0; index < localStorage.length; index++) {
    const name = localStorage.key(index);
    items.push({ name, value: localStorage.getItem(name) });
  }
  return { origin: self.origin, items };
}
