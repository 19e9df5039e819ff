// The tree of a page: the elements that are nodes, and the texts in them.

/** An element whose children are being visited. */
class Visit {
  constructor(facts, owner, node, isSeen, isMaskedHere) {
    this.facts = facts;
    /** The node that gets the content of the element, and the element's own node, if it has one. */
    this.owner = owner;
    this.node = node;
    this.isSeen = isSeen;
    this.isMaskedHere = isMaskedHere;
    this.child = null;
    this.shadow = null;
    this.more = NONE;
    this.moreAt = 0;
    /** True if space surrounds it, as it surrounds everything outside of a line of text. */
    this.isApart = facts.display !== 'inline' || facts.tag === 'br';
  }

  /** The next node to visit, or null. */
  next() {
    while (this.child !== null) {
      const child = this.child;
      this.child = dom.next(child);
      if (this.facts.shadow === null || !isSlotted(child)) return child;
    }
    if (this.shadow !== null) {
      const child = dom.first(this.shadow);
      this.shadow = null;
      if (child !== null) {
        this.child = dom.next(child);
        return child;
      }
    }
    return this.moreAt < this.more.length ? this.more[this.moreAt++] : null;
  }
}

/** Maximum number of elements that one walk visits, whether they become nodes or not. Source: chosen. */
const MOST_VISITS = 400_000;
/**
 * Maximum number of elements in one that listens for clicks on its parts. Source: chosen; one with more listens for a whole page,
 * whose lines of text stay whole.
 */
const MOST_PARTS = 200;
/** Roles of elements that may hold a control of their own, such as what opens a branch of a tree. */
const HOLDERS = setOf('treeitem tab option gridcell menuitem');
/** Longest text of one node. Unit: UTF-16 units. Source: chosen; a field may hold a book. */
const MAX_TEXT = 1_000_000;

const MARKS = new Map(Object.entries({ b: '**', strong: '**', i: '*', em: '*' }));

/** The building of a tree. */
class Build {
  constructor(maxNodes, maxText, listening) {
    this.root = new TreeNode('fragment', null, null);
    this.visits = [];
    this.resolve = makeResolve();
    /** Number of nodes that are complete and stay. */
    this.nodes = 0;
    this.visited = 0;
    this.maxNodes = maxNodes;
    /** Tickets of the elements that listen for clicks. */
    this.listening = listening;
    /** Room for text. Unit: UTF-16 units. */
    this.room = maxText;
    /** True if a cap was reached, so that later elements are not visited. `hasMore` is true if there were any. */
    this.isCut = false;
    this.hasMore = false;
    this.active = dom.active(document);
    if (!hasFocus(document)) this.active = null;
    // In a part that is not shown, nothing is visible except text of style sheets and elements that are shown
    // elsewhere.
    this.ownsNothing = documentQuery(document, '[aria-owns]').length === 0;
  }

  /** Visits an element and everything below it. */
  run(top) {
    this.enter(top, this.root, true, false);
    while (this.visits.length > 0) {
      const visit = this.visits[this.visits.length - 1];
      const child = visit.next();
      if (child === null || this.isCut) {
        this.hasMore ||= child !== null;
        this.visits.pop();
        this.leave(visit);
        continue;
      }
      const type = dom.type(child);
      if (type === TEXT) this.text(child, visit);
      else if (type === ELEMENT) this.enter(child, visit.owner, visit.isSeen, visit.isMaskedHere);
    }
    this.root.endText();
  }

  text(node, { owner, isSeen, isMaskedHere }) {
    if (!isSeen || owner.role === 'textbox') return;
    const text = dom.nodeValue(node);
    this.put(owner, isMaskedHere && text.trim() !== '' ? MASK : text);
  }

  /** Adds a text to a node. */
  put(owner, text) {
    if (text !== '') owner.addText(this.taken(text));
  }

