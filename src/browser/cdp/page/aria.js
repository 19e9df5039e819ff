// The role of an element: its own `role` attribute, else the role of its tag.
//
// The rules are those of WAI-ARIA 1.2 and HTML-AAM. Where these leave a choice, it is made as in
// playwright-cli, so that both drivers show the same tree.

const ROLES = new Set(
  `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
  complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell
  group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar menuitem
  menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio radiogroup region row
  rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab
  table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`.split(/\s+/),
);

/** Roles of tags that do not depend on where the element stands. */
const TAG_ROLES = new Map(Object.entries({
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code',
  datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term',
  em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', hr: 'separator', html: 'document', ins: 'insertion', li: 'listitem', main: 'main',
  mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group',
  option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search', strong: 'strong',
  sub: 'subscript', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox',
  tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list',
}));

const INPUT_ROLES = new Map(Object.entries({
  button: 'button', checkbox: 'checkbox', file: 'button', hidden: null, image: 'button', number: 'spinbutton',
  radio: 'radio', range: 'slider', reset: 'button', submit: 'button',
}));
/** Input types for one line of text, which have another role when they offer a list. */
const LINE_INPUTS = new Set(['email', 'search', 'tel', 'text', 'url']);

/** Elements inside which a header or footer is not that of the page. */
const SECTIONING = ['article', 'aside', 'main', 'nav', 'section'].map((tag) => `${tag}:not([role])`)
  .concat(['article', 'complementary', 'main', 'navigation', 'region'].map((role) => `[role=${role}]`))
  .join(',');

/** Rules for tags whose role depends on the element. */
const TAG_RULES = new Map(Object.entries({
  a: linkRole,
  area: linkRole,
  footer: ({ element }) => (closestAcross(element, SECTIONING) ? null : 'contentinfo'),
  form: (facts) => (isLabelled(facts) ? 'form' : null),
  header: ({ element }) => (closestAcross(element, SECTIONING) ? null : 'banner'),
  img: imageRole,
  input: inputRole,
  section: (facts) => (isLabelled(facts) ? 'region' : null),
  select: (facts) => (isListBox(facts) ? 'listbox' : 'combobox'),
  td: dataCellRole,
  th: headerCellRole,
}));

function linkRole(facts) {
  return facts.has('href') ? 'link' : null;
}

function isLabelled(facts) {
  return facts.has('aria-label') || facts.has('aria-labelledby');
}

function imageRole(facts) {
  const isDecoration = facts.attribute('alt') === '' && !facts.attribute('title')
    && !hasGlobalAttribute(facts, null) && !hasTabIndex(facts);
  return isDecoration ? 'presentation' : 'img';
}

function inputRole(facts) {
  const { element, isHtml } = facts;
  if (!isHtml) return 'textbox';
  const type = typeOf(element);
  if (LINE_INPUTS.has(type)) {
    const offers = referred(facts, 'list')[0];
    if (offers !== undefined && dom.isHtml(offers, 'datalist')) return 'combobox';
    return type === 'search' ? 'searchbox' : 'textbox';
  }
  return INPUT_ROLES.has(type) ? INPUT_ROLES.get(type) : 'textbox';
}

function isListBox({ element, isHtml }) {
  return isHtml && (isMultiple(element) || shownChoices(element) > 1);
}
const isMultiple = getter(HTMLSelectElement.prototype, 'multiple');
const shownChoices = getter(HTMLSelectElement.prototype, 'size');

function dataCellRole({ element }) {
  const table = closestAcross(element, 'table');
  const role = table === null ? null : statedRole(factsOf(table));
  return role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
}

const nextElement = getter(Element.prototype, 'nextElementSibling');
const previousElement = getter(Element.prototype, 'previousElementSibling');
const firstElement = getter(Element.prototype, 'firstElementChild');
const tableRows = getter(HTMLTableElement.prototype, 'rows');

