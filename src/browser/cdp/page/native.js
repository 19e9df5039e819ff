// Names that an element has because of its tag: labels, captions, alternative texts, placeholders.

/** Input types that can show a placeholder. */
const HINTED_INPUTS = setOf('text password number search tel email url');
const SVG = 'http://www.w3.org/2000/svg';

/** The name that an element has by its tag; null if its tag gives it none. */
function nativeText(facts, how, reading, isNamed) {
  const { element, tag } = facts;
  const attribute = (name) => facts.attribute(name) ?? '';
  if (dom.namespace(element) === SVG) return vectorText(facts, how, reading);
  switch (tag) {
    case 'input':
      return inputText(facts, how, reading, isNamed);
    case 'textarea':
    case 'select':
    case 'meter':
    case 'progress':
      return isNamed ? null : labelText(facts, reading) ?? reading.from(facts, hintText(facts));
    case 'button':
      return isNamed ? null : labelText(facts, reading);
    case 'output':
      return isNamed ? null : labelText(facts, reading) ?? reading.from(facts, attribute('title'));
    case 'fieldset':
      return isNamed ? null : captionText(facts, 'legend', how, reading) ?? reading.from(facts, attribute('title'));
    case 'figure':
      return isNamed ? null : captionText(facts, 'figcaption', how, reading) ?? reading.from(facts, attribute('title'));
    case 'img':
    case 'area':
      return reading.from(facts, attribute('alt').trim() === '' ? attribute('title') : attribute('alt'));
    case 'table': {
      const caption = captionText(facts, 'caption', how, reading);
      return caption ?? (attribute('summary') === '' ? null : reading.from(facts, attribute('summary')));
    }
    default:
      return null;
  }
}

/** The text of the labels of a control; null if it has none. */
function labelText(facts, reading) {
  const labels = labelsOf(facts);
  return labels.length === 0 ? null : reading.labels(labels);
}

/** The hint in a field without a label. */
function hintText(facts) {
  const title = facts.attribute('title') ?? '';
  const isHinted = facts.tag === 'textarea' || (facts.tag === 'input' && facts.isHtml && HINTED_INPUTS.has(typeOf(facts.element)));
  return title === '' && isHinted ? facts.attribute('placeholder') ?? '' : title;
}

function inputText(facts, how, reading, isNamed) {
  const { element, isHtml } = facts;
  if (!isHtml) return null;
  const type = typeOf(element);
  const title = facts.attribute('title') ?? '';
  const orLabel = (text) => (how.by ? null : labelText(facts, reading)) ?? reading.from(facts, text);
  switch (type) {
    case 'button':
    case 'submit':
    case 'reset': {
      const fallback = { button: title, submit: 'Submit', reset: 'Reset' }[type];
      const value = inputValue(element);
      return reading.from(facts, value.trim() === '' ? fallback : maskedValue(facts, value));
    }
    case 'file':
      return orLabel('Choose File');
    case 'image': {
      const words = [facts.attribute('alt') ?? '', title, 'Submit'];
      return orLabel(words.find((text) => text.trim() !== ''));
    }
    default:
      return isNamed ? null : labelText(facts, reading) ?? reading.from(facts, hintText(facts));
  }
}

/** The text of the child that names an element of this tag; null if there is none. */
function captionText({ element }, tag, how, reading) {
  for (let child = firstElement(element); child !== null; child = nextElement(child)) {
    if (dom.tag(child) === tag) {
      const caption = factsOf(child);
      return textOf(caption, asCaption(how, caption), reading);
    }
  }
  return null;
}

/** The title of a drawing or of a part of one. */
function vectorText(facts, how, reading) {
  const { element, tag } = facts;
  for (let child = firstElement(element); child !== null; child = nextElement(child)) {
    if (dom.tag(child) === 'title' && dom.namespace(child) === SVG) {
      const title = factsOf(child);
      return textOf(title, { ...asCaption(how, title), caption: how.caption, by: true }, reading);
    }
  }
  const title = tag === 'a' ? facts.attribute('xlink:title') ?? '' : '';
  return title.trim() === '' ? null : reading.from(facts, title);
}
