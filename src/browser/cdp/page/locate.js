// A durable locator of an element: short, made of the words that a person would use for it, and unique on the page.

/** Longest text that is used as a name. Unit: characters. Source: chosen; longer ones change more often. */
const LONGEST_NAME = 80;
/** Maximum number of containers above an element that are tried, and of texts in each. Source: chosen. */
const MAX_CONTAINERS = 4;
const MAX_CONTAINER_TEXTS = 8;
/** Largest index among similar elements that is used. Source: chosen; later ones change too easily. */
const MAX_NTH = 20;

/** Roles that say nothing about an element. */
const NO_ROLE = new Set(['generic', 'none', 'presentation', '']);
/** Roles of elements that group several things. */
const CONTAINERS = new Set([
  'alertdialog', 'article', 'cell', 'dialog', 'form', 'gridcell', 'group', 'listitem', 'navigation', 'region', 'row',
  'tabpanel', 'treeitem',
]);

/**
 * Time after which only the path down to the element is tried. Unit: milliseconds. Source: chosen; 10,000 buttons
 * take about 200.
 */
const LOCATE_MS = 400;

function locatorOf(number) {
  const element = elementOf(number);
  if (element === null) return null;
  const end = performance.now() + LOCATE_MS;
  return look(() => {
    const search = new Search();
    const isIt = (steps) => {
      const found = search.run(steps);
      return found.length === 1 && found[0] === element;
    };
    for (const steps of candidates(element, search)) {
      if (performance.now() > end) break;
      if (isIt(steps)) return steps;
    }
    for (const steps of byPath(element)) if (isIt(steps)) return steps;
    return null;
  });
}

/** Candidates for the locator, the best first. */
function* candidates(element, search) {
  const named = [...byName(element, search)];
  yield* named;
  yield* byText(element, search);
  yield* byContainer(element, search, named.filter(([step]) => step.testId === undefined));
  const selectors = [...byCss(element)];
  yield* selectors;
  yield* byPlace(element, search, [...named, ...selectors]);
}

/** Locators by the element's name: its test id, its role with its name, its label and the like. */
function* byName(element, search) {
  const testId = dom.attribute(element, 'data-testid');
  if (isName(testId, 300)) yield [{ testId }];
  const role = isFrame(element) ? 'iframe' : roleOf(element);
  const name = search.nameOf(element);
  if (!NO_ROLE.has(role) && isName(name, 300)) {
    const part = beginning(name);
    yield [{ role, name: part, exact: false }];
    if (part === name) yield [{ role, name, exact: true }];
  }
  for (const label of search.labelsOf(element)) {
    const text = search.texts.of(label);
    if (isName(text)) yield [{ label: text }];
  }
  const said = squeeze(dom.attribute(element, 'aria-label') ?? '');
  if (isName(said)) yield [{ label: said }];
  for (const attribute of ['placeholder', 'alt', 'title']) {
    const value = dom.attribute(element, attribute);
    if (isName(value)) yield [{ [attribute]: value }];
  }
  if (!NO_ROLE.has(role) && name === '') yield [{ role, exact: false }];
}

function* byText(element, search) {
  const text = search.texts.of(element);
  if (!isName(text) || isField(element)) return;
  yield [{ text }];
  yield [{ exactText: text }];
}

/** Locators inside a container that has a name, or a text that others of its role lack. */
function* byContainer(element, search, named) {
  const inner = named.length > 0 ? named : [[{ css: dom.tag(element) }]].filter(([step]) => isSelector(step.css));
  let left = MAX_CONTAINERS;
  for (let at = dom.above(element); at && left > 0; at = dom.above(at)) {
    const role = roleOf(at);
    if (!CONTAINERS.has(role)) continue;
    left -= 1;
    const name = search.nameOf(at);
    // A name that consists of the whole text of the container changes with each part of the text.
    const isGiven = isName(name)
      && !(NAMED_BY_CONTENT.has(role) && !dom.has(at, 'aria-label') && !dom.has(at, 'aria-labelledby'));
    if (isGiven) for (const steps of inner) yield [{ role, name, exact: false }, ...steps];
    for (const text of textsIn(at, element, search)) {
      const test = search.texts.test(text, false);
      if ([...search.ofRole(role)].filter(test).length > 3) continue;
      for (const steps of inner) yield [{ role, exact: false }, { hasText: text }, ...steps];
    }
  }
}

