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

/** The state of a checkbox or radio button; `checked` is null if it is partly ticked. */
function checkState(number) {
  const element = elementOf(number);
  if (element === null) return gone();
  const ticked = controlOf(element);
  if (dom.isHtml(ticked, 'input') && /^(checkbox|radio)$/.test(ticked.type)) {
    return { checked: ticked.indeterminate ? null : ticked.checked, radio: ticked.type === 'radio' };
  }
  const role = roleOf(ticked);
  if (!CAN_BE_CHECKED.has(role)) return failed('wrong_element', `${preview(ticked)} cannot be ticked`);
  const said = dom.attribute(ticked, 'aria-checked');
  return { checked: said === 'mixed' ? null : said === 'true', radio: /radio$/.test(role) };
}
