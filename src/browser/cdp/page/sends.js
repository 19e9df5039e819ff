// The addresses that forms would send their content to, as the browser itself resolves them: with `base`, and
// unaffected by the names of fields.

const OWNERS = new Map([
  ['button', getter(HTMLButtonElement.prototype, 'form')],
  ['input', getter(HTMLInputElement.prototype, 'form')],
  ['select', getter(HTMLSelectElement.prototype, 'form')],
  ['textarea', getter(HTMLTextAreaElement.prototype, 'form')],
]);
const actionOf = getter(HTMLFormElement.prototype, 'action');
const methodOf = getter(HTMLFormElement.prototype, 'method');
const kindOfButton = getter(HTMLButtonElement.prototype, 'type');
const actionBy = new Map([
  ['button', getter(HTMLButtonElement.prototype, 'formAction')],
  ['input', getter(HTMLInputElement.prototype, 'formAction')],
]);
const methodBy = new Map([
  ['button', getter(HTMLButtonElement.prototype, 'formMethod')],
  ['input', getter(HTMLInputElement.prototype, 'formMethod')],
]);

/** The fields that secrets were typed into, each with the names of its secrets. */
const typedNames = new WeakMap();
const typedFields = [];

function rememberTyped(field, name) {
  const names = typedNames.get(field);
  if (names !== undefined) {
    names.add(name);
    return;
  }
  typedNames.set(field, new Set([name]));
  typedFields.push(new WeakRef(field));
}

/** The form that a field belongs to; for any other element, the form around it. */
function formOf(element) {
  const own = dom.isHtml(element) ? OWNERS.get(dom.tag(element))?.(element) : null;
  if (own) return own;
  for (let at = dom.above(element); at; at = dom.above(at)) if (dom.isHtml(at, 'form')) return at;
  return null;
}

function isSubmitter(element) {
  if (dom.isHtml(element, 'button')) return kindOfButton(element) === 'submit';
  return dom.isHtml(element, 'input') && ['submit', 'image'].includes(typeOf(element));
}

function submittersOf(form) {
  return [...queryAll(dom.root(form), 'button, input')].filter((each) => isSubmitter(each) && formOf(each) === form);
}

/** The address that a form goes to by one of its buttons, or without one; null if nothing would be sent. */
function addressOf(form, button) {
  const tag = button === null ? '' : dom.tag(button);
  const method = button !== null && dom.has(button, 'formmethod') ? methodBy.get(tag)(button) : methodOf(form);
  if (method === 'dialog') return null;
  return whole(button !== null && dom.has(button, 'formaction') ? actionBy.get(tag)(button) : actionOf(form));
}

/**
 * Every address that the form of a field may go to. If no number is given, the field is the one that has the focus.
 */
function sendsFrom(number) {
  const element = number === null ? deepActive() : elementOf(number);
  if (element === null) return number === null ? { to: [] } : gone();
  const form = formOf(controlOf(element));
  if (form === null) return { to: [] };
  const all = [null, ...submittersOf(form)].map((button) => addressOf(form, button));
  return { to: [...new Set(all.filter((address) => address !== null))] };
}

/** Returns the content that a form would send: the names of the secrets in it, and the addresses they would go to. */
function sending(form, button) {
  const fields = typedFields.map((each) => each.deref())
    .filter((field) => field !== undefined && dom.connected(field) && formOf(field) === form && contentOf(field) !== '');
  const names = new Set(fields.flatMap((field) => [...typedNames.get(field)]));
  return { names: [...names], to: names.size === 0 ? null : addressOf(form, button) };
}

const NOTHING_SENT = { names: [], to: null };

/** Returns the secrets that a click on an element would send, without any script of the page. */
function sendsOn(number) {
  for (let at = elementOf(number); at; at = dom.shownIn(at)) {
    const button = dom.isHtml(at, 'label') ? dom.labelOf(at) : at;
    if (button !== null && isSubmitter(button)) {
      const form = formOf(button);
      return form === null ? NOTHING_SENT : sending(form, button);
    }
  }
  return NOTHING_SENT;
}

/** Returns the secrets that Enter, or the space bar, would send at the focus, without any script of the page. */
function sendsByKey(isEnter) {
  const active = deepActive();
  if (active === null) return NOTHING_SENT;
  const form = formOf(active);
  if (form === null) return NOTHING_SENT;
  if (isSubmitter(active)) return sending(form, active);
  return isEnter && dom.isHtml(active, 'input') ? sending(form, submittersOf(form)[0] ?? null) : NOTHING_SENT;
}