/** The first texts in a container, except those in the element itself. */
function textsIn(container, element, search) {
  const found = new Set();
  for (const inner of search.elementsIn(container).slice(0, 200)) {
    if (found.size >= MAX_CONTAINER_TEXTS) break;
    if (dom.contains(element, inner) || dom.contains(inner, element)) continue;
    const text = search.texts.of(inner);
    if (isName(text) && /\p{L}{2}|\p{N}{2}/u.test(text)) found.add(text);
  }
  for (let child = dom.first(container); child !== null && found.size < MAX_CONTAINER_TEXTS; child = dom.next(child)) {
    if (dom.type(child) !== TEXT) continue;
    const text = squeeze(dom.nodeValue(child));
    if (isName(text) && !isInSecret(container)) found.add(text);
  }
  return found;
}

/** Short selectors: an id that a person chose, a field's name, a class. */
function* byCss(element) {
  const tag = dom.tag(element);
  const id = dom.attribute(element, 'id');
  if (isWord(id) && !/\d{4}|[0-9a-f]{8}/i.test(id)) yield [{ css: `#${id}` }];
  for (const attribute of ['name', 'type', 'role', 'for']) {
    const value = dom.attribute(element, attribute);
    const css = `${tag}[${attribute}="${value}"]`;
    if (isWord(value) && isSelector(css)) yield [{ css }];
  }
  const classes = (dom.attribute(element, 'class') ?? '').split(/\s+/).filter((one) => isWord(one) && !/\d{3}/.test(one));
  if (isSelector(tag)) {
    for (const one of classes.slice(0, 3)) yield [{ css: `${tag}.${one}` }];
    if (classes.length > 1) yield [{ css: `${tag}.${classes.slice(0, 3).join('.')}` }];
    yield [{ css: tag }];
  }
  if (isWord(id)) yield [{ css: `#${id}` }];
}

/** Locators by the index among similar elements. */
function* byPlace(element, search, alike) {
  for (const steps of alike) {
    const nth = search.run(steps).indexOf(element);
    if (nth >= 0 && nth <= MAX_NTH) yield [...steps, { nth }];
  }
}

/** Locators by the path down from the nearest element with an id, or from the top of the root. */
function* byPath(element) {
  let path = '';
  for (let at = element; at; at = dom.parent(at)) {
    if (dom.type(at) !== ELEMENT) return;
    const id = dom.attribute(at, 'id');
    if (path !== '' && isWord(id) && isSelector(`#${id} > ${path}`)) yield [{ css: `#${id} > ${path}` }];
    const step = `${dom.tag(at)}:nth-of-type(${placeOfType(at)})`;
    path = path === '' ? step : `${step} > ${path}`;
    if (!isSelector(path)) return;
    yield [{ css: path }];
  }
}

function placeOfType(element) {
  const tag = dom.tag(element);
  const parent = dom.parent(element);
  let place = 0;
  for (let at = parent && dom.first(parent); at; at = dom.next(at)) {
    if (dom.type(at) === ELEMENT && dom.tag(at) === tag) place += 1;
    if (at === element) break;
  }
  return Math.max(place, 1);
}

function isName(text, most = LONGEST_NAME) {
  if (typeof text !== 'string' || text.length > most || text.search(DECEPTIVE) >= 0 || !text.isWellFormed()) return false;
  // Characters of an icon font have no meaning.
  return /[^\s\p{Co}]/u.test(text);
}

/** The first words of a long name. */
function beginning(name) {
  if (name.length <= LONGEST_NAME) return name;
  const cut = name.slice(0, LONGEST_NAME).replace(/[\ud800-\udbff]$/, '');
  return cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : cut;
}

function isWord(text) {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,60}$/.test(text);
}

/** Returns true if a selector may be kept. Source: the alphabet of `page::Locator`. */
function isSelector(css) {
  return css.length <= 300 && /^[A-Za-z0-9#.\-_[\]="'>: ()*~^$|,+]+$/.test(css);
}
