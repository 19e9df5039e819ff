// The states of an element that the page reports to assistive technology.

const setOf = (text) => new Set(text.split(/\s+/));
const MAY_BE_CHECKED = setOf('checkbox menuitemcheckbox option radio switch menuitemradio treeitem');
const MAY_BE_DISABLED = setOf(
  `application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader combobox
  grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader searchbox select slider
  spinbutton switch tablist textbox toolbar tree treegrid treeitem`,
);
const MAY_BE_EXPANDED = setOf(
  `application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader
  menuitemcheckbox menuitemradio switch`,
);
const MAY_BE_INVALID = setOf(
  `application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton switch
  textbox tree`,
);
const MAY_HAVE_LEVEL = setOf('heading listitem row treeitem');
const MAY_BE_SELECTED = setOf('gridcell option row tab rowheader columnheader treeitem');
/** Highest level that is reported as a state. Source: the page tree's type. */
const MAX_LEVEL = 255;
/** Roles that are always reported as on or off. */
const ALWAYS_CHECKED = setOf('checkbox radio switch menuitemcheckbox menuitemradio');
const ALWAYS_SELECTED = setOf('option tab');

const isTicked = getter(HTMLInputElement.prototype, 'checked');
const isUndecided = getter(HTMLInputElement.prototype, 'indeterminate');
const isChosen = getter(HTMLOptionElement.prototype, 'selected');
const isOpen = getter(HTMLDetailsElement.prototype, 'open');

/** Records the states of a node that apply to elements of this role. */
function readStates(facts, role, node) {
  const { element } = facts;
  if (MAY_BE_CHECKED.has(role)) {
    const checked = checkedOf(facts);
    if (checked !== 'false' || ALWAYS_CHECKED.has(role)) node.is('checked', checked);
  }
  if (MAY_BE_DISABLED.has(role) && (isNativelyDisabled(facts) || isDisabledByAria(facts))) node.is('disabled', true);
  if (MAY_BE_EXPANDED.has(role) && isExpanded(facts)) node.is('expanded', true);
  if (MAY_BE_INVALID.has(role) && isInvalid(facts)) node.is('invalid', true);
  if (role === 'button') {
    const pressed = facts.attribute('aria-pressed');
    if (pressed === 'true' || pressed === 'mixed') node.is('pressed', pressed);
  }
  if (MAY_HAVE_LEVEL.has(role)) {
    node.level = levelOf(facts);
    if (node.level > 0 && node.level <= MAX_LEVEL) node.is('level', node.level);
  }
  if (MAY_BE_SELECTED.has(role)) {
    const selected = facts.tag === 'option'
      ? facts.isHtml && isChosen(element)
      : facts.attribute('aria-selected')?.toLowerCase() === 'true';
    if (selected || ALWAYS_SELECTED.has(role)) node.is('selected', selected);
  }
}

/** `true`, `false` or `mixed`, for an element that can be on. */
function checkedOf(facts) {
  const { element, tag, isHtml } = facts;
  if (tag === 'input' && isHtml) {
    if (isUndecided(element)) return 'mixed';
    const type = typeOf(element);
    if (type === 'checkbox' || type === 'radio') return String(isTicked(element));
  }
  const checked = facts.attribute('aria-checked') ?? facts.attribute('aria-pressed');
  return checked === 'true' || checked === 'mixed' ? checked : 'false';
}

function isExpanded(facts) {
  if (facts.tag === 'details' && facts.isHtml) return isOpen(facts.element);
  return facts.attribute('aria-expanded') === 'true';
}

function isInvalid(facts) {
  const invalid = facts.attribute('aria-invalid')?.trim().toLowerCase() ?? '';
  return invalid !== '' && invalid !== 'false';
}

function levelOf(facts) {
  if (/^h[1-6]$/.test(facts.tag)) return Number(facts.tag[1]);
  const level = Number(facts.attribute('aria-level') ?? 0);
  return Number.isInteger(level) && level >= 1 ? level : 0;
}

const CONTROLS = setOf('button input select textarea option optgroup');

/** Returns true if a control is disabled by HTML itself. */
function isNativelyDisabled(facts) {
  const { element, tag } = facts;
  if (!CONTROLS.has(tag)) return false;
  if (facts.has('disabled')) return true;
  if (tag === 'option' && dom.closest(element, 'optgroup[disabled]') !== null) return true;
  const group = dom.closest(element, 'fieldset[disabled]');
  if (group === null) return false;
  // Elements in the legend of a disabled group stay usable.
  const heading = headingOf(factsOf(group));
  return heading === null || !dom.contains(heading, element);
}

/**
 * The legend of a group of controls, or null. Searched for once in a look, because a group may hold ten thousand
 * controls.
 */
function headingOf(group) {
  if (group.heading === undefined) {
    let child = dom.first(group.element);
    while (child !== null && !(dom.type(child) === ELEMENT && dom.isHtml(child, 'legend'))) child = dom.next(child);
    group.heading = child;
  }
  return group.heading;
}

function isDisabledByAria(facts) {
  return inherited(facts, 'isDisabled', saysDisabled);
}

function saysDisabled(facts) {
  const disabled = facts.attribute('aria-disabled')?.toLowerCase();
  return disabled === 'true' ? true : disabled === 'false' ? false : undefined;
}
