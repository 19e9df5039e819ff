// The page as rows, and what of them changed since the last time.
//
// A row is `[depth, role, name, ref, states, value, extra]`, in reading order; `src/browser/cdp/observe.rs` makes the page
// tree of them. Names and texts are cut of nothing that can be read; the crate cleans them.

/** Longest name that is told; longer ones are prose. Unit: UTF-16 units. Source: the other driver's tool. */
const MAX_NAME = 900;
/** Highest level that is a state. Unit: levels. Source: the page tree's type. */
const MAX_LEVEL = 255;
/** Longest text of one row. Unit: UTF-16 units. Source: chosen; a field may hold a book. */
const MAX_TEXT = 1_000_000;
/** Fields whose text is their value whatever else they have. Source: the page tree. */
const EDITABLE = setOf('textbox searchbox combobox spinbutton');

let generation = 0;
let lastRows = [];

/**
 * All that the page shows, or what changed in it since the walk of generation `since`: then the first `head` and the last
 * `tail` rows are as they were and not told again. At most `maxNodes` rows; `omitted` counts the rest.
 */
function walk({ since = null, maxNodes = 40_000 } = {}) {
  const { rows, omitted } = look(() => readPage(maxNodes));
  const [head, tail] = since !== null && since === generation && generation > 0 ? unchanged(lastRows, rows) : [0, 0];
  lastRows = rows;
  generation++;
  return { generation, rows: rows.slice(head, rows.length - tail), head, tail, omitted };
}

function readPage(maxNodes) {
  const top = documentQuery(document, 'body,frameset')[0] ?? topElement(document);
  if (top === null || top === undefined) return { rows: [], omitted: 0 };
  const build = new Build(maxNodes);
  build.run(top);
  const rows = toRows(build.root);
  const unread = build.isCut ? Math.max(0, dom.query(top, '*').length + 1 - build.visited) : 0;
  const omitted = Math.max(0, rows.length - maxNodes) + unread;
  if (rows.length > maxNodes) rows.length = maxNodes;
  return { rows, omitted };
}

/** The rows of a tree, parents before children. */
function toRows(root) {
  const rows = [];
  const open = root.children.map((item) => ({ item, depth: 0, isInHand: false })).reverse();
  while (open.length > 0) {
    const { item, depth, isInHand } = open.pop();
    if (typeof item === 'string') {
      rows.push(textRow(depth, item));
      continue;
    }
    const text = item.onlyText;
    const isProperty = item.url === null && item.placeholder === null;
    const isValue = text !== null && (isProperty || EDITABLE.has(item.role));
    rows.push(nodeRow(item, depth, isValue ? text : null, isInHand));
    if (isValue) continue;
    const hasHand = isInHand || (item.isReachable && item.hasHand);
    for (let at = item.children.length - 1; at >= 0; at--) {
      open.push({ item: item.children[at], depth: depth + 1, isInHand: hasHand });
    }
  }
  return rows;
}

function textRow(depth, text) {
  return [depth, 'text', '', 0, 0, plain(text), 0];
}

function nodeRow(node, depth, value, isInHand) {
  const { states, facts } = node;
  const properties = [];
  if (node.isActive) states.active = true;
  if (node.isReachable && node.hasHand && !isInHand) states.pointer = true;
  if (states.level > MAX_LEVEL) {
    properties.push(['level', String(states.level)]);
    delete states.level;
  }
  if (node.isAriaHidden) properties.push(['aria-hidden', 'true']);
  if (node.placeholder !== null) properties.push(['placeholder', plain(node.placeholder)]);
  const extra = {};
  if (node.url !== null) extra.url = plain(node.url);
  if (properties.length > 0) extra.props = properties;
  if (node.role === 'iframe') extra.frame = true;
  return [
    depth, node.role, node.name.length > MAX_NAME ? '' : plain(node.name),
    node.isReachable ? numberOf(facts.element) : 0, orZero(states), value === null ? null : plain(value), orZero(extra),
  ];
}

function orZero(object) {
  for (const _ in object) return object;
  return 0;
}

/** A text that is not without end. */
function plain(text) {
  return clip(text, MAX_TEXT);
}

/** How many rows at the start and at the end are the same. */
function unchanged(before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && isSameRow(before[head], after[head])) head++;
  let tail = 0;
  while (tail < most - head && isSameRow(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;
  return [head, tail];
}

function isSameRow(a, b) {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[5] === b[5]
    && isSameObject(a[4], b[4]) && isSameObject(a[6], b[6]);
}

function isSameObject(a, b) {
  return a === b || (a !== 0 && b !== 0 && JSON.stringify(a) === JSON.stringify(b));
}
