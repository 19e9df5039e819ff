// Selecting options, and reading the state of checkboxes.

/** Roles with a checked state. Source: WAI-ARIA 1.2, `aria-checked`, and the native radio and checkbox. */
const CAN_BE_CHECKED = new Set([
  'checkbox', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'treeitem',
]);

/** Chooses options that a list has now. Does not wait for others. */
function select(number, values) {
  const element = elementOf(number);
  if (element === null) return gone();
  const want = { visible: true, enabled: true, options: values };
  const lacking = lacks(element, want);
  if (lacking) return lacking;
  const list = controlOf(element);
  dom.focus(list);
  // The page may have refilled the list when it received the focus.
  const taken = dom.connected(element) ? lacks(element, want) : failed('detached', 'the list left the page when it got the focus');
  if (taken) return taken;
  const all = [...list.options];
  const chosen = values.map((value) => optionFor(all, value));
  if (list.multiple) for (const option of all) option.selected = chosen.includes(option);
  else list.selectedIndex = chosen.length === 0 ? -1 : chosen[0].index;
  dom.send(list, new Event('input', { bubbles: true, composed: true }));
  dom.send(list, new Event('change', { bubbles: true }));
  return {};
}

/**
 * The reason why these options cannot be chosen in this element, or null. It is `final` if waiting cannot
 * help.
 */
function chooses(list, values) {
  const never = (why, detail) => ({ ...failed(why, detail), final: true });
  if (!dom.isHtml(list, 'select')) return never('wrong_element', `${preview(list)} is no list of options`);
  if (!list.multiple && values.length > 1) return never('bad_value', 'this list takes one option only');
  const all = [...list.options];
  const chosen = values.map((value) => optionFor(all, value));
  if (chosen.includes(null)) {
    const names = all.slice(0, 20).map((option) => squeeze(option.label)).join(', ');
    return failed('no_such_option', `the options are: ${names}`);
  }
  const off = chosen.find(isDisabled);
  return off === undefined ? null : failed('disabled', preview(off));
}

/**
 * The option with this label, else the one with this value. An exact match is preferred to one that ignores
 * white space.
 */
function optionFor(options, wanted) {
  const squeezed = squeeze(wanted);
  return options.find((option) => option.label === wanted)
    ?? options.find((option) => squeeze(option.label) === squeezed)
    ?? options.find((option) => option.value === wanted)
    ?? options.find((option) => squeeze(option.value) === squeezed)
    ?? null;
}

/** Maximum number of elements around the field of a widget that are passed on the way to what a person presses. */
const MOST_WRAPPERS = 3;
/**
 * Elements that show or open a list of options of the page's own. A field that says nothing of a list opens one only for what is typed
 * into it.
 */
const OPENERS = ':not(input)[role=combobox], [role=combobox]:is([aria-controls], [aria-owns], [aria-haspopup]), [role=listbox], [aria-haspopup=listbox]';

/**
 * What an element that is no native list shows of its options now: each with its number and name, and the visible lists. `known`
 * are the lists that were visible before the element was opened; one of these belongs to it only if it says so.
 */
function choicesOf(number, known) {
  const element = elementOf(number);
  if (element === null) return gone();
  const opener = closestAcross(element, OPENERS) ?? dom.query(element, OPENERS)[0] ?? null;
  if (opener === null) return failed('wrong_element', `${preview(element)} is no list of options`);
  return look(() => {
    const facts = factsOf(opener);
    const named = [...referred(facts, 'aria-controls'), ...referred(facts, 'aria-owns')];
    const visible = visibleLists();
    const isIts = (list) => list === opener || named.some((other) => other === list || dom.contains(other, list));
    const list = visible.find(isIts) ?? visible.find((other) => !known.includes(numberOf(other)));
    const options = list === undefined ? [] : [...dom.query(list, '[role=option]')].filter(isVisible);
    return {
      is_list: list === opener,
      opener: numberOf(placed(opener)),
      lists: visible.map(numberOf),
      is_multiple: list !== undefined && dom.attribute(list, 'aria-multiselectable') === 'true',
      options: options.map((option) => ({
        number: numberOf(option),
        name: whole(squeeze(nameOf(option)) || squeeze(dom.textOf(option))),
        is_selected: dom.attribute(option, 'aria-selected') === 'true',
      })),
    };
  });
}

/** The element, or the nearest one around it that is not moved out of the page, as widgets move the field that takes their keys. */
function placed(element) {
  let at = element;
  for (let level = 0; level < MOST_WRAPPERS; level++) {
    const { right, bottom } = dom.rect(at);
    const above = dom.above(at);
    if ((right + scrollX > 0 && bottom + scrollY > 0) || above === null) return at;
    at = above;
  }
  return at;
}

function visibleLists() {
  const roots = [document, ...knownShadows()];
  return roots.flatMap((root) => [...queryAll(root, '[role=listbox]')]).filter(isVisible);
}

/** The state of a checkbox or radio button; `checked` is null if it is partly ticked, `stated` false if the page tells no state. */
function checkState(number) {
  const element = elementOf(number);
  if (element === null) return gone();
  const ticked = controlOf(element);
  if (dom.isHtml(ticked, 'input') && /^(checkbox|radio)$/.test(ticked.type)) {
    return { checked: ticked.indeterminate ? null : ticked.checked, radio: ticked.type === 'radio', stated: true };
  }
  const role = roleOf(ticked);
  if (!CAN_BE_CHECKED.has(role)) return failed('wrong_element', `${preview(ticked)} cannot be ticked`);
  // Some pages give a checkbox the state of a button.
  const said = dom.attribute(ticked, 'aria-checked') ?? dom.attribute(ticked, 'aria-pressed');
  return { checked: said === 'mixed' ? null : said === 'true', radio: /radio$/.test(role), stated: said !== null };
}
