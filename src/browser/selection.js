/**
 * Makes the functions for selected text:
 *
 * - `selected()`: the text that is selected in this document or in its focused text field. '' if there is none, and for a text that
 *   must never leave the page.
 * - `select(element, words)`: selects the text of an element, or only the first occurrence of `words` in it if they are not null. Gives
 *   the element the focus if it can have it. Returns `done`, or the reason why nothing was selected: `absent` if the words are not in
 *   the text, `empty` if there is no text, `whole` if the field allows only its whole text to be selected, `gone` if the element has
 *   left the page.
 *
 * `isSecret` returns true for an element whose content must never leave the page. `shadowIn` returns the shadow root of an element or
 * null.
 *
 * The functions depend on no other script, because both drivers run them: `cdp` in its own world, playwright-cli in the page's.
 */
function makeSelection(isSecret = null, shadowIn = null) {
  /** Longest text that is returned, in UTF-16 units. Source: chosen; drivers keep a part of it. */
  const MOST = 5_000;
  /** Input types with a text that can be selected. */
  const TEXT_TYPES = new Set(['email', 'number', 'password', 'search', 'tel', 'text', 'url']);
  /** Tokens of `autocomplete` for content that only its owner may read. */
  const SECRET_TOKENS = new Set(['current-password', 'new-password', 'one-time-code']);
  /** White space that a page shows as a space, and characters that it does not show. */
  const SPACE = /^\s$/;
  const UNSEEN = /^\p{Cf}$/u;

  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (at) => get.call(at);
  };
  const tagOf = getter(Element, 'localName');
  const spaceOf = getter(Element, 'namespaceURI');
  const typeOfNode = getter(Node, 'nodeType');
  const parentNode = getter(Node, 'parentNode');
  const childrenOf = getter(Node, 'childNodes');
  const isConnected = getter(Node, 'isConnected');
  const wordsOf = getter(Node, 'nodeValue');
  const hostOf = getter(ShadowRoot, 'host');
  const rootIn = shadowIn ?? getter(Element, 'shadowRoot');
  const activeIn = getter(Document, 'activeElement');
  const activeInShadow = getter(ShadowRoot, 'activeElement');
  const typeOf = getter(HTMLInputElement, 'type');
  const read = (at, name) => Element.prototype.getAttribute.call(at, name);
  const isShown = (at) => Element.prototype.checkVisibility.call(at, { visibilityProperty: true });
  const ofInput = { value: getter(HTMLInputElement, 'value'), from: getter(HTMLInputElement, 'selectionStart'), to: getter(HTMLInputElement, 'selectionEnd') };
  const ofArea = { value: getter(HTMLTextAreaElement, 'value'), from: getter(HTMLTextAreaElement, 'selectionStart'), to: getter(HTMLTextAreaElement, 'selectionEnd') };
  const anchorOf = getter(Selection, 'anchorNode');
  const anchorAt = getter(Selection, 'anchorOffset');
  const isEmpty = getter(Selection, 'isCollapsed');
  const countOf = getter(Selection, 'rangeCount');
  const textOf = (selection) => Selection.prototype.toString.call(selection);
  const isElement = (at) => typeOfNode(at) === Node.ELEMENT_NODE;
  const isHtml = (at) => spaceOf(at) === 'http://www.w3.org/1999/xhtml';
  const aboveOf = (at) => parentNode(at) ?? (at instanceof ShadowRoot ? hostOf(at) : null);

  const partsOf = (at) => (tagOf(at) === 'textarea' ? ofArea : ofInput);
  const isField = (at) => isHtml(at) && (tagOf(at) === 'textarea' || (tagOf(at) === 'input' && TEXT_TYPES.has(typeOf(at))));
  const looksSecret = (at) => {
    if (isHtml(at) && tagOf(at) === 'input' && typeOf(at) === 'password') return true;
    const tokens = (read(at, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
    return tokens.some((token) => SECRET_TOKENS.has(token) || token.startsWith('cc-'));
  };
  const isHidden = isSecret ?? looksSecret;
  const isInHidden = (node) => {
    for (let at = node; at; at = aboveOf(at)) if (isElement(at) && isHidden(at)) return true;
    return false;
  };

  const deepActive = () => {
    let at = activeIn(document);
    for (let root = at && rootIn(at); root && activeInShadow(root); root = rootIn(at)) at = activeInShadow(root);
    return at;
  };
  /** The selection that is not empty, also inside shadow roots; null if there is none. */
  const current = () => {
    let now = Document.prototype.getSelection.call(document);
    while (now !== null && countOf(now) > 0 && isEmpty(now)) {
      // A selection inside a shadow root is seen from outside as an empty one before its host.
      const at = childrenOf(anchorOf(now))[anchorAt(now)];
      const root = at && isElement(at) ? rootIn(at) : null;
      now = root ? ShadowRoot.prototype.getSelection.call(root) : null;
    }
    return now !== null && countOf(now) > 0 ? now : null;
  };
  /** Returns true if a part of a selection must never leave the page. */
  const holdsHidden = (selection) => {
    const range = Selection.prototype.getRangeAt.call(selection, 0);
    const around = range.commonAncestorContainer;
    if (isInHidden(around)) return true;
    if (!isElement(around)) return false;
    // The text of a form field is never part of a selection around the field, so only editable elements are searched for.
    const editors = Element.prototype.querySelectorAll.call(around, '[contenteditable]');
    return [...editors].some((at) => isHidden(at) && range.intersectsNode(at));
  };

  const selected = () => {
    const active = deepActive();
    if (active !== null && isField(active)) {
      if (isInHidden(active)) return '';
      const { value, from, to } = partsOf(active);
      if (from(active) !== null) return value(active).slice(from(active), to(active)).slice(0, MOST).toWellFormed();
      // A field for numbers or addresses does not say what is selected in it.
      return textOf(Document.prototype.getSelection.call(document)).slice(0, MOST).toWellFormed();
    }
    const now = current();
    return now === null || holdsHidden(now) ? '' : textOf(now).slice(0, MOST).toWellFormed();
  };

  /** A text with each run of white space as one space, which remembers the place of each of its characters. */
  const squeezer = () => {
    const places = [];
    let text = '';
    const add = (string, node) => {
      let at = 0;
      for (const sign of string) {
        const [from, to] = [at, at += sign.length];
        const isSpace = SPACE.test(sign);
        if (UNSEEN.test(sign) || (isSpace && (text === '' || text.endsWith(' ')))) continue;
        text += isSpace ? ' ' : sign;
        for (let unit = 0; unit < sign.length; unit++) places.push([node, from, to]);
      }
    };
    /** The nodes and offsets of the beginning and the end of the first occurrence of these words; null if there is none. */
    const find = (words) => {
      const wanted = squeezer();
      wanted.add(words, null);
      const squeezed = wanted.text().trimEnd();
      const at = squeezed === '' ? -1 : text.indexOf(squeezed);
      if (at < 0) return null;
      const [[from, start], [to, , end]] = [places[at], places[at + squeezed.length - 1]];
      return [from, start, to, end];
    };
    return { add, find, text: () => text };
  };

  /** The visible text of an element. */
  const textIn = (element) => {
    const found = squeezer();
    const shown = new Map();
    const blocks = new Map();
    /** The innermost element around a node whose text is apart from the text around it. */
    const blockOf = (node) => {
      const way = [];
      let at = parentNode(node);
      for (; at && isElement(at) && !blocks.has(at) && /^(inline$|contents$)/.test(getComputedStyle(at).display); at = parentNode(at)) way.push(at);
      const block = blocks.get(at) ?? at;
      for (const each of way) blocks.set(each, block);
      return block;
    };
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let before = null;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (isElement(node)) {
        if (tagOf(node) === 'br') found.add(' ', node);
        continue;
      }
      const parent = parentNode(node);
      // The text node in a textarea is its default text, not the text that somebody wrote into it.
      if (tagOf(parent) === 'textarea') continue;
      if (!shown.has(parent)) shown.set(parent, isElement(parent) && isShown(parent) && !isInHidden(parent));
      if (!shown.get(parent)) continue;
      const block = blockOf(node);
      if (before !== null && block !== before) found.add(' ', node);
      before = block;
      found.add(wordsOf(node), node);
    }
    return found;
  };

  const typeFor = (at) => (isHtml(at) ? HTMLElement : spaceOf(at) === 'http://www.w3.org/2000/svg' ? SVGElement : null);
  const focus = (element) => typeFor(element)?.prototype.focus.call(element);
  /** Takes the focus from an element that is not around this one, as a press on this one would. Keys would still go there. */
  const blurOthers = (element) => {
    const active = deepActive();
    for (let at = element; at; at = aboveOf(at)) if (at === active) return;
    if (active !== null) typeFor(active)?.prototype.blur.call(active);
  };

  const selectInField = (field, words) => {
    const { value, from } = partsOf(field);
    const text = value(field);
    if (text === '') return 'empty';
    const found = squeezer();
    found.add(text, field);
    // An answer about a part of the text would tell a secret bit by bit.
    const place = words === null ? [field, 0, field, text.length] : isInHidden(field) ? null : found.find(words);
    if (place === null) return 'absent';
    const isWhole = words === null || found.find(found.text()).every((part, at) => part === place[at]);
    if (from(field) === null && !isWhole) return 'whole';
    focus(field);
    if (!isConnected(field)) return 'gone';
    const type = tagOf(field) === 'textarea' ? HTMLTextAreaElement : HTMLInputElement;
    if (from(field) === null) type.prototype.select.call(field);
    else type.prototype.setSelectionRange.call(field, place[1], place[3]);
    return 'done';
  };

  const select = (element, words) => {
    if (isField(element)) return selectInField(element, words);
    const place = words === null ? [element, 0, element, childrenOf(element).length]
      : isInHidden(element) ? null : textIn(element).find(words);
    if (place === null) return 'absent';
    focus(element);
    blurOthers(element);
    if (!isConnected(element)) return 'gone';
    const now = Document.prototype.getSelection.call(document);
    Selection.prototype.setBaseAndExtent.call(now, ...place);
    return textOf(now).trim() === '' ? 'empty' : 'done';
  };

  return { selected, select };
}
