// Text that style sheets add to the page.
//
// Asking every element for its `::before` and `::after` takes longer than everything else together, and hardly any
// element has one. So the style sheets are asked first which elements may have them.

/** Elements that may have text from a style sheet; null if any element may. */
let mayHaveContent = null;
/** Documents and shadow roots met in this look, and those of them whose sheets have not been read yet. */
let metRoots = null;
let unreadRoots = null;

/** Maximum number of rules that are read; beyond it every element is asked. Source: chosen. */
const MOST_RULES = 20_000;
/**
 * Maximum length of all selectors together; beyond it asking every element is faster. Unit: characters. Source: chosen.
 */
const MOST_SELECTORS = 4_000;

function beginContent() {
  mayHaveContent = new Set();
  metRoots = new Set();
  unreadRoots = [];
  meetRoot(document);
}

function endContent() {
  mayHaveContent = null;
  metRoots = null;
  unreadRoots = null;
}

function meetRoot(root) {
  if (metRoots.has(root)) return;
  metRoots.add(root);
  unreadRoots.push(root);
}

/** Returns true if no element that was met so far in this look can have text from a style sheet. */
function hasNoContent() {
  while (unreadRoots.length > 0) readSheets(unreadRoots.pop());
  return mayHaveContent?.size === 0;
}

const documentSheets = getter(Document.prototype, 'styleSheets');
const rootSheets = getter(ShadowRoot.prototype, 'styleSheets');
const documentAdopted = getter(Document.prototype, 'adoptedStyleSheets');
const rootAdopted = getter(ShadowRoot.prototype, 'adoptedStyleSheets');

function readSheets(root) {
  if (mayHaveContent === null) return;
  const sheets = dom.type(root) === DOCUMENT
    ? [...documentSheets(root), ...documentAdopted(root)]
    : [...rootSheets(root), ...rootAdopted(root)];
  try {
    for (const selector of contentSelectors(sheets)) {
      for (const element of queryAll(root, selector)) mayHaveContent.add(element);
    }
  } catch {
    // The sheet belongs to another origin, or a selector cannot be reduced to elements.
    mayHaveContent = null;
  }
}

/**
 * Selectors of the elements that may get text from these sheets or from their own style; throws if they are unknown.
 */
function contentSelectors(sheets) {
  const selectors = new Set(['[style*=content]']);
  const open = [...sheets].filter((sheet) => !sheet.disabled);
  let read = 0;
  let length = 0;
  while (open.length > 0) {
    for (const rule of open.pop().cssRules ?? []) {
      if (++read > MOST_RULES) throw new RangeError('too many rules');
      if (rule.styleSheet) open.push(rule.styleSheet);
      if (rule.cssRules?.length > 0) open.push(rule);
      if (!rule.style?.content || !rule.selectorText) continue;
      const selector = rule.selectorText;
      // Nested selectors, hosts, slotted elements and parts refer to elements elsewhere.
      if (/&|:(host|slotted|part|scope)\b/i.test(selector)) throw new RangeError('not of this root alone');
      selectors.add(selector.replace(/(^|[\s>+~,])::?(before|after)\b/gi, '$1*').replace(/::?(before|after)\b/gi, ''));
      length += selector.length;
      if (length > MOST_SELECTORS) throw new RangeError('too many selectors');
    }
  }
  return selectors;
}

function mayGetContent({ element }) {
  return !hasNoContent() && (mayHaveContent === null || mayHaveContent.has(element));
}

/** The text of an element's `::before` or `::after`; `''` if there is none. */
function pseudoText(facts, which) {
  if (!mayGetContent(facts)) return '';
  const style = getComputedStyle(facts.element, which);
  const content = style.content;
  if (content === '' || content === 'none' || content === 'normal') return '';
  if (style.display === 'none' || style.visibility === 'hidden') return '';
  const text = textOfContent(facts.element, content, true);
  if (text === null) return '';
  return style.display === 'inline' ? text : ` ${text} `;
}

/** The text with which a style sheet replaces the content of an element; null if it does not replace it. */
function replacedText(facts) {
  if (!mayGetContent(facts)) return null;
  const { content } = getComputedStyle(facts.element);
  return content === '' || content === 'none' || content === 'normal' ? null : textOfContent(facts.element, content, false);
}

/**
 * A part of a `content` value: a string, an attribute, the slash before an alternative text, or something without words.
 */
const CONTENT_TOKEN = /\s*(?:("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|attr\(\s*([-\w]+)\s*\)|(\/)|([^]))/gy;

/** The words of a `content` value; null if not all of it is words. */
function textOfContent(element, content, isPseudo) {
  let words = [];
  let isAll = true;
  let hasAlternative = false;
  for (const [, string, attribute, slash] of content.trim().matchAll(CONTENT_TOKEN)) {
    if (slash !== undefined && !hasAlternative) {
      hasAlternative = true;
      [words, isAll] = [[], true];
    } else if (string !== undefined) words.push(unescapeCss(string.slice(1, -1)));
    else if (attribute !== undefined) words.push(dom.attribute(element, attribute) ?? '');
    else isAll = false;
  }
  return isAll && (isPseudo || hasAlternative) ? words.join('') : null;
}

function unescapeCss(text) {
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|(\n)|([^]))/gi, (_, code, line, other) => {
    if (line !== undefined) return '';
    if (code === undefined) return other;
    const point = parseInt(code, 16);
    return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  });
}
