// Rules that decide which parts of a page become nodes. They are applied to each node once its content is known.
//
// The other driver's tool simplifies its tree by the same rules, so both drivers show the same tree.

/** Roles of fields whose text is their value, whatever else they contain. Source: the page tree. */
const EDITABLE = setOf('textbox searchbox combobox spinbutton');

/**
 * Roles whose elements are asked for more than role and name. Source: the page tree, and `asked` of the other driver.
 */
const ASKED = setOf(`textbox searchbox combobox spinbutton button checkbox link listbox menuitem menuitemcheckbox
  menuitemradio option radio slider switch tab treeitem progressbar meter scrollbar gridcell`);

/** A node of the tree that is being built. Ten thousand are kept at once, so they hold little. */
class TreeNode {
  constructor(role, facts, parent) {
    this.role = role;
    this.facts = facts;
    this.name = '';
    /** Facts of the elements that the name was read from. */
    this.sources = NONE;
    this.states = null;
    this.level = 0;
    /** Nodes and texts in reading order, and the text that comes next; true if white space comes between these two. */
    this.children = NONE;
    this.text = '';
    this.isSpaced = false;
    this.isActive = false;
    this.isAriaHidden = false;
    /** True if its content can be edited and that of the element around it cannot. */
    this.isEditor = false;
    /** The text of a field as it was written, if it has white space that the tree does not show. */
    this.exact = null;
    /** True if a script of the page listens for clicks on it; true if it is a node for that reason alone. */
    this.listens = false;
    this.isHeard = false;
    /** True if it hears clicks on the items inside it; true inside of one that does. */
    this.hearsParts = false;
    this.isInHeard = parent !== null && (parent.isInHeard || parent.hearsParts) && !ASKED.has(role);
    this.url = null;
    this.placeholder = null;
    /** True if an element inside it ever was a node. */
    this.hadNodes = false;
    /** True if an element around it shows the hand cursor and can be reached. */
    this.isInClickable = parent !== null && (parent.isInClickable || (parent.hasHand && parent.isReachable));
  }

  /** Adds a node, or a text, which is joined with its neighbours. */
  add(child) {
    if (typeof child === 'string') {
      this.addText(child);
    } else {
      this.endText();
      this.push(child);
    }
  }

  addText(text) {
    if (isBlank(text)) {
      this.isSpaced = true;
    } else {
      this.text = this.text === '' ? text : `${this.text}${this.isSpaced ? ' ' : ''}${text}`;
      this.isSpaced = false;
    }
  }

  endText() {
    const words = this.text === '' ? '' : squeeze(this.text);
    this.text = '';
    this.isSpaced = false;
    if (words !== '') this.push(clip(words, MAX_TEXT));
  }

  push(child) {
    if (this.children === NONE) this.children = [child];
    else this.children.push(child);
  }

  /** Records a state of the element. */
  is(state, value) {
    this.states ??= {};
    this.states[state] = value;
  }

  /** True if the pointer can reach it, so that it gets a reference. Computed late, because it needs a measurement. */
  get isReachable() {
    return this.facts !== null && hasRoom(this.facts) && (this.role === 'iframe' || this.facts.takesPointer);
  }

  get hasHand() {
    return this.facts !== null && this.facts.hasHand;
  }

  get isClickRoot() {
    return !this.isInClickable && this.hasHand && this.isReachable;
  }

  /** Its only child, if that is a text. */
  get onlyText() {
    return this.children.length === 1 && typeof this.children[0] === 'string' ? this.children[0] : null;
  }

  get hasProperties() {
    return this.url !== null || this.placeholder !== null || this.isAriaHidden;
  }
}

/** Returns true if a text is the white space that every page is full of. */
function isBlank(text) {
  return text === '' || (text.charCodeAt(0) <= 32 && !/\S/.test(text));
}

/** Marks the elements that a node's name was read from. Until they become nodes, only the name contains their words. */
function openNode(node) {
  if (node.sources.length === 0 || !node.isReachable) return;
  for (const source of node.sources) source.isSaid = true;
}

/** Finishes a complete node, and gives its parent the node or what takes its place. Returns true if it gave the node. */
function closeNode(node, parent) {
  const isLeaf = node.role === 'generic' && !node.hadNodes;
  if (node.facts.isSaid && !isLeaf && node.isReachable) node.facts.isSaid = false;
  node.endText();
  // The other driver's tool also leaves out the text of a field that is equal to the name, and its driver puts it back.
  if (node.name !== '' && node.onlyText === node.name && !EDITABLE.has(node.role)) node.children = NONE;
  if (node.role === 'img' && node.name === '' && node.children.length === 0 && !node.isClickRoot && !node.isHeard) return false;
  dropRepeatedName(node);
  if (node.role === 'generic') {
    liftOnlyText(node);
    if (repeatsName(node, parent)) {
      if (node.isReachable) node.facts.isSaid = true;
      return false;
    }
    if (isWrapper(node)) {
      for (const child of node.children) {
        // A click on either of the two also reaches the other.
        child.listens ||= node.listens;
        parent.add(child);
      }
      return false;
    }
  }
  parent.add(node);
  return true;
}

/** Drops a name if all its words are in nodes of their own. */
function dropRepeatedName(node) {
  const sources = node.sources.filter((source) => source !== node.facts && source.node?.isReachable);
  if (sources.length === 0 || !node.isReachable) return;
  if (sources.some((source) => source.isSaid)) {
    for (const source of sources) source.isSaid = false;
  } else {
    node.name = '';
  }
}

/** Takes over the text of a plain element that is the only content. */
function liftOnlyText(node) {
  const [child] = node.children;
  if (node.hasProperties || node.children.length !== 1 || typeof child === 'string') return;
  if (child.isHeard || child.role !== 'generic' || child.name !== '' || child.isActive || child.hasProperties) return;
  if (child.onlyText !== null) node.children = child.children;
}

/** Returns true if a plain element only repeats the name of the element around it. */
function repeatsName(node, parent) {
  if (parent.name === '' || node.isActive || node.isHeard || node.hasProperties) return false;
  return (node.name === '' ? node.onlyText : node.children.length === 0 && node.name) === parent.name;
}

/** Returns true if a plain element contains at most one node that can be pointed at, and nothing else. */
function isWrapper(node) {
  if (node.name !== '' || node.children.length > 1) return false;
  const [child] = node.children;
  if (child === undefined) return !node.isClickRoot && !node.isHeard && !isEmptyEditor(node);
  return typeof child !== 'string' && child.isReachable;
}

/** Returns true if a plain element is for typing into and is still empty. */
function isEmptyEditor({ facts, isReachable }) {
  return facts.has('contenteditable') && isReachable && dom.isEditable(facts.element);
}
