// References: converts an element to its number, and back.
//
// An element keeps its number while it lives, even if its role, name or place changes. A number is never used twice in
// a document. The table of numbers keeps no element alive.

const numbers = new WeakMap();
const elements = new Map();
const secrets = new WeakSet();
const forget = new FinalizationRegistry((number) => elements.delete(number));
const knownRoots = new WeakSet();
const shadows = [];
let lastNumber = 0;

/** Tokens of `autocomplete` for content that only its owner may read. Source: the requirements. */
const SECRET_TOKENS = new Set(['current-password', 'new-password', 'one-time-code']);

/** Invisible characters that change how a text is shown. */
const DECEPTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The number of an element; a new one if it has none. */
function numberOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++lastNumber;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
    forget.register(element, number);
  }
  return number;
}

/** Tickets: numbers by which the driver knows elements for other purposes. They are no references. */
const tickets = new WeakMap();
let lastTicket = 0;

/**
 * The tickets of these elements, new ones where needed; 0 for a node that is not an element of this document. The browser also
 * tells of listeners in closed shadow roots, which are known from then on.
 */
function ticketsOf(nodes) {
  return nodes.map((node) => {
    if (ownerOf(node) === document) meetClosed(node);
    if (dom.type(node) !== ELEMENT || ownerOf(node) !== document) return 0;
    if (!tickets.has(node)) tickets.set(node, ++lastTicket);
    return tickets.get(node);
  });
}

/** The element of a number, or null if there is none or it has left the document. */
function elementOf(number) {
  const element = elements.get(number)?.deref();
  return element !== undefined && dom.connected(element) && ownerOf(element) === document ? element : null;
}

/**
 * Returns true if the content of an element must never leave the page. A secret field stays one: pages show passwords
 * on request.
 */
function isSecret(element) {
  if (secrets.has(element)) return true;
  const looks = looksSecret(element);
  if (looks) secrets.add(element);
  return looks;
}

function looksSecret(element) {
  if (dom.isHtml(element, 'input') && typeOf(element) === 'password') return true;
  const tokens = dom.attribute(element, 'autocomplete');
  return tokens !== null && tokens.toLowerCase().split(/\s+/)
    .some((token) => SECRET_TOKENS.has(token) || token.startsWith('cc-'));
}

/** Marks an element as one whose content must never leave the page. */
function rememberSecret(element) {
  secrets.add(element);
}

/** Remembers a shadow root, so that changes in it are seen. */
function rememberShadow(root) {
  if (knownRoots.has(root)) return;
  knownRoots.add(root);
  shadows.push(new WeakRef(root));
}

/** The shadow roots that were met and are still in the document. */
function knownShadows() {
  return shadows.map((shadow) => shadow.deref()).filter((root) => root !== undefined && dom.connected(root));
}

/** A failure: a class of the closed set, and a detail, which is page data. */
function failed(kind, detail = '') {
  return { failed: kind, detail: clip(detail.replace(DECEPTIVE, ' '), 300) };
}

function gone() {
  return failed('ref_not_found', 'the element has left the page');
}