  /** Cuts a text to the longest one of a node, and takes it out of the room for all texts. */
  taken(text) {
    const cut = text.length > MAX_TEXT ? clip(text, MAX_TEXT) : text;
    this.room -= cut.length;
    if (this.room < 0) this.isCut = true;
    return cut;
  }

  enter(element, parent, isParentSeen, isParentMasked) {
    const facts = factsOf(element);
    if (facts.visited) return;
    facts.visited = true;
    this.visited++;
    if (isBehindWidget(facts)) return;
    if (this.nodes >= this.maxNodes || this.visited >= MOST_VISITS) this.isCut = true;
    const isSeen = !isHiddenFact(facts) || hasRoom(facts);
    const isMaskedHere = isParentMasked || isSecretFact(facts);
    facts.isMasked = isMaskedHere;
    const node = isSeen ? this.nodeOf(facts, parent, isParentMasked, isMaskedHere) : null;
    if (node !== null) {
      parent.hadNodes = true;
      openNode(node);
    }
    const visit = new Visit(facts, node ?? parent, node, isSeen, isMaskedHere);
    if (visit.isApart) visit.owner.addText(' ');
    this.put(visit.owner, pseudoText(facts, '::before'));
    this.mark(visit);
    const isUnshown = facts.display === 'none' && this.ownsNothing && hasNoContent();
    if (!isUnshown) this.open(visit, element);
    this.visits.push(visit);
  }

  open(visit, element) {
    visit.more = slottedInto(visit.facts);
    // The content of a frame's tag is for browsers without frames.
    if (visit.more.length === 0 && !isFrameFact(visit.facts)) {
      visit.child = dom.first(element);
      visit.shadow = visit.facts.shadow;
    }
    const owns = visit.facts.attribute('aria-owns');
    if (owns === null) return;
    const owned = owns.split(/\s+/).map((id) => documentById(document, id)).filter((other) => other !== null);
    visit.more = [...visit.more, ...owned];
  }

  /** Marks bold and italic words in an editor as in Markdown, before and after them. */
  mark({ facts, owner, isSeen }) {
    const mark = MARKS.get(facts.tag);
    if (mark === undefined || !isSeen || owner.role === 'textbox' || !dom.isEditable(facts.element)) return;
    if (dom.textOf(facts.element).trim() !== '') this.put(owner, mark);
  }

  leave(visit) {
    const { facts, owner, node, isApart } = visit;
    this.mark(visit);
    this.put(owner, pseudoText(facts, '::after'));
    if (isApart) owner.addText(' ');
    if (owner.role === 'link' && facts.has('href')) owner.url = this.taken(shortAddress(this.resolve(facts.element) ?? facts.attribute('href')));
    if (owner.role === 'textbox' && facts.has('placeholder')) {
      const placeholder = facts.attribute('placeholder');
      if (placeholder !== owner.name) owner.placeholder = this.taken(placeholder);
    }
    if (node === null) return;
    const parent = this.parentOf();
    if (closeNode(node, parent)) this.nodes++;
  }

  /** The node that the innermost open element adds its nodes to. */
  parentOf() {
    return this.visits.length === 0 ? this.root : this.visits[this.visits.length - 1].owner;
  }

  /**
   * Returns true if a script listens for clicks on this element, or if its look says that it opens something or can be dragged. A
   * script that listens on the whole page does not count.
   */
  listensFor(facts) {
    const { element, tag } = facts;
    if (tag === 'summary' || isGrip(facts)) return true;
    return this.listening.size > 0 && tag !== 'body' && this.listening.has(tickets.get(element));
  }

