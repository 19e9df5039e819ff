// What of a page is worth a node: rules that are applied to each node when all that is in it is known.
//
// The other driver's tool tidies its tree by the same rules; both drivers show one tree.

/** A node of the tree in the making. */
class TreeNode {
  constructor(role, facts, parent) {
    this.role = role;
    this.facts = facts;
    this.name = '';
    /** Facts of the elements that the name was read from. */
    this.sources = [];
    this.states = {};
    /** Nodes and strings in reading order. */
    this.children = [];
    /** Whether the pointer can reach it, so that it has a reference. */
    this.isReachable = false;
    this.hasHand = false;
    this.isActive = false;
    this.isAriaHidden = false;
    this.url = null;
    this.placeholder = null;
    /** Whether an element in it ever was a node. */
    this.hadNodes = false;
    /** Whether it stands in something that shows a hand and can be reached. */
    this.isInClickable = parent !== null && (parent.isInClickable || (parent.isReachable && parent.hasHand));
  }

  get isClickRoot() {
    return this.isReachable && this.hasHand && !this.isInClickable;
  }

  /** Its only child, if that is a text. */
  get onlyText() {
    return this.children.length === 1 && typeof this.children[0] === 'string' ? this.children[0] : null;
  }

  get hasProperties() {
    return this.url !== null || this.placeholder !== null || this.isAriaHidden;
  }
}

/** Notes which elements a node's name was read from: until they turn up as nodes, only the name says their words. */
function openNode(node) {
  if (!node.isReachable) return;
  for (const source of node.sources) source.isSaid = true;
}

/** Tidies a node that is complete, and gives what its parent gets in its place. */
function closeNode(node, parent) {
  const isLeaf = node.role === 'generic' && !node.hadNodes;
  if (node.isReachable && !isLeaf) node.facts.isSaid = false;
  joinTexts(node);
  if (node.role === 'img' && node.name === '' && node.children.length === 0 && !node.isClickRoot) return [];
  dropRepeatedName(node);
  if (node.role !== 'generic') return [node];
  liftOnlyText(node);
  if (repeatsName(node, parent)) {
    if (node.isReachable) node.facts.isSaid = true;
    return [];
  }
  return isWrapper(node) ? node.children : [node];
}

/** Makes one text of neighbouring strings, and drops a text that the name says. */
function joinTexts(node) {
  const children = [];
  let text = '';
  const flush = () => {
    const words = text === '' ? '' : squeeze(text);
    if (words !== '') children.push(words);
    text = '';
  };
  for (const child of node.children) {
    if (typeof child === 'string') {
      text += child;
    } else {
      flush();
      children.push(child);
    }
  }
  flush();
  node.children = children;
  if (node.name !== '' && node.onlyText === node.name) node.children = [];
}

/** Drops a name of which all words stand in nodes of their own. */
function dropRepeatedName(node) {
  if (!node.isReachable) return;
  const sources = node.sources.filter((source) => source !== node.facts && source.node?.isReachable);
  if (sources.length === 0) return;
  if (sources.some((source) => source.isSaid)) {
    for (const source of sources) source.isSaid = false;
  } else {
    node.name = '';
  }
}

/** Takes the text of a plain element that is all there is in another. */
function liftOnlyText(node) {
  const [child] = node.children;
  if (node.hasProperties || node.children.length !== 1 || typeof child === 'string') return;
  if (child.role !== 'generic' || child.name !== '' || child.isActive || child.hasProperties) return;
  if (child.onlyText !== null) node.children = child.children;
}

/** Whether a plain element says no more than the name of what it stands in. */
function repeatsName(node, parent) {
  if (parent.name === '' || node.isActive || node.hasProperties) return false;
  return (node.name === '' ? node.onlyText : node.children.length === 0 && node.name) === parent.name;
}

/** Whether a plain element has nothing but at most one node in it that can be pointed at. */
function isWrapper(node) {
  if (node.name !== '' || node.children.length > 1) return false;
  const [child] = node.children;
  if (child === undefined) return !node.isClickRoot;
  return typeof child !== 'string' && child.isReachable;
}
