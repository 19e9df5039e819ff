// Finding elements by the steps of a locator.
//
// The steps have the same meaning as in the other driver. Unless an exact match is asked for, a name, a label or
// a text is matched as a substring, without regard to case and with white space collapsed. A text is found in
// the smallest element that contains all of it. Every step searches inside the results of the previous one, open
// shadow roots included.

/** Maximum number of elements that one search looks at; later ones are not found. Source: chosen. */
const MAX_SEEN = 300_000;
/**
 * Maximum number of matches whose references are reported. Source: chosen; more than one is a mistake anyway.
 */
const MAX_TOLD = 20;

/** A suffix of selectors in other tools, which people and models write too. It keeps only visible matches. */
const SEEN_ONLY = ':visible';

/** One search. It reads each part of the page only once. */
class Search {
  #texts = null;
  #below = new Map();
  #ofRole = new Map();
  #names = new Map();
  #labels = null;

  get texts() {
    this.#texts ??= new Texts(topElement(document));
    return this.#texts;
  }

  /** The roots below a node: the node itself, the open shadow roots in it, and those in these. */
  rootsIn(scope) {
    return this.#read(scope).roots;
  }

  elementsIn(scope) {
    return this.#read(scope).elements;
  }

  #read(scope) {
    let below = this.#below.get(scope);
    if (below !== undefined) return below;
    below = { roots: [], elements: [] };
    const open = [scope];
    while (open.length > 0 && below.elements.length < MAX_SEEN) {
      const root = open.pop();
      below.roots.push(root);
      const shadows = [];
      if (dom.type(root) === ELEMENT && dom.shadow(root)) shadows.push(dom.shadow(root));
      for (const element of queryAll(root, '*')) {
        below.elements.push(element);
        const shadow = dom.shadow(element);
        if (shadow !== null) shadows.push(shadow);
      }
      open.push(...shadows.reverse());
    }
    this.#below.set(scope, below);
    return below;
  }

  nameOf(element) {
    let name = this.#names.get(element);
    if (name === undefined) {
      name = squeeze(nameOf(element));
      this.#names.set(element, name);
    }
    return name;
  }

  /**
   * The labels of a control. The browser's own list is not used, because it reads the whole page for each
   * control.
   */
  labelsOf(element) {
    if (this.#labels === null) {
      this.#labels = new Map();
      for (const label of this.elementsIn(document)) {
        const control = dom.isHtml(label, 'label') ? dom.labelOf(label) : null;
        if (control !== null) this.#labels.set(control, [...(this.#labels.get(control) ?? []), label]);
      }
    }
    return this.#labels.get(element) ?? [];
  }

  /** All elements of a role, including those hidden from assistive technology. */
  ofRole(role) {
    let found = this.#ofRole.get(role);
    if (found === undefined) {
      const isOne = role === 'iframe' ? isFrame : (element) => roleOf(element) === role;
      const css = role === 'iframe' ? 'iframe, frame' : mayHaveRole(role);
      found = new Set(this.rootsIn(document).flatMap((root) => [...queryAll(root, css)]).filter(isOne));
      this.#ofRole.set(role, found);
    }
    return found;
  }

  /** Returns the elements that the steps find, in document order. */
  run(steps) {
    let found = [document];
    for (const step of steps) found = this.#step(found, step);
    return found.filter((node) => node !== document);
  }

  #step(found, step) {
    if (step.nth !== undefined) {
      const all = this.#opened(found);
      return all.slice(step.nth, step.nth === -1 ? undefined : step.nth + 1);
    }
    if (step.hasText !== undefined) return this.#opened(found).filter(this.texts.test(step.hasText, false));
    const next = new Set();
    for (const scope of found) for (const element of this.#within(scope, step)) next.add(element);
    return [...next];
  }

  /**
   * The elements to filter: those found so far, or all of the document before the first step that finds any.
   */
  #opened(found) {
    return found.length === 1 && found[0] === document ? this.elementsIn(document) : found;
  }

  #within(scope, step) {
    if (step.css !== undefined) return this.#byCss(scope, step.css);
    if (step.role !== undefined) return this.#byRole(scope, step);
    if (step.testId !== undefined) {
      return this.#byCss(scope, '[data-testid]').filter((one) => dom.attribute(one, 'data-testid') === step.testId);
    }
    for (const attribute of ['placeholder', 'alt', 'title']) {
      const part = step[attribute]?.toLowerCase();
      if (part === undefined) continue;
      const has = (element) => dom.attribute(element, attribute).toLowerCase().includes(part);
      return this.#byCss(scope, `[${attribute}]`).filter(has);
    }
    if (step.label !== undefined) return this.elementsIn(scope).filter(this.#byLabel(step.label));
    const wanted = step.text ?? step.exactText;
    if (wanted === undefined) throw new SyntaxError('a step of a kind that is not known');
    const test = this.texts.test(wanted, step.text === undefined);
    const all = this.elementsIn(scope);
    return (scope === document ? all : [scope, ...all]).filter((element) => this.texts.isSmallest(element, test));
  }

  #byRole(scope, { role, name, exact }) {
    const isNamed = name == null ? () => true : this.#byName(name, exact === true);
    const ofRole = this.ofRole(role);
    const inScope = scope === document ? [...ofRole] : this.elementsIn(scope).filter((element) => ofRole.has(element));
    // The test for hidden elements comes last, because it costs most.
    return inScope.filter((element) => isNamed(element) && (role === 'iframe' || !isHiddenForAria(element)));
  }

  #byCss(scope, css) {
    // In a list of selectors, the suffix would belong to the last one only; the browser then refuses the list.
    if (css.endsWith(SEEN_ONLY) && !css.includes(',')) {
      const all = css.slice(0, -SEEN_ONLY.length);
      return this.#byCss(scope, /[\s>+~]$|^$/.test(all) ? `${all}*` : all).filter(isVisible);
    }
    const roots = this.rootsIn(scope);
    const found = roots.flatMap((root) => [...queryAll(root, css)]);
    const parts = roots.length > 1 ? partsOf(css) : null;
    if (parts === null) return found;
    const direct = new Set(found);
    return roots.flatMap((root) => [...queryAll(root, parts[parts.length - 1].css)])
      .filter((element) => direct.has(element) || isReached(element, parts));
  }

  #byName(wanted, exact) {
    const name = squeeze(wanted);
    if (exact) return (element) => this.nameOf(element) === name;
    return (element) => this.nameOf(element).toLowerCase().includes(name.toLowerCase());
  }

  #byLabel(wanted) {
    const text = squeeze(wanted).toLowerCase();
    const test = this.texts.test(wanted, false);
    return (element) => {
      const others = labellersOf(element);
      if (others.length > 0) return others.some(test);
      const said = squeeze(dom.attribute(element, 'aria-label') ?? '');
      if (said !== '') return said.toLowerCase().includes(text);
      return this.labelsOf(element).some(test);
    };
  }
}

/** The elements that `aria-labelledby` names. */
function labellersOf(element) {
  const ids = dom.attribute(element, 'aria-labelledby');
  const root = ids === null ? null : dom.root(element);
  if (root === null || !dom.connected(element)) return [];
  return ids.split(/\s+/).filter((id) => id !== '').map((id) => byId(root, id)).filter((other) => other !== null);
}

/**
 * A selector for all elements that may have a role: by their attribute, or by their tag, always or in some
 * cases.
 */
function mayHaveRole(role) {
  const tags = [...TAG_ROLES].filter(([, given]) => given === role).map(([tag]) => tag);
  return [...tags, ...TAG_RULES.keys(), `[role~="${role}" i]`].join(', ');
}

function isFrame(element) {
  return dom.isHtml(element, 'iframe') || dom.isHtml(element, 'frame');
}

function find(steps) {
  try {
    const found = look(() => new Search().run(steps));
    return { refs: found.slice(0, MAX_TOLD).map(numberOf), count: found.length };
  } catch (error) {
    // The browser cannot parse the selector.
    if (error instanceof DOMException || error instanceof SyntaxError) return failed('bad_arguments', String(error.message));
    throw error;
  }
}
