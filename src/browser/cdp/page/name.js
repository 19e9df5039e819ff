// The accessible name of an element, by the accname rules, and the elements that it was read from.
//
// The name of an element may be read from its content, which may contain elements whose names are read from their own
// content. So the code here recurses. Depth and total work in one observation are bounded, and anything beyond gives no
// name.

/** Largest depth to which a name is read. Unit: elements. Source: chosen; the stack holds ten times as many. */
const NAME_DEPTH = 200;
/** The text that replaces a value that must not be shown. */
const MASK = '••••••';

const NO_NAME = setOf(`caption code definition deletion emphasis generic insertion mark paragraph presentation strong
  subscript suggestion superscript term time`);
const NAMED_BY_CONTENT = setOf(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader switch tab tooltip treeitem`);
/** Roles whose content counts in the name of an element around them. */
const SPOKEN_INSIDE = setOf(`caption code contentinfo definition deletion emphasis insertion list listitem mark none
  paragraph presentation region row rowgroup section strong subscript superscript table term time`).add('');

/**
 * The reason for reading an element: it is the one to be named (`self`) or below it, `aria-labelledby` leads to it
 * (`by`), it is a label, or it is the caption for its kind of element. An element that is referred to is read even if
 * it is hidden.
 */
const SELF = { self: true, below: false, by: false, label: false, caption: false, hidden: false };
const BELOW = { ...SELF, self: false, below: true };
const belowOf = (how) => (how.self ? BELOW : how);
const referredTo = (facts) => ({ ...SELF, self: false, by: true, hidden: isHiddenFact(facts) });
const asLabel = (facts) => ({ ...SELF, self: false, label: true, hidden: isHiddenFact(facts) });
const asCaption = (how, facts) => ({ ...belowOf(how), caption: true, hidden: how.hidden || isHiddenFact(facts) });

/**
 * The reading of one name, with the facts of the elements that gave words. Elements that were passed are marked with
 * it.
 */
class Reading {
  constructor() {
    this.sources = [];
    this.depth = 0;
  }

  /** Takes a text that an element itself gives. */
  from(facts, text) {
    if (!text) return '';
    this.sources.push(facts);
    return spent(text);
  }

  each(elements, how) {
    return elements.map(factsOf).map((facts) => textOf(facts, how(facts), this));
  }

  labels(labels) {
    return this.each(labels, asLabel).filter((text) => text !== '').join(' ');
  }
}

/** Subtracts a text from the budget for names, and returns it. */
function spent(text) {
  nameBudget -= Math.trunc(text.length / NAME_TEXT);
  return text;
}

const NAMELESS = { name: '', sources: NONE };

/** The name of an element, with the facts of the elements that it was read from. */
function nameFact(facts) {
  if (NO_NAME.has(roleFact(facts))) return NAMELESS;
  const reading = new Reading();
  const name = squeeze(textOf(facts, SELF, reading));
  return { name, sources: reading.sources };
}

/** The accessible name of an element, `''` if it has none. */
function nameOf(element) {
  return look(() => nameFact(factsOf(element)).name);
}

/** The text of an element, read as `how` says. */
function textOf(facts, how, reading) {
  if (facts.reading === reading || reading.depth > NAME_DEPTH || nameBudget <= 0) return '';
  nameBudget--;
  reading.depth++;
  const text = readText(facts, how, reading);
  reading.depth--;
  return text;
}

function readText(facts, how, reading) {
  const { element, tag } = facts;
  if (NEVER_CONTENT.has(tag) || (!how.hidden && isHiddenFact(facts))) {
    facts.reading = reading;
    return '';
  }
  facts.namedBy ??= referred(facts, 'aria-labelledby');
  const named = facts.namedBy;
  if (!how.by && named.length > 0) {
    const before = reading.sources.length;
    const text = reading.each(named, referredTo).join(' ');
    if (text !== '') return text;
    reading.sources.length = before;
  }
  const role = roleFact(facts) ?? '';
  if ((how.below || how.by || how.label) && !named.includes(element)) {
    const value = controlText(facts, role, how, reading);
    if (value !== null) {
      facts.reading = reading;
      return value;
    }
  }
  facts.reading = reading;
  const label = facts.attribute('aria-label') ?? '';
  if (label.trim() !== '') return reading.from(facts, label);
  const native = isPresentation(role) ? null : nativeText(facts, how, reading, named.length > 0);
  if (native !== null) return native;
  const isSpoken = NAMED_BY_CONTENT.has(role) || (how.below && SPOKEN_INSIDE.has(role))
    || (tag === 'summary' && !isPresentation(role));
  if (isSpoken || how.by || how.label || how.caption) {
    const before = reading.sources.length;
    const text = contentText(facts, belowOf(how), reading);
    if ((how.self ? text.trim() : text) !== '') {
      reading.sources.push(facts);
      return text;
    }
    reading.sources.length = before;
  }
  if (isPresentation(role) && tag !== 'iframe' && tag !== 'frame') return '';
  return reading.from(facts, titleText(facts));
}

function titleText(facts) {
  const title = facts.attribute('title') ?? '';
  return title.trim() === '' ? '' : title;
}

/** The value of a control inside the named element; null for anything else. */
function controlText(facts, role, how, reading) {
  const { element, tag } = facts;
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return reading.from(facts, maskedValue(facts, fieldValue(facts) ?? dom.textOf(element)));
    case 'combobox':
    case 'listbox': {
      const choices = chosenIn(facts, role);
      if (choices.length === 0 && tag === 'input') return reading.from(facts, maskedValue(facts, fieldValue(facts)));
      return reading.each(choices, () => belowOf(how)).join(' ');
    }
    case 'progressbar':
    case 'scrollbar':
    case 'slider':
    case 'spinbutton':
    case 'meter':
      return reading.from(facts, maskedValue(facts, facts.attribute('aria-valuetext') ?? facts.attribute('aria-valuenow')
        ?? facts.attribute('value')));
    case 'menu':
      return '';
    default:
      return null;
  }
}

const inputValue = getter(HTMLInputElement.prototype, 'value');
const areaValue = getter(HTMLTextAreaElement.prototype, 'value');

/** Returns the content of a text field; null for any other element. */
function fieldValue({ element, tag, isHtml }) {
  if (!isHtml) return null;
  if (tag === 'input') return inputValue(element);
  return tag === 'textarea' ? areaValue(element) : null;
}

function maskedValue(facts, value) {
  return value !== null && value !== '' && isMasked(facts) ? MASK : value;
}

const selectedChoices = getter(HTMLSelectElement.prototype, 'selectedOptions');
const allChoices = getter(HTMLSelectElement.prototype, 'options');

/** The selected choices of a list. */
function chosenIn(facts, role) {
  const { element } = facts;
  if (facts.tag === 'select' && facts.isHtml) {
    const chosen = [...selectedChoices(element)];
    return chosen.length === 0 ? [...allChoices(element)].slice(0, 1) : chosen;
  }
  const hasRole = (wanted) => (other) => roleFact(factsOf(other)) === wanted;
  const list = role === 'combobox' ? ownedBy(facts, '*').find(hasRole('listbox')) : element;
  return list === undefined ? [] : ownedBy(factsOf(list), '[aria-selected="true"]').filter(hasRole('option'));
}

/** The matching elements in an element and in those that it owns by `aria-owns`. */
function ownedBy(facts, css) {
  const found = [...dom.query(facts.element, css)];
  for (const owned of referred(facts, 'aria-owns')) {
    if (dom.matches(owned, css)) found.push(owned);
    found.push(...dom.query(owned, css));
  }
  nameBudget -= found.length;
  return found;
}

const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
const textSlot = getter(Text.prototype, 'assignedSlot');

/** The nodes that were assigned to a slot from outside; none for any other element. */
function slottedInto(facts) {
  return isSlotFact(facts) ? assignedNodes(facts.element) : NONE;
}

/** Returns true if a child of a shadow host is shown in a slot instead. */
function isSlotted(node) {
  const type = dom.type(node);
  return type === ELEMENT ? dom.slot(node) !== null : type === TEXT && textSlot(node) !== null;
}

/** The text of an element's content. */
function contentText(facts, how, reading) {
  const inside = replacedText(facts) ?? insideText(facts, how, reading);
  const text = pseudoText(facts, '::before') + inside + pseudoText(facts, '::after');
  return text.trim() !== '' && isMasked(facts) ? MASK : text;
}

function insideText(facts, how, reading) {
  const { element, shadow } = facts;
  const slotted = slottedInto(facts);
  let text = '';
  for (const node of slotted) text += nodeText(node, how, reading);
  if (slotted.length > 0) return text;
  for (let child = dom.first(element); child !== null; child = dom.next(child)) {
    if (shadow === null || !isSlotted(child)) text += nodeText(child, how, reading);
  }
  for (let child = shadow === null ? null : dom.first(shadow); child !== null; child = dom.next(child)) {
    text += nodeText(child, how, reading);
  }
  for (const owned of referred(facts, 'aria-owns')) if (!isSlotted(owned)) text += nodeText(owned, how, reading);
  return text;
}

/** The text of a node inside the named element. */
function nodeText(node, how, reading) {
  const type = dom.type(node);
  if (type === TEXT) return spent(dom.nodeValue(node));
  if (type !== ELEMENT) return '';
  const child = factsOf(node);
  const text = textOf(child, how, reading);
  return child.display !== 'inline' || child.tag === 'br' ? ` ${text} ` : text;
}
