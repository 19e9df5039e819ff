// The page as rows, and the changes of the rows since the last observation.
//
// A row is `[depth, role, name, ref, states, value, extra]`, in reading order; `src/browser/cdp/rows.rs` makes the page
// tree of them. Nothing readable is cut from names and texts; the crate cleans them.

/** Longest name that is reported; longer ones are prose. Unit: UTF-16 units. Source: the other driver's tool. */
const MAX_NAME = 900;
/** Maximum number of nodes that are searched for words. Source: chosen; an element with more is no picture. */
const MOST_MUTE = 50;

const hintsOf = makeHintsOf();
let generation = 0;
let lastRows = [];

/**
 * The content of the page, or its changes since the walk of generation `since`. In a change, the first `head` and the last `tail`
 * rows are the same as before and left out. `listening` has the tickets of elements that listen for clicks. At most `maxNodes`
 * rows and about `maxText` UTF-16 units are returned; `omitted` counts the rest.
 */
function walk({ since, maxNodes, maxText, listening }) {
  const { rows, omitted } = look(() => readPage(maxNodes, maxText, new Set(listening)));
  const [head, tail] = since === generation && generation > 0 ? unchanged(lastRows, rows) : [0, 0];
  lastRows = rows;
  generation++;
  return { generation, rows: rows.slice(head, rows.length - tail), head, tail, omitted };
}

function readPage(maxNodes, maxText, listening) {
  const top = documentQuery(document, 'body,frameset')[0] ?? topElement(document);
  if (top === null || top === undefined) return { rows: [], omitted: 0 };
  const build = new Build(maxNodes, maxText, listening);
  build.run(top);
  const rows = toRows(build.root);
  const unread = build.hasMore ? Math.max(1, queryAll(top, '*').length + 1 - build.visited) : 0;
  const omitted = Math.max(0, rows.length - maxNodes) + unread;
  if (rows.length > maxNodes) rows.length = maxNodes;
  return { rows, omitted };
}

/** The rows of a tree, parents before children. */
function toRows(root) {
  const rows = [];
  const open = root.children.map((item) => ({ item, depth: 0, isInHand: false, isInEditor: false })).reverse();
  while (open.length > 0) {
    const { item, depth, isInHand, isInEditor } = open.pop();
    if (typeof item === 'string') {
      rows.push(textRow(depth, item));
      continue;
    }
    const text = item.onlyText;
    const isProperty = item.url === null && item.placeholder === null;
    const isValue = text !== null && (isProperty || EDITABLE.has(item.role));
    rows.push(nodeRow(item, depth, isValue ? text : null, isInHand, isInEditor));
    if (isValue) continue;
    const hasHand = isInHand || (item.hasHand && item.isReachable);
    const isEditor = isInEditor || item.isEditor;
    for (let at = item.children.length - 1; at >= 0; at--) {
      open.push({ item: item.children[at], depth: depth + 1, isInHand: hasHand, isInEditor: isEditor });
    }
  }
  return rows;
}

function textRow(depth, text) {
  return [depth, 'text', '', 0, 0, whole(text), 0];
}

function nodeRow(node, depth, value, isInHand, isInEditor) {
  if (node.isActive) node.is('active', true);
  const isHand = !isInHand && node.hasHand && node.isReachable;
  if (isHand) node.is('pointer', true);
  // An element that holds only floating or absolutely positioned parts has no height of its own.
  if (node.listens && (node.isReachable || node.hadNodes)) node.is('listens', true);
  const name = node.name.length > MAX_NAME ? '' : whole(node.name);
  const number = node.isReachable ? numberOf(node.facts.element) : 0;
  const extra = extraOf(node, number === 0 ? NONE : hintsFor(node, isHand, isInEditor));
  const text = value === null ? node.exact : node.exact ?? whole(value);
  return [depth, node.role, name, number, node.states ?? 0, text, extra];
}

/** The properties of a node that its element's attributes give beyond role and name. Also records the states that they give. */
function hintsFor(node, isHand, isInEditor) {
  const { element, isBare, isMasked, tag } = node.facts;
  const isEditor = !isInEditor && !EDITABLE.has(node.role) && dom.isEditable(element);
  const isPicture = node.role === 'img';
  if (!(ASKED.has(node.role) || isHand || isPicture || isEditor || node.listens)) return NONE;
  const isSilent = !isMasked && isMute(node);
  if (isSilent ? false : isPicture && !isHand || (isBare && !isEditor && tag !== 'textarea' && tag !== 'input' && tag !== 'summary')) return NONE;
  const fieldName = EDITABLE.has(node.role) && node.onlyText === null ? node.name : null;
  const hints = hintsOf(element, node.role, isSilent, fieldName);
  if (hints === null) return NONE;
  for (const state in hints.states) node.is(state, hints.states[state]);
  node.isEditor = isEditor;
  if (!isMasked) node.exact = hints.exact;
  return isInEditor ? hints.props.filter(([name]) => name !== 'editable') : hints.props;
}

