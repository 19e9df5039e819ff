/**
 * Makes the functions that read what is visible in the window, and where:
 *
 * - `boxOf(element)`: `[x, y, width, height]` of the visible part of an element; null if no part is visible or something covers
 *   it.
 * - `areSeen(boxes)`: for each box in whole pixels, true if an element with that box is visible there; for callers without
 *   elements.
 * - `insideOf(frame)`: the box of the content area of an element that shows a frame; null if no part of the frame is in the window.
 * - `drawings()`: the drawings in this document, each as `[tag, x, y, width, height, isNamed, place]`. `place` is its index among
 *   all elements of its tag in the document, or -1 in a shadow root.
 * - `blank()`: the box of each element that has a colour, an image or a border, and nothing in it.
 * - `pageBox()`: the box of the whole page, including what is scrolled out of view.
 *
 * The functions depend on no other script, because both drivers run them: `cdp` in its own world, playwright-cli in the page's.
 * They only read.
 */
function makeScene() {
  const MOST_DRAWINGS = 200;
  const MOST_ASKED = 3000;
  const MOST_BLANK = 500;
  const MOST_ROOTS = 50;
  const SMALLEST = 8;
  // Points in the visible part of an element, as fractions of its size, at which the element may be on top: the centre first.
  const PLACES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
  const DRAWN = 'canvas, svg, img, video, object, embed';

  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (at) => get.call(at);
  };
  const rectOf = (at) => Element.prototype.getBoundingClientRect.call(at);
  const read = (at, name) => Element.prototype.getAttribute.call(at, name);
  const tagOf = getter(Element, 'localName');
  const shadowOf = getter(Element, 'shadowRoot');
  const parentOf = getter(Node, 'parentNode');
  const textOf = getter(Node, 'textContent');
  const closest = (at, css) => Element.prototype.closest.call(at, css);
  const typeOf = getter(Node, 'nodeType');
  const hostOf = getter(ShadowRoot, 'host');
  // A document is recognised by identity: in a frame it may belong to another global than the current one.
  const queryIn = (root, css) => (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, css);
  const topIn = (root, x, y) => (root === document ? Document : ShadowRoot).prototype.elementFromPoint.call(root, x, y);

  /** The part of a box that is in the window; null if none is. */
  const seen = ({ left, top, right, bottom }) => {
    const part = {
      left: Math.max(left, 0), top: Math.max(top, 0), right: Math.min(right, innerWidth), bottom: Math.min(bottom, innerHeight),
    };
    return part.right - part.left >= 1 && part.bottom - part.top >= 1 ? part : null;
  };
  const listed = ({ left, top, width, height }) => [left, top, width, height];

  /** The topmost element at a point, also inside open shadow roots. */
  const topAt = (x, y) => {
    let top = topIn(document, x, y);
    for (let left = MOST_ROOTS; top !== null && left > 0; left--) {
      const shadow = shadowOf(top);
      const inner = shadow && topIn(shadow, x, y);
      if (!inner || inner === top) break;
      top = inner;
    }
    return top;
  };
  const aboveOf = (at) => {
    const parent = parentOf(at);
    return parent !== null && typeOf(parent) === Node.DOCUMENT_FRAGMENT_NODE ? hostOf(parent) : parent;
  };
  const isIn = (inner, outer) => {
    for (let at = inner; at !== null; at = aboveOf(at)) if (at === outer) return true;
    return false;
  };

  const boxOf = (element) => {
    const rect = rectOf(element);
    const part = seen(rect);
    if (part === null) return null;
    const isOnTop = ([across, down]) => {
      const top = topAt(part.left + (part.right - part.left) * across, part.top + (part.bottom - part.top) * down);
      // An element that lets the pointer through is visible too: then its ancestor is on top. A label may lie over its own
      // control.
      return top !== null && (isIn(top, element) || isIn(element, top) || element.control === top || top.control === element);
    };
    return PLACES.some(isOnTop) ? listed(rect) : null;
  };

  const areSeen = (boxes) => boxes.map(([left, top, width, height]) => {
    const part = seen({ left, top, right: left + width, bottom: top + height });
    const isIt = (at) => {
      const rect = rectOf(at);
      const far = [rect.left - left, rect.top - top, rect.width - width, rect.height - height];
      return far.every((distance) => Math.abs(distance) <= 1);
    };
    return part !== null && PLACES.some(([across, down]) => {
      let at = topAt(part.left + (part.right - part.left) * across, part.top + (part.bottom - part.top) * down);
      while (at !== null && typeOf(at) === Node.ELEMENT_NODE && !isIt(at)) at = aboveOf(at);
      return at !== null && typeOf(at) === Node.ELEMENT_NODE;
    });
  });

  const insideOf = (frame) => {
    const rect = rectOf(frame);
    return seen(rect) === null ? null
      : [rect.left + frame.clientLeft, rect.top + frame.clientTop, frame.clientWidth, frame.clientHeight];
  };

  const roots = () => {
    const all = [document];
    for (let at = 0; at < all.length && all.length < MOST_ROOTS; at++) {
      for (const element of queryIn(all[at], '*')) {
        const shadow = shadowOf(element);
        if (shadow !== null && all.length < MOST_ROOTS) all.push(shadow);
      }
    }
    return all;
  };

  const says = (at) => ['aria-label', 'alt', 'title', 'aria-labelledby'].some((name) => (read(at, name) ?? '').trim() !== '');
  const isNamed = (element) => {
    if (says(element) || read(element, 'aria-hidden') === 'true') return true;
    if (tagOf(element) === 'svg' && /[\p{L}\p{N}]/u.test(textOf(element))) return true;
    const around = closest(element, 'a, button, label, summary, figure, [role=button], [role=link], [role=img]');
    return around !== null && around !== element && (says(around) || /[\p{L}\p{N}]/u.test(textOf(around)));
  };

  const drawings = () => {
    const found = [];
    for (const root of roots()) {
      const places = {};
      for (const element of queryIn(root, DRAWN)) {
        const tag = tagOf(element);
        const place = places[tag] = (places[tag] ?? -1) + 1;
        const rect = rectOf(element);
        const part = seen(rect);
        if (part === null || part.right - part.left < SMALLEST || part.bottom - part.top < SMALLEST) continue;
        const { visibility, opacity } = getComputedStyle(element);
        if (visibility !== 'visible' || opacity === '0') continue;
        found.push([tag, ...listed(rect), isNamed(element), root === document ? place : -1]);
        if (found.length >= MOST_DRAWINGS) return found;
      }
    }
    return found;
  };

  const isClear = (colour) => colour === 'transparent' || /, 0\)$/.test(colour);
  const blank = () => {
    const found = [];
    let asked = 0;
    for (const element of queryIn(document, ':empty')) {
      if (closest(element, `button, select, input, ${DRAWN}`) !== null) continue;
      if (++asked > MOST_ASKED || found.length >= MOST_BLANK) break;
      const rect = rectOf(element);
      const part = seen(rect);
      if (part === null || part.right - part.left < SMALLEST || part.bottom - part.top < SMALLEST) continue;
      const style = getComputedStyle(element);
      const hasBorder = style.borderTopStyle !== 'none' && style.borderTopWidth !== '0px' && style.borderLeftStyle !== 'none';
      if (style.visibility !== 'visible') continue;
      if (hasBorder || style.backgroundImage !== 'none' || !isClear(style.backgroundColor)) found.push(listed(rect));
    }
    return found;
  };
  /** The area from the origin of the document, from which looks are measured, to the end of its content. */
  const pageBox = () => {
    const { right, bottom } = rectOf(document.documentElement);
    return listed({ left: -scrollX, top: -scrollY, width: right + scrollX, height: bottom + scrollY });
  };

  return { boxOf, areSeen, insideOf, drawings, blank, pageBox };
}
