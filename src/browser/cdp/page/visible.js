// The parts of a page that a person could see and use: visible, enabled, editable; and the form of an element in a
// message.

/** Fields of text: what a person types into. */
const TEXT_TYPES = new Set(['email', 'number', 'password', 'search', 'tel', 'text', 'url']);
/** Fields whose control gives a value of one form only. */
const SET_TYPES = new Set(['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']);
/** Roles that know `aria-disabled`. Source: WAI-ARIA 1.2, `aria-disabled`, "used in roles" and those that inherit it. */
const CAN_BE_DISABLED = new Set([
  'application', 'button', 'checkbox', 'columnheader', 'combobox', 'grid', 'gridcell', 'group', 'link', 'listbox', 'menu',
  'menubar', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'radiogroup', 'row', 'rowheader',
  'scrollbar', 'searchbox', 'separator', 'slider', 'spinbutton', 'switch', 'tab', 'tablist', 'textbox', 'toolbar', 'tree',
  'treegrid', 'treeitem',
]);
/** Roles that know `aria-readonly`. Source: WAI-ARIA 1.2, `aria-readonly`. */
const CAN_BE_READ_ONLY = new Set([
  'checkbox', 'columnheader', 'combobox', 'grid', 'gridcell', 'listbox', 'radiogroup', 'rowheader', 'searchbox', 'slider',
  'spinbutton', 'switch', 'textbox', 'treegrid',
]);

/** The boxes of an element in the viewport that have an area; those of its content if it has none of its own. */
function boxesOf(element) {
  const hasArea = ({ width, height }) => width > 0 && height > 0;
  const style = dom.style(element);
  if (style.display !== 'contents') return [...dom.rects(element)].filter(hasArea);
  const range = new Range();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(hasArea);
}

function isVisible(element) {
  const style = dom.style(element);
  if (style.display === 'contents') return boxesOf(element).length > 0;
  if (!dom.isShown(element) || style.visibility !== 'visible') return false;
  const { width, height } = dom.rect(element);
  return width > 0 && height > 0;
}

/** A disabled fieldset, its legend, groups of options: the browser knows. What only says so is believed if its role can. */
function isDisabled(element) {
  if (dom.matches(element, ':disabled')) return true;
  if (dom.isHtml(element, 'option') && dom.closest(element, 'select:disabled') !== null) return true;
  if (!CAN_BE_DISABLED.has(roleOf(element))) return false;
  for (let at = element; at; at = dom.above(at)) {
    const said = dom.attribute(at, 'aria-disabled');
    if (said !== null && /^(true|false)$/i.test(said)) return said.toLowerCase() === 'true';
  }
  return false;
}

/** Tells if text can be put into an element: `true`, `false` while it is read-only, `null` if it is no field. */
function isWritable(element) {
  if (dom.isHtml(element, 'input') || dom.isHtml(element, 'textarea') || dom.isHtml(element, 'select')) {
    return !dom.has(element, 'readonly');
  }
  if (CAN_BE_READ_ONLY.has(roleOf(element)) && dom.attribute(element, 'aria-readonly') === 'true') return false;
  return dom.isEditable(element) ? true : null;
}

/** The widget that an action on this element is for: the button around a text, the control of a label. */
function controlOf(element) {
  if (isField(element)) return element;
  const widget = dom.closest(element, 'button, [role=button], [role=checkbox], [role=radio]') ?? element;
  if (dom.matches(widget, 'a, button, [role=link], [role=button], [role=checkbox], [role=radio]')) return widget;
  const label = dom.closest(widget, 'label');
  return (label !== null && dom.isHtml(label) && dom.labelOf(label)) || widget;
}

function isField(element) {
  return dom.matches(element, 'input, textarea, select') || dom.isEditable(element);
}

/** The labels of a control, none for what has none. */
function controlLabels(element) {
  // No form has this property, and every other element has the getter of its own.
  return dom.isHtml(element) && !dom.isHtml(element, 'form') ? [...(element.labels ?? [])] : [];
}

/** Returns true if an element, or one around it, contains text that must never leave the page. */
function isInSecret(element) {
  for (let at = element; at; at = dom.above(at)) if (isSecret(at)) return true;
  return false;
}

/** Elements that are written without an end. */
const NEVER_CLOSED = new Set(['area', 'br', 'embed', 'hr', 'img', 'input', 'source', 'track', 'wbr']);

/** An element as a person who reads HTML would know it, short. */
function preview(element) {
  const tag = clip(dom.tag(element), 40);
  let shown = '';
  for (const { name, value } of dom.attributes(element)) {
    if (name === 'style' || name === 'value' || shown.length > 200) continue;
    shown += value === '' ? ` ${name}` : ` ${name}="${clip(value, 80)}"`;
  }
  let text = dom.first(element) === null ? '' : '…';
  const onlyText = text !== '' && dom.first(element) === dom.last(element) && dom.type(dom.first(element)) === TEXT;
  if (onlyText && !isInSecret(element)) text = clip(squeeze(dom.nodeValue(dom.first(element))), 50);
  return `<${tag}${clip(shown, 160)}>${NEVER_CLOSED.has(tag) ? '' : `${text}</${tag}>`}`;
}
