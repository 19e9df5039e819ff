// Access to the page's nodes that the page cannot intercept.
//
// A form has properties named like its fields, and a document has properties named like its forms
// and images. Our script world sees them too: a field named `parentNode` hides the real property.
// So every property is read by the getter of the prototype, fetched once. `instanceof` is not used,
// because a node that came from another document has that document's prototypes.

const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (node) => get.call(node);
};
const setter = (prototype, name) => {
  const { set } = Object.getOwnPropertyDescriptor(prototype, name);
  return (node, value) => set.call(node, value);
};
const method = (prototype, name) => {
  const call = prototype[name];
  // Written out, because a rest parameter creates an array for each of ten thousand calls. No method has more
  // parameters, and these treat a missing value like `undefined`.
  return (node, first, second, third) => call.call(node, first, second, third);
};

const HTML = 'http://www.w3.org/1999/xhtml';
const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;
const NONE = [];

const dom = {
  type: getter(Node.prototype, 'nodeType'),
  parent: getter(Node.prototype, 'parentNode'),
  first: getter(Node.prototype, 'firstChild'),
  last: getter(Node.prototype, 'lastChild'),
  next: getter(Node.prototype, 'nextSibling'),
  connected: getter(Node.prototype, 'isConnected'),
  textOf: getter(Node.prototype, 'textContent'),
  nodeValue: getter(Node.prototype, 'nodeValue'),
  root: method(Node.prototype, 'getRootNode'),
  contains: method(Node.prototype, 'contains'),
  comparePosition: method(Node.prototype, 'compareDocumentPosition'),
  // Elements.
  tag: getter(Element.prototype, 'localName'),
  namespace: getter(Element.prototype, 'namespaceURI'),
  /** The shadow root of an element; a closed one only if it is known. */
  shadow: (element) => openShadow(element) ?? closedShadows.get(element) ?? null,
  slot: getter(Element.prototype, 'assignedSlot'),
  attributes: getter(Element.prototype, 'attributes'),
  attribute: method(Element.prototype, 'getAttribute'),
  has: method(Element.prototype, 'hasAttribute'),
  matches: method(Element.prototype, 'matches'),
  closest: method(Element.prototype, 'closest'),
  query: method(Element.prototype, 'querySelectorAll'),
  rect: method(Element.prototype, 'getBoundingClientRect'),
  rects: method(Element.prototype, 'getClientRects'),
  isShown: method(Element.prototype, 'checkVisibility'),
  children: getter(Node.prototype, 'childNodes'),
  create: (tag) => createElement(document, tag),
  shownText: getter(HTMLElement.prototype, 'innerText'),
  scrollTo: method(Element.prototype, 'scrollIntoView'),
  send: method(EventTarget.prototype, 'dispatchEvent'),
  focus: method(HTMLElement.prototype, 'focus'),
  blur: method(HTMLElement.prototype, 'blur'),
  // Properties that only some elements have.
  isEditable: (element) => dom.isHtml(element) && readEditable(element),
  host: getter(ShadowRoot.prototype, 'host'),
  labelOf: getter(HTMLLabelElement.prototype, 'control'),
  isHtml: (element, tag) => dom.namespace(element) === HTML && (tag === undefined || dom.tag(element) === tag),
  /**
   * The parent element, or the host for an element at the top of a shadow root; null at the top of
   * the document.
   */
  above: (node) => {
    const parent = dom.parent(node);
    if (!parent) return null;
    const type = dom.type(parent);
    if (type === ELEMENT) return parent;
    return type === FRAGMENT && isShadow(parent) ? dom.host(parent) : null;
  },
  /** As `above`, but through the slot that shows the element, as events travel. */
  shownIn: (node) => dom.slot(node) ?? dom.above(node),
  active: (root) => (dom.type(root) === DOCUMENT ? documentActive(root) : shadowActive(root)),
  /** The computed style; null in a document without a window. */
  style: (element, pseudo) => getComputedStyle(element, pseudo),
};
const openShadow = getter(Element.prototype, 'shadowRoot');
/** The closed shadow roots that are known, by host. A page gives no way from the host to its closed root. */
const closedShadows = new WeakMap();
/** Hosts of the browser's own shadow roots, which are no content of the page. Source: HTML, the elements with widgets. */
const OWN_HOSTS = new Set(['input', 'textarea', 'select', 'video', 'audio', 'details', 'summary', 'meter', 'progress', 'img',
  'object', 'embed', 'marquee', 'dialog', 'optgroup', 'option', 'fieldset', 'use']);

/** Remembers the closed shadow root around a node, and those around its host. */
function meetClosed(node) {
  for (let root = dom.root(node); dom.type(root) === FRAGMENT && isShadow(root); root = dom.root(dom.host(root))) {
    const host = dom.host(root);
    if (openShadow(host) === null && !OWN_HOSTS.has(dom.tag(host))) closedShadows.set(host, root);
  }
}
const createElement = method(Document.prototype, 'createElement');
const readEditable = getter(HTMLElement.prototype, 'isContentEditable');
const documentActive = getter(Document.prototype, 'activeElement');
const shadowActive = getter(ShadowRoot.prototype, 'activeElement');
/** The type of an input in lower case; `text` for an unknown one. */
const typeOf = getter(HTMLInputElement.prototype, 'type');
const ownerOf = getter(Node.prototype, 'ownerDocument');
const topElement = getter(Document.prototype, 'documentElement');
const documentById = method(Document.prototype, 'getElementById');
const fragmentById = method(DocumentFragment.prototype, 'getElementById');
const documentQuery = method(Document.prototype, 'querySelectorAll');
const fragmentQuery = method(DocumentFragment.prototype, 'querySelectorAll');

/** All elements below a document, a fragment or an element that match. */
function queryAll(root, css) {
  const type = dom.type(root);
  return type === DOCUMENT ? documentQuery(root, css) : type === FRAGMENT ? fragmentQuery(root, css) : dom.query(root, css);
}

/** The element with this id in a document or a fragment, or null. */
function byId(root, id) {
  return dom.type(root) === DOCUMENT ? documentById(root, id) : fragmentById(root, id);
}

/** Returns true if a fragment is a shadow root. */
function isShadow(fragment) {
  try {
    dom.host(fragment);
    return true;
  } catch {
    return false;
  }
}

/** The parts of a text that `squeeze` changes. */
const UNSQUEEZED = /[^\S ]|[\u200b\u00ad]|^ |  | $/;

/** The text with white space collapsed and invisible characters removed. */
function squeeze(text) {
  return !UNSQUEEZED.test(text) ? text : text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');
}

/** The text with unpaired surrogates replaced, because they cannot be sent. */
function whole(text) {
  return text.toWellFormed();
}

/**
 * The text, cut between two characters if it is too long, with an ellipsis in place of the rest.
 */
function clip(text, most) {
  return text.length <= most ? whole(text) : `${whole(text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, ''))}…`;
}