/** Matches text with words. Glyphs of an icon font are code points for private use, which say nothing. */
const WORDS = /[^\s\p{Co}]/u;

/** Returns true if neither the node nor anything in it has words. */
function isMute(node) {
  const open = [node];
  for (let left = MOST_MUTE; open.length > 0; left--) {
    const at = open.pop();
    const isText = typeof at === 'string';
    if (left === 0 || WORDS.test(isText ? at : at.name)) return false;
    if (!isText) open.push(...at.children);
  }
  return true;
}

/** Returns the properties that only some nodes have; 0 if the node has none of them. */
function extraOf(node, hints) {
  const properties = [];
  if (node.level > MAX_LEVEL) properties.push(['level', String(node.level)]);
  if (node.isAriaHidden) properties.push(['aria-hidden', 'true']);
  if (node.placeholder !== null) properties.push(['placeholder', whole(node.placeholder)]);
  for (const hint of hints) properties.push(hint);
  if (GRIDS.has(node.role)) {
    const rows = shownRows(node.facts);
    if (rows !== '') properties.push(['rows', rows]);
  }
  const isFrame = node.role === 'iframe';
  if (properties.length === 0 && node.url === null && !isFrame) return 0;
  const extra = {};
  if (node.url !== null) extra.url = whole(node.url);
  if (properties.length > 0) extra.props = properties;
  if (isFrame) extra.frame = true;
  return extra;
}

const GRIDS = setOf('grid treegrid table');
const heightIn = getter(Element.prototype, 'scrollHeight');
const heightOf = getter(Element.prototype, 'clientHeight');
/** Maximum number of elements around a grid, and in it, that may scroll its rows. Widgets wrap them several times. */
const MOST_AROUND_GRID = 3;
const MOST_IN_GRID = 40;

/** How many rows of a grid are in the page, such as `20 of 29 rows shown, scrolls`; `''` if these are all. */
function shownRows(facts) {
  const total = Number(facts.attribute('aria-rowcount') ?? 0);
  // A table of HTML without a number of rows has all of them.
  if (!(total > 0) && facts.tag === 'table') return '';
  const rows = [...dom.query(facts.element, '[role=row], tr')].filter((row) => hasRoom(factsOf(row)));
  const height = rows.length === 0 ? 0 : dom.rect(rows[rows.length - 1]).height;
  const scroller = height === 0 ? undefined : scrollerOf(facts.element);
  const hidesRows = scroller !== undefined && heightIn(scroller) > (rows.length + 2) * height;
  if (total > rows.length) return `${rows.length} of ${total} rows shown${scroller === undefined ? '' : ', scrolls'}`;
  return hidesRows && !(total > 0) ? `${rows.length} rows shown, scrolls for more` : '';
}

/** The element around or in a grid that scrolls it. */
function scrollerOf(element) {
  const scrolls = (at) => heightIn(at) > heightOf(at) + 1 && /auto|scroll/.test(dom.style(at).overflowY);
  let around = element;
  for (let level = 0; level < MOST_AROUND_GRID && around !== null; level++, around = dom.above(around)) if (scrolls(around)) return around;
  return [...dom.query(element, ':not([role=row] *, tr *)')].slice(0, MOST_IN_GRID).find(scrolls);
}

/** Returns the number of equal rows at the start and at the end. */
function unchanged(before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && isSame(before[head], after[head])) head++;
  let tail = 0;
  while (tail < most - head && isSame(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;
  return [head, tail];
}

function isSame(a, b) {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at] && !isSamePart(a[at], b[at])) return false;
  return true;
}

/** Returns true if two objects of a row are equal. They are compared by key, because every link has one and JSON is slower. */
function isSamePart(a, b) {
  if (!isObject(a) || !isObject(b)) return false;
  for (const key in a) if (a[key] !== b[key] && !(isObject(a[key]) && JSON.stringify(a[key]) === JSON.stringify(b[key]))) return false;
  for (const key in b) if (!(key in a)) return false;
  return true;
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}
