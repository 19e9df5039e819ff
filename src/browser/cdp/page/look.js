// One observation of the page: each property of an element is read once and kept until the observation ends.
//
// A page changes between two observations and not during one, because nothing here waits. Reading a style costs more
// than the rest of a walk, so it is kept. Facts that depend on the ancestors are found by climbing, never by recursion,
// because a page may be nested without limit.

/** The facts about the elements that this observation has met; null between observations. */
let met = null;
/** The labels of each control, by root; made when the first label is asked for. */
let labelled = null;
/** The pictures that show areas, by root and by the name of their map; made when the first area is met. */
let pictured = null;
/** The number of elements that names may still be read from in this observation. */
let nameBudget = 0;

/**
 * Maximum number of elements that are visited for all names of one look. Unit: elements, each with its share of text.
 * Source: chosen; a page of 40,000 buttons needs 80,000, and nested controls on a hostile page would need the square of
 * their number.
 */
const NAME_BUDGET = 400_000;
/** Length of text that is read in the time of visiting one element. Unit: UTF-16 units. Source: chosen; a long line. */
const NAME_TEXT = 64;

/** Cursors that invite the user to drag the element under them. */
const GRIPS = setOf(`grab move all-scroll col-resize row-resize n-resize e-resize s-resize w-resize ne-resize nw-resize se-resize
  sw-resize ew-resize ns-resize nesw-resize nwse-resize`);

/** Runs `work` as one look. A look inside another look is part of the outer one. */
function look(work) {
  if (met !== null) return work();
  met = new Map();
  labelled = new Map();
  pictured = new Map();
  nameBudget = NAME_BUDGET;
  beginContent();
  try {
    return work();
  } finally {
    met = null;
    labelled = null;
    pictured = null;
    endContent();
  }
}

/** The facts about one element in one look. A fact is `undefined` until it is first asked for. */
class Facts {
  constructor(element) {
    this.element = element;
    this.tag = dom.tag(element).toLowerCase();
    this.isHtml = dom.namespace(element) === HTML;
    // The style is read here and not kept: ten thousand kept styles take long to clean up.
    const style = getComputedStyle(element);
    this.display = style.display;
    this.isStyledVisible = style.visibility === 'visible';
    const { cursor } = style;
    this.hasHand = cursor === 'pointer';
    this.hasGrip = GRIPS.has(cursor);
    this.takesPointer = style.pointerEvents !== 'none';
    this.shadow = dom.shadow(element);
    if (this.shadow !== null) {
      meetRoot(this.shadow);
      rememberShadow(this.shadow);
    }
    /** True if the element has no attributes, which saves a dozen look-ups. */
    this.isBare = !hasAttributes(element);
    this.parent = undefined;
    this.role = undefined;
    this.isShown = undefined;
    this.isHidden = undefined;
    this.isApart = undefined;
    this.isDisabled = undefined;
    this.isMasked = undefined;
    this.hasRoom = undefined;
    this.firstSeen = undefined;
    this.heading = undefined;
    // Facts that a walk records.
    this.visited = false;
    this.node = null;
    this.isSaid = false;
    this.reading = null;
    this.namedBy = undefined;
  }

  attribute(name) {
    return this.isBare ? null : dom.attribute(this.element, name);
  }

  has(name) {
    return !this.isBare && dom.has(this.element, name);
  }
}
const hasAttributes = method(Element.prototype, 'hasAttributes');

function factsOf(element) {
  let facts = met.get(element);
  if (facts === undefined) {
    facts = new Facts(element);
    met.set(element, facts);
  }
  return facts;
}

/** The facts of the parent, or of the host at the top of a shadow root; null at the top of the document. */
function aboveOf(facts) {
  if (facts.parent === undefined) {
    const parent = dom.above(facts.element);
    facts.parent = parent === null ? null : factsOf(parent);
  }
  return facts.parent;
}

/** A property that an element has itself or inherits. `own` returns true or false, or undefined to ask the parent. */
function inherited(facts, key, own) {
  let at = facts;
  let value;
  for (; at !== null; at = aboveOf(at)) {
    value = at[key] ?? own(at);
    if (value !== undefined) break;
  }
  value ??= false;
  for (let each = facts; each !== at; each = aboveOf(each)) each[key] = value;
  if (at !== null) at[key] = value;
  return value;
}

/** Returns true if an element or an ancestor contains text that must not leave the page. */
function isMasked(facts) {
  return inherited(facts, 'isMasked', masksItself);
}

function masksItself(facts) {
  return isSecretFact(facts) ? true : undefined;
}

/** As `isSecret`, but faster for an element without attributes, because only attributes mark a secret. */
function isSecretFact(facts) {
  return facts.isBare ? secrets.has(facts.element) : isSecret(facts.element);
}

/** The elements that an attribute refers to by id, each once, looked up in the root of the element. */
function referred(facts, attribute) {
  const text = facts.attribute(attribute);
  if (text === null || text === '') return NONE;
  const root = dom.root(facts.element);
  const type = dom.type(root);
  if (type !== DOCUMENT && type !== FRAGMENT) return NONE;
  const found = new Set();
  for (const id of text.split(' ')) {
    const other = id === '' ? null : byId(root, id);
    if (other !== null) found.add(other);
  }
  return [...found];
}

/**
 * The labels of a control in document order. The browser's own list reads the whole document for each control, so the
 * labels of a root are assigned to their controls once.
 */
function labelsOf({ element }) {
  const root = dom.root(element);
  let labels = labelled.get(root);
  if (labels === undefined) {
    labels = new Map();
    labelled.set(root, labels);
    const type = dom.type(root);
    for (const label of type === DOCUMENT || type === FRAGMENT ? queryAll(root, 'label') : []) {
      const control = dom.isHtml(label) ? dom.labelOf(label) : null;
      if (control === null) continue;
      const others = labels.get(control);
      if (others === undefined) labels.set(control, [label]);
      else others.push(label);
    }
  }
  return labels.get(element) ?? NONE;
}

/** The nearest ancestor that matches, or the element itself, also outside of the shadow root. */
function closestAcross(element, css) {
  let at = element;
  while (true) {
    const found = dom.closest(at, css);
    if (found !== null) return found;
    const root = dom.root(at);
    if (dom.type(root) !== FRAGMENT || !isShadow(root)) return null;
    at = dom.host(root);
  }
}
