// Local storage, for our script world and for the empty page of an origin.

/** Returns the local storage of the document's origin. */
function stored() {
  const items = [];
  for (let index = 0; index < localStorage.length; index++) {
    const name = localStorage.key(index);
    items.push({ name, value: localStorage.getItem(name) });
  }
  return { origin: self.origin, items };
}
