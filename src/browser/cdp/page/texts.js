// The text of every element at once, and the positions of a text in it.
//
// The text of an element is that of its text nodes, one after the other, then that of its open
// shadow root. All of it is one string, and each element is a part of that string. So a text is
// searched for once in a page, however deeply the page is nested.

/** Elements whose text is not read. */
const WORDLESS = new Set(['head', 'noscript', 'script', 'style']);
/** Inputs that show their value as a text. */
const BUTTON_INPUTS = new Set(['button', 'reset', 'submit']);
/** Maximum number of occurrences of one text that are looked at. Source: chosen. */
const MAX_PLACES = 100_000;

/** Marks where a piece ends, among the nodes that are still to be read. */
class Leaving {
  constructor(piece) {
    this.piece = piece;
  }
}

class Texts {
  constructor(top) {
    this.pieces = new Map();
    this.text = this.#read(top);
    this.folded = fold(this.text);
  }

  #read(top) {
    const parts = [];
    let length = 0;
    let isSpaced = true;
    const add = (raw) => {
      let piece = raw.replace(/[\u200b\u00ad]/g, '').replace(/\s+/g, ' ');
      if (isSpaced && piece.startsWith(' ')) piece = piece.slice(1);
      if (piece === '') return;
      parts.push(piece);
      length += piece.length;
      isSpaced = piece.endsWith(' ');
    };
    const open = [top];
    while (open.length > 0) {
      const node = open.pop();
      if (node === null) continue;
      if (node instanceof Leaving) {
        node.piece.to = length;
        continue;
      }
      const type = dom.type(node);
      if (node !== top && type !== FRAGMENT) open.push(dom.next(node));
      if (type === TEXT) add(dom.nodeValue(node));
      if (type !== ELEMENT && type !== FRAGMENT) continue;
      const piece = { from: length, to: length };
      this.pieces.set(node, piece);
      if (type === FRAGMENT) {
        open.push(new Leaving(piece), dom.first(node));
        continue;
      }
      // A text that nobody may read cannot be found either.
      if (WORDLESS.has(dom.tag(node)) || isSecret(node)) continue;
      open.push(new Leaving(piece));
      if (dom.isHtml(node, 'input') && BUTTON_INPUTS.has(node.type)) add(node.value);
      else open.push(dom.shadow(node), dom.first(node));
    }
    return parts.join('');
  }

  /** Returns the text of an element. */
  of(node) {
    const piece = this.pieces.get(node);
    return piece === undefined ? '' : this.text.slice(piece.from, piece.to).trim();
  }

  /** Returns a test of elements for a text: as a substring without regard to case, or exactly. */
  test(wanted, exact) {
    const text = squeeze(wanted);
    if (text === '') return () => false;
    return exact ? (node) => this.#is(node, text) : this.#contains(fold(text));
  }

  #is(node, text) {
    const piece = this.pieces.get(node);
    if (piece === undefined) return false;
    let { from, to } = piece;
    if (from < to && this.text[from] === ' ') from += 1;
    if (from < to && this.text[to - 1] === ' ') to -= 1;
    return to - from === text.length && this.text.startsWith(text, from);
  }

  #contains(text) {
    const places = [];
    for (let at = this.folded.indexOf(text); at >= 0 && places.length < MAX_PLACES; at = this.folded.indexOf(text, at + 1)) {
      places.push(at);
    }
    return (node) => {
      const piece = this.pieces.get(node);
      if (piece === undefined) return false;
      const place = places[firstAtLeast(places, piece.from)];
      return place !== undefined && place + text.length <= piece.to;
    };
  }

  /** Returns true if an element passes a test and none of its children does. */
  isSmallest(node, test) {
    if (!test(node)) return false;
    for (let child = dom.first(node); child !== null; child = dom.next(child)) {
      if (dom.type(child) === ELEMENT && test(child)) return false;
    }
    const shadow = dom.shadow(node);
    return shadow === null || !test(shadow);
  }
}

/**
 * A text in lower case and of the same length: where the length would change, each character by
 * itself.
 */
function fold(text) {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return Array.from(text, (sign) => (sign.toLowerCase().length === sign.length ? sign.toLowerCase() : sign)).join('');
}

/** The index of the first number in a sorted list that is not less than `least`. */
function firstAtLeast(sorted, least) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
