// Inserting text into the focused field, with the events that the page would get from a keyboard.
//
// `execCommand` makes trusted `input` events, keeps the undo history, and lets `change` follow when the field loses the
// focus. It makes no `beforeinput`, which rich text editors depend on, so one is sent before. All of it is one task:
// between the check of the focus and the text, no code of the page runs except the handlers of these two events.

/** Maximum number of lines that are left to `execCommand`. Source: measured; 250 lines take 0.3 s, 2000 take 5 s. */
const MAX_LINES = 60;

const newEvent = method(Document.prototype, 'createEvent');
const execute = method(Document.prototype, 'execCommand');
const focusSvg = method(SVGElement.prototype, 'focus');

/** Gives an element the focus. Returns true if the page let it have the focus. */
function focusOn(element) {
  if (dom.isHtml(element)) dom.focus(element);
  else if (dom.namespace(element) === 'http://www.w3.org/2000/svg') focusSvg(element);
  return deepActive() === element;
}

/** The element that has the focus, also inside open shadow roots; the iframe if the focus is in one. */
function deepActive() {
  let active = dom.active(document);
  for (let shadow = active && dom.shadow(active); shadow; shadow = dom.shadow(active)) {
    const inner = dom.active(shadow);
    if (inner === null) break;
    active = inner;
  }
  return active;
}

/** Returns true if text typed now goes into this field and nowhere else. */
function holdsFocus(field) {
  const active = deepActive();
  if (active === field) return true;
  // In nested editable elements, the outermost one has the focus.
  return active !== null && dom.isEditable(field) && dom.isEditable(active) && isWithin(field, active);
}

function isWithin(element, outer) {
  for (let at = element; at; at = dom.above(at)) if (at === outer) return true;
  return false;
}

/** The outermost element that is edited together with this one. */
function editingHost(element) {
  let host = element;
  for (let at = dom.above(element); at && dom.isEditable(at); at = dom.above(at)) host = at;
  return host;
}

/** Returns true if this is a field that takes plain text: a text input, a text area, or an editable element. */
function takesText(element) {
  if (dom.isHtml(element, 'input')) return TEXT_TYPES.has(element.type);
  return dom.isHtml(element, 'textarea') || dom.isEditable(element);
}

function isTextControl(element) {
  return dom.isHtml(element, 'input') || dom.isHtml(element, 'textarea');
}

/** Returns the content of a field. */
function contentOf(field) {
  return isTextControl(field) ? field.value : dom.shownText(field);
}

/** Selects the whole content of a focused field. */
function selectAll(field) {
  if (isTextControl(field)) field.select();
  else getSelection().setBaseAndExtent(field, 0, field, dom.children(field).length);
}

/**
 * Replaces the selected text by a text, or removes it for an empty text. The caller has checked the focus. Returns true if
 * the page got an input event, false if it did not, and null if the page handles the input itself.
 */
function insert(field, text) {
  for (const announcement of announcements(field, text)) {
    if (!dom.send(isTextControl(field) ? field : editingHost(field), announcement)) return null;
    if (!holdsFocus(field)) return false;
  }
  let told = false;
  const listener = (event) => { told ||= event.isTrusted; };
  addEventListener('input', listener, true);
  try {
    if (text === '') execute(document, 'delete');
    else if (lines(text) <= MAX_LINES || dom.isHtml(field, 'input')) execute(document, 'insertText', false, text);
    else if (isTextControl(field)) insertLong(field, text);
    else execute(document, 'insertHTML', false, asParagraphs(text));
  } finally {
    removeEventListener('input', listener, true);
  }
  return told;
}

/**
 * Yields the events that a keyboard sends before a text. Each can be refused by an editor, which then handles the text
 * itself.
 */
function* announcements(field, text) {
  const way = { bubbles: true, cancelable: true, composed: true };
  const isRich = !isTextControl(field);
  if (text === '') {
    if (isRich) yield new KeyboardEvent('keydown', { ...way, key: 'Backspace', code: 'Backspace', keyCode: 8, which: 8 });
    yield new InputEvent('beforeinput', { ...way, inputType: 'deleteContentBackward', targetRanges: targets(field) });
    return;
  }
  yield new InputEvent('beforeinput', { ...way, inputType: 'insertText', data: text, targetRanges: targets(field) });
  if (!isRich) return;
  // `textInput` is older than `beforeinput`, and React makes its own event of that name from it.
  const event = newEvent(document, 'TextEvent');
  event.initTextEvent('textInput', true, true, window, text);
  yield event;
}

function targets(field) {
  const selection = isTextControl(field) ? null : getSelection();
  return selection && selection.rangeCount > 0 ? [new StaticRange(selection.getRangeAt(0))] : [];
}

function lines(text) {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Sets all but the last character and types the last one, so that the page gets the events of typing. */
function insertLong(field, text) {
  const last = /[\ud800-\udbff][\udc00-\udfff]$/.test(text) ? 2 : 1;
  const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? field.value.length];
  field.setRangeText(text.slice(0, -last), start, end, 'end');
  execute(document, 'insertText', false, text.slice(-last));
}

/** The HTML that typing these lines would make: the first line as it is, every other one in a `div`. */
function asParagraphs(text) {
  const escaped = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/^ | (?= |$)/gm, '\u00a0');
  return escaped.split('\n').map((line, index) => (index === 0 ? line : `<div>${line || '<br>'}</div>`)).join('');
}
