// The parts of a page that a person could see and use: visible, enabled, editable. Also the form in which messages show an
// element.

/** Input types that a person types into. */
const TEXT_TYPES = new Set(['email', 'number', 'password', 'search', 'tel', 'text', 'url']);
/** Input types whose values have a fixed form. */
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

/** The boxes of an element in the viewport that have an area. For an element without a box, those of its content. */
function boxesOf(element) {
  const hasArea = ({ width, height }) => width > 0 && height > 0;
  const picture = pictureOf(element);
  if (picture !== null) return [areaBox(element, picture)].filter(hasArea);
  const style = dom.style(element);
  if (style.display !== 'contents') return [...dom.rects(element)].filter(hasArea);
  const range = new Range();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(hasArea);
}

function isVisible(element) {
  const picture = pictureOf(element);
  if (picture !== null) return isVisible(picture) && boxesOf(element).length > 0;
  const style = dom.style(element);
  if (style.display === 'contents') return boxesOf(element).length > 0;
  if (!dom.isShown(element) || style.visibility !== 'visible') return false;
  const { width, height } = dom.rect(element);
  return width > 0 && height > 0;
}

/**
 * Returns true if an element is disabled. The browser knows it for fieldsets, legends and groups of options;
 * `aria-disabled` counts only for roles that support it.
 */
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

/** Returns true if text can be put into an element, false if it is read-only, and null if it is not a field. */
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

/** The labels of a control; none for any other element. */
function controlLabels(element) {
  // A form has no labels, but a field of it may be called `labels`. On every other element this is the real property.
  return dom.isHtml(element) && !dom.isHtml(element, 'form') ? [...(element.labels ?? [])] : [];
}

/** Returns true if an element, or one around it, contains text that must never leave the page. */
function isInSecret(element) {
  for (let at = element; at; at = dom.above(at)) if (isSecret(at)) return true;
  return false;
}

/** Elements without an end tag. */
const NEVER_CLOSED = new Set(['area', 'br', 'embed', 'hr', 'img', 'input', 'source', 'track', 'wbr']);

/** A short form of an element that a person who reads HTML would recognise. */
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
