// Filling a field, typing a secret, and finding the focus.

/** Fills a field once, without waiting and without a second try, because a try may have had effects. */
async function fill(number, text, want) {
  const element = elementOf(number);
  if (element === null) return gone();
  const lacking = lacks(element, { visible: true, enabled: true, editable: true });
  if (lacking) return lacking;
  const field = controlOf(element);
  if (want.secret) hideFrom(field, want.name);
  const told = await put(field, text.replace(/\r\n?/g, '\n'), want.secret === true);
  return told.failed && dom.connected(field) ? closed(field) ?? told : told;
}

/** The failure of a field that the page closed while it was filled, such as by a dialog that opens at the focus; null if it is open. */
function closed(field) {
  if (isDisabled(field)) return failed('disabled', `the page disabled ${preview(field)} when it got the focus`);
  return isWritable(field) ? null : failed('not_editable', `the page made ${preview(field)} read only when it got the focus`);
}

/** Hides the content of a field for good, and that of the whole editor if the field is a part of one. */
function hideFrom(field, name) {
  rememberSecret(field);
  rememberTyped(field, name);
  if (!isTextControl(field)) rememberSecret(editingHost(field));
}

function put(field, text, secret) {
  if (dom.isHtml(field, 'input') && SET_TYPES.has(field.type)) return setValue(field, text.trim());
  if (takesText(field)) return replaceText(field, text, secret);
  return failed('not_editable', `${preview(field)} takes no text`);
}

/** Sets a field whose values have a fixed form, such as a date or a colour. */
function setValue(field, text) {
  // The value is tried on an element outside the page, so that an invalid value changes nothing.
  const probe = dom.create('input');
  for (const name of ['type', 'min', 'max', 'step']) {
    if (dom.has(field, name)) probe.setAttribute(name, dom.attribute(field, name));
  }
  probe.value = text;
  const taken = field.type === 'range' ? text !== '' && Number(probe.value) === Number(text)
    : field.type === 'color' ? probe.value === text.toLowerCase()
      : (probe.value === '') === (text === '');
  if (!taken) return failed('bad_value', `an input of type ${field.type} does not take this value`);
  focusOn(field);
  if (!dom.connected(field)) return failed('detached', 'the field left the page when it got the focus');
  field.value = probe.value;
  dom.send(field, new Event('input', { bubbles: true, composed: true }));
  dom.send(field, new Event('change', { bubbles: true }));
  return {};
}

async function replaceText(field, given, secret) {
  const text = dom.isHtml(field, 'input') && field.type === 'number' ? given.trim() : given;
  const refusal = refusalOf(field, text);
  if (refusal) return refusal;
  focusOn(isTextControl(field) ? field : editingHost(field));
  if (!holdsFocus(field)) return unfocused(field, secret);
  selectAll(field);
  if (!isTextControl(field)) {
    // Editors learn about the selection from an event that comes later.
    await nextFrame();
    if (!dom.connected(field)) return failed('detached', 'the field left the page when it got the focus');
    if (!holdsFocus(field)) return unfocused(field, secret);
    selectAll(field);
  }
  const before = contentOf(field);
  const told = insert(field, text);
  if (told === false && !holdsFocus(field)) return unfocused(field, secret);
  if (told === null) {
    // The page changes the value itself, maybe a little later.
    await nextFrame();
    await nextFrame();
  }
  const after = contentOf(field);
  if (holds(after, text) || (told && !isTakenBack(before, after, text))) return {};
  return failed('bad_value', told === true ? 'the page took the text out again' : 'the page did not let the text in');
}

/** The reason why a field cannot take a text, found before the field is touched; null if there is none. */
function refusalOf(field, text) {
  if (!isTextControl(field)) return null;
  if (field.type === 'number' && text !== '') {
    const probe = dom.create('input');
    probe.type = 'number';
    probe.value = text;
    if (probe.value === '') return failed('bad_value', 'an input of type number takes numbers only');
  }
  if (field.maxLength >= 0 && text.length > field.maxLength && field.type !== 'number') {
    return failed('bad_value', `the field takes at most ${field.maxLength} characters`);
  }
  return null;
}

function unfocused(field, secret) {
  return failed(secret ? 'secret_refused' : 'not_editable', `the page moved the focus away from ${preview(field)}`);
}

/** Returns true if a field holds a text; white space is ignored, because an input and an editor each write it differently. */
function holds(content, text) {
  return content === text || squeeze(content) === squeeze(text);
}

/**
 * Returns true if the page undid the input: the field is unchanged, holds no other form of the text, and the text does
 * not end like an entry of a list.
 */
function isTakenBack(before, after, text) {
  const core = (value) => value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return after === before && core(after) !== core(text) && !/[,;\s]$/.test(text);
}

/** Types into the field that has the focus, for as long as it keeps the focus. */
function typeInto(text, want) {
  const field = deepActive();
  const refuse = (why) => failed(want.secret ? 'secret_refused' : 'not_editable', why);
  const isUsable = field !== null && takesText(field) && !isDisabled(field) && isWritable(field);
  if (!isUsable) return refuse('no field has the focus');
  if (want.secret) hideFrom(field, want.name);
  let went = text === '';
  for (const character of text.replace(/\r\n?/g, '\n')) {
    if (!dom.connected(field) || !holdsFocus(field)) return refuse('the focus moved while it was typed');
    went = insert(field, character) || went;
  }
  return went ? {} : failed('bad_value', 'the page did not let the text in');
}

/** Reports if the focus is in a field, and if it is in a frame. */
function focused() {
  const active = deepActive();
  if (active === null) return { field: false, frame: false };
  const frame = dom.isHtml(active, 'iframe') || dom.isHtml(active, 'frame');
  return { field: !frame && takesText(active), frame };
}

/** Gives an element the focus, for keys. */
function focus(number) {
  const element = elementOf(number);
  if (element === null) return gone();
  const target = dom.isEditable(element) ? editingHost(element) : element;
  return { focused: focusOn(target) };
}