  /** The node of an element; null if the element has no meaning of its own. */
  nodeOf(facts, parent, isParentMasked, isMaskedHere) {
    const { element } = facts;
    const isFrame = isFrameFact(facts);
    const role = isFrame ? 'iframe' : roleFact(facts) ?? 'generic';
    if (isPresentation(role)) return null;
    const listens = this.listensFor(facts);
    const isHeard = listens && (isForItself(facts, parent) || isToggle(facts, parent));
    const isPlain = role === 'generic' && isInLine(facts) && isOneText(element) && !isHeard && !isHand(facts, parent);
    if (isPlain && !isPiece(facts, parent)) return null;
    const node = new TreeNode(role, facts, parent);
    node.hearsParts = listens && !ASKED.has(role) && isOfOneSort(element) && isSmall(element);
    node.listens = listens;
    node.isHeard = isHeard;
    facts.node = node;
    node.isActive = element === this.active;
    node.isAriaHidden = isAriaHidden(facts);
    if (isFrame) return node;
    ({ name: node.name, sources: node.sources } = nameFact(facts));
    if (isParentMasked && node.name !== '') node.name = MASK;
    if (node.name.length <= MAX_NAME) this.room -= node.name.length;
    readStates(facts, role, node);
    const value = valueOf(facts);
    if (value !== null) this.put(node, isMaskedHere && value !== '' ? MASK : value);
    return node;
  }
}

/** Returns true for a list of options that nobody can see or reach by keys, because a widget of the page stands for it. */
function isBehindWidget(facts) {
  if (facts.tag !== 'select' || !facts.isHtml || !(Number(facts.attribute('tabindex') ?? 0) < 0)) return false;
  const { width, height } = dom.rect(facts.element);
  return width <= 1 || height <= 1;
}

/** Returns true if an element can be clicked and no element around it represents it. */
function isForItself(facts, parent) {
  return !ASKED.has(parent.role) && hasRoom(facts) && facts.takesPointer;
}

/** Returns true if an element listens by itself inside one that holds more than a label and listens too. */
function isToggle(facts, parent) {
  return HOLDERS.has(parent.role) && parent.listens && hasRoom(facts) && facts.takesPointer;
}

/**
 * Returns true if a part of a line may be what an element around it listens for: a script can tell it from its neighbours by an
 * attribute.
 */
function isPiece(facts, parent) {
  const { element, isBare } = facts;
  const isIn = (parent.isInHeard || parent.hearsParts) && !parent.isInClickable && !parent.hasHand;
  return isIn && !isBare && isForItself(facts, parent) && (dom.next(element) !== null || dom.first(dom.parent(element)) !== element);
}

/** Returns true if an element begins with two elements of one sort, as a list of items does. */
function isOfOneSort(element) {
  const first = firstElement(element);
  const second = first === null ? null : nextElement(first);
  return second !== null && dom.tag(first) === dom.tag(second) && dom.attribute(first, 'class') === dom.attribute(second, 'class');
}

/** Returns true if it contains few elements. Does not count them all. */
function isSmall(element) {
  return elementsIn(element, '*')[MOST_PARTS] === undefined;
}
const elementsIn = method(Element.prototype, 'getElementsByTagName');

/** Returns true if the hand cursor begins at this element. */
function isHand(facts, parent) {
  return facts.hasHand && !parent.isInClickable && !parent.hasHand && isForItself(facts, parent);
}

/** Returns true if a cursor for dragging begins at this element. */
function isGrip(facts) {
  return facts.hasGrip && aboveOf(facts)?.hasGrip !== true;
}

const hasFocus = method(Document.prototype, 'hasFocus');

function isFrameFact({ tag, isHtml }) {
  return isHtml && (tag === 'iframe' || tag === 'frame');
}

function isOneText(element) {
  const first = dom.first(element);
  return first !== null && dom.type(first) === TEXT && dom.next(first) === null;
}

const VALUELESS = setOf('checkbox radio file');

/** Returns the value of a field; null for an element without a readable value. */
function valueOf(facts) {
  const { element, tag, isHtml } = facts;
  if (tag === 'input' && isHtml && VALUELESS.has(typeOf(element))) return null;
  return fieldValue(facts);
}

/** An address as it is written; of a `data:` address, only the part before the data. */
function shortAddress(address) {
  const comma = address.startsWith('data:') ? address.indexOf(',') : -1;
  return comma < 0 ? address : `${address.slice(0, comma + 1)}…`;
}
