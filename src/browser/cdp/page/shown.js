// Visibility of an element for the eye, for assistive technology, and for the pointer.

/** Elements that are never content. */
const NEVER_CONTENT = new Set(['style', 'script', 'noscript', 'template']);

/** Returns true if the styles show an element; its place and size do not count. */
function isStyleShown(facts) {
  facts.isShown ??= facts.isStyledVisible && dom.isShown(facts.element);
  return facts.isShown;
}

/**
 * Returns true if an element or an ancestor is removed from the accessibility tree, or is not slotted into a visible
 * element.
 */
function isApart(facts) {
  return inherited(facts, 'isApart', isApartItself);
}

function isApartItself(facts) {
  if (facts.display === 'none' || isAriaHidden(facts)) return true;
  const above = aboveOf(facts);
  if (above === null || above.shadow === null) return undefined;
  const isUnslotted = dom.parent(facts.element) === above.element && dom.slot(facts.element) === null;
  return isUnslotted ? true : undefined;
}

function isAriaHidden(facts) {
  return facts.attribute('aria-hidden')?.toLowerCase() === 'true';
}

/** Returns true if assistive technology does not see an element. */
function isHiddenFact(facts) {
  facts.isHidden ??= computeHidden(facts);
  return facts.isHidden;
}

function computeHidden(facts) {
  if (NEVER_CONTENT.has(facts.tag)) return true;
  if (facts.tag === 'area') return !hasRoom(facts);
  const isSlot = isSlotFact(facts);
  if (facts.display === 'contents' && !isSlot) {
    return !hasThroughContents(facts, (child) => !isHiddenFact(child), isSlotFact);
  }
  // The choices of a closed list count, although they are not visible.
  const isChoice = facts.tag === 'option' && facts.isHtml && dom.closest(facts.element, 'select') !== null;
  if (!isChoice && !isSlot && !isStyleShown(facts)) return true;
  return isApart(facts);
}

/** Returns true if assistive technology does not see an element. */
function isHiddenForAria(element) {
  return look(() => isHiddenFact(factsOf(element)));
}

function isSlotFact({ tag, isHtml }) {
  return tag === 'slot' && isHtml;
}

/** Maximum number of nodes that are looked at in an element without a box of its own. Source: chosen. */
const MOST_CONTENTS = 2_000;

/**
 * Returns true if `test` holds for an element inside this one, or if a text in it is visible. Looks through elements
 * without a box, except those for which `isBarrier` is true: they are tested themselves.
 */
function hasThroughContents(facts, test, isBarrier = () => false) {
  const open = [dom.first(facts.element)];
  for (let left = MOST_CONTENTS; open.length > 0 && left > 0; left--) {
    const node = open.pop();
    if (node === null) continue;
    open.push(dom.next(node));
    const type = dom.type(node);
    if (type === TEXT && isTextShown(node)) return true;
    if (type !== ELEMENT) continue;
    const child = factsOf(node);
    if (child.display === 'contents' && !isBarrier(child)) open.push(dom.first(node));
    else if (test(child)) return true;
  }
  return false;
}

const makeRange = method(Document.prototype, 'createRange');

function isTextShown(node) {
  const range = makeRange(document);
  range.selectNode(node);
  const { width, height } = range.getBoundingClientRect();
  return width > 0 && height > 0;
}

/** Returns true if an element takes up space. */
function hasRoom(facts) {
  facts.hasRoom ??= computeRoom(facts);
  return facts.hasRoom;
}

function computeRoom(facts) {
  const picture = facts.tag === 'area' ? pictureOf(facts.element) : null;
  if (picture !== null) return !isHiddenFact(factsOf(picture)) && hasRoom(factsOf(picture));
  return facts.display === 'contents' ? firstSeenIn(facts) !== null : isStyleShown(facts) && hasArea(facts.element);
}

function hasArea(element) {
  const { width, height } = dom.rect(element);
  return width > 0 && height > 0;
}

/** Returns true if an element is part of a line of text. */
function isInLine(facts) {
  return facts.display === 'contents' ? firstSeenIn(facts) === TEXT : facts.display === 'inline' && isStyleShown(facts);
}

/** The type of the first visible node in an element that has no box of its own; null if there is none. */
function firstSeenIn(facts) {
  if (facts.firstSeen === undefined) facts.firstSeen = findFirstSeen(facts);
  return facts.firstSeen;
}

function findFirstSeen(facts) {
  for (let child = dom.first(facts.element), left = MOST_CONTENTS; child !== null && left > 0; left--) {
    const type = dom.type(child);
    if (type === TEXT && isTextShown(child)) return TEXT;
    if (type === ELEMENT) {
      const inner = factsOf(child);
      if (inner.display === 'contents' ? hasThroughContents(inner, hasRoom) : hasRoom(inner)) return ELEMENT;
    }
    child = dom.next(child);
  }
  return null;
}