function headerCellRole(facts) {
  const { element } = facts;
  const scope = facts.attribute('scope');
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const beside = [previousElement(element), nextElement(element)];
  if (beside.every((other) => other === null)) {
    const row = dom.parent(element);
    if (row === null || dom.type(row) !== ELEMENT || dom.tag(row) !== 'tr') return 'columnheader';
    const table = closestAcross(row, 'table');
    // The only cell of a table with one row is not a heading.
    return table !== null && dom.isHtml(table) && tableRows(table).length <= 1 ? null : 'columnheader';
  }
  if (beside.every((other) => other !== null && dom.tag(other) === 'th')) return 'columnheader';
  return beside.some(isFullCell) ? 'rowheader' : 'columnheader';
}

function isFullCell(element) {
  return element !== null && dom.tag(element) === 'td'
    && (firstElement(element) !== null || dom.textOf(element).trim() !== '');
}

/**
 * Elements that lose their role if the element around them, of one of these tags, states that it is
 * presentational.
 */
const PARTS = new Map(Object.entries({
  dd: ['dl', 'div'], div: ['dl'], dt: ['dl', 'div'], li: ['ol', 'ul'], tbody: ['table'], td: ['tr'], tfoot: ['table'],
  th: ['tr'], thead: ['table'], tr: ['thead', 'tbody', 'tfoot', 'table'],
}));

function tagRole(facts) {
  const rule = TAG_RULES.get(facts.tag);
  const role = rule === undefined ? TAG_ROLES.get(facts.tag) : rule(facts);
  if (role === undefined || role === null) return null;
  for (let part = facts, whole; ; part = whole) {
    const wholes = PARTS.get(part.tag);
    whole = wholes === undefined ? null : aboveOf(part);
    if (whole === null || !wholes.includes(whole.tag)) return role;
    const stated = statedRole(whole);
    if (isPresentation(stated) && !staysMeaningful(whole, stated)) return stated;
  }
}

function isPresentation(role) {
  return role === 'none' || role === 'presentation';
}

/** The first known role in the element's `role` attribute. */
function statedRole(facts) {
  const claim = facts.attribute('role');
  if (claim === null || claim === '') return null;
  for (const each of claim.split(' ')) {
    const role = each.trim();
    if (ROLES.has(role)) return role;
  }
  return null;
}

/** ARIA attributes for elements of any role, each with the roles on which it has no effect. */
const UNNAMED = ['caption', 'code', 'deletion', 'emphasis', 'generic', 'insertion', 'paragraph', 'presentation', 'strong',
  'subscript', 'superscript'];
const GLOBAL_ATTRIBUTES = [
  ...['atomic', 'busy', 'controls', 'current', 'describedby', 'details', 'dropeffect', 'flowto', 'grabbed', 'hidden',
    'keyshortcuts', 'live', 'owns', 'relevant'].map((name) => [`aria-${name}`, []]),
  ['aria-label', UNNAMED], ['aria-labelledby', UNNAMED], ['aria-roledescription', ['generic']],
];

function hasGlobalAttribute(facts, role) {
  return GLOBAL_ATTRIBUTES.some(([name, silent]) => !silent.includes(role) && facts.has(name));
}

function hasTabIndex(facts) {
  const index = facts.attribute('tabindex');
  return index !== null && !Number.isNaN(Number(index));
}

const FOCUSABLE = new Set(['button', 'details', 'select', 'textarea']);
const isHiddenAttribute = getter(HTMLElement.prototype, 'hidden');

function isFocusable(facts) {
  const { element, tag } = facts;
  if (isNativelyDisabled(facts)) return false;
  if (FOCUSABLE.has(tag) || hasTabIndex(facts)) return true;
  if (tag === 'a' || tag === 'area') return facts.has('href');
  return tag === 'input' && facts.isHtml && !isHiddenAttribute(element);
}

/** Returns true if an element keeps its role although its attribute removes it. */
function staysMeaningful(facts, role) {
  return hasGlobalAttribute(facts, role) || isFocusable(facts);
}

/** The role; null if the element has none. */
function roleFact(facts) {
  if (facts.role === undefined) facts.role = computeRole(facts);
  return facts.role;
}

function computeRole(facts) {
  const stated = statedRole(facts);
  if (stated === null) return tagRole(facts);
  if (isPresentation(stated)) {
    const role = tagRole(facts);
    if (staysMeaningful(facts, role)) return role;
  }
  return stated;
}

/** The role of an element; `generic` if it has none. */
function roleOf(element) {
  return look(() => roleFact(factsOf(element)) ?? 'generic');
}
