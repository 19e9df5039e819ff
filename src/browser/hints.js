/**
 * Makes the function that reads what an element's attributes say beyond its role and name.
 *
 * `hintsOf(element, role, isMute, fieldName)` returns `{ states, props, exact }`, or null if there is nothing to report. `props` is a list
 * of `[name, value]`. `exact` is the text of a field as it was written, if it has white space that a tree does not show. For a field
 * without a value in the tree, `fieldName` is the field's name. `exact` is then also the text of an editable element, line by line, and
 * a text that is equal to the name. `role` is the role in the tree. `isMute` is true if the element has neither name nor text.
 *
 * The function depends on no other script, because both drivers run it: `cdp` in its own world, playwright-cli in the page's.
 */
function makeHintsOf() {
  const MOST = 60;
  const MOST_TEXT = 100_000;
  // Maximum depth and number of elements of an editor whose formats are told.
  const MOST_DEPTH = 100;
  const MOST_FORMATTED = 5_000;
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (at) => get.call(at);
  };
  const getAttribute = Element.prototype.getAttribute;
  const namesOf = Element.prototype.getAttributeNames;
  const read = (at, name) => getAttribute.call(at, name);
  const all = Element.prototype.querySelectorAll;
  const byId = Document.prototype.getElementById;
  const tagOf = getter(Element, 'localName');
  const spaceOf = getter(Element, 'namespaceURI');
  const textOf = getter(Node, 'textContent');
  const linesOf = getter(HTMLElement, 'innerText');
  const nodesIn = getter(Node, 'childNodes');
  const kindOf = getter(Node, 'nodeType');
  const isEditableAt = getter(HTMLElement, 'isContentEditable');
  const typeOfInput = getter(HTMLInputElement, 'type');
  const areaText = getter(HTMLTextAreaElement, 'value');
  const inputText = getter(HTMLInputElement, 'value');
  const parentOf = getter(Node, 'parentElement');
  const childrenOf = getter(Element, 'children');
  const countIn = getter(Element, 'childElementCount');
  const firstIn = getter(Element, 'firstElementChild');
  const isOpenAt = getter(HTMLDetailsElement, 'open');
  const boxOf = Element.prototype.getBoundingClientRect;
  const { getTotalLength, getPointAtLength } = SVGGeometryElement.prototype;
  const toScreen = SVGGraphicsElement.prototype.getScreenCTM;
  const SVG = 'http://www.w3.org/2000/svg';
  const MOST_CORNERS = 8;
  const MOST_SHAPES = 20;
  const MOST_PARTS = 200;
  // Minimum area of a drawing that is not an icon. Unit: square CSS pixels.
  const LEAST_DRAWING = 10_000;
  const setOf = (text) => new Set(text.split(' '));
  const SHAPES = setOf('circle ellipse rect line polygon polyline path');
  const LINES = setOf('line polyline path');
  const ROUND = setOf('circle ellipse');
  const TEXT_ROLES = setOf('textbox searchbox combobox spinbutton');
  const FIELD_ROLES = setOf('textbox searchbox combobox spinbutton checkbox radio switch slider listbox');
  const RANGE_ROLES = setOf('slider spinbutton');
  const VALUE_ROLES = setOf('slider spinbutton progressbar meter scrollbar');
  const OPENING_ROLES = setOf(
    'button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio switch tab treeitem',
  );
  // Roles with a state of their own that is told in any case.
  const CHOICE_ROLES = setOf('option menuitemcheckbox menuitemradio');
  const PRESSED_ROLES = setOf('button link menuitem');
  const NAMED_TAGS = setOf('input select textarea');
  // Input types that the role already states; input types that cannot be read-only.
  const TOLD_TYPES = setOf('text search checkbox radio button submit reset image');
  const SET_TYPES = setOf('checkbox radio range color file button submit reset image hidden');
  // Input types whose white space the browser keeps as it was typed.
  const EXACT_TYPES = setOf('text search tel');
  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy'];
  // Classes for sizes, weights and effects, which icon sets put beside the class that names the icon.
  const DRESS = /^(xs|sm|md|lg|xl|2xl|\d+x?|fw|ul|li|spin|spinner|pulse|border|inverse|stack|solid|regular|light|thin|brands|duotone|fill|outlined?|rounded|sharp|icons?|font|wrapper|button|btn|link|only|small|medium|large|left|right|prefix|suffix)$/;
  const FAMILY = /^(?:fa|bi|mdi|ti|ri|gg|glyphicon|octicon|oi|lucide|feather|ion|uil|la|lni|pi|cil|codicon|ph|dashicons|typcn|zmdi|bx[sl]?|anticon|tabler)-(.+)$/;
  const NAMED = /^(?:[a-z]{1,12}-)*?icons?[-_]+(.+)$/i;
  const ENDED = /^(.+?)[-_]+icon$/i;
  // Words in classes that do not describe the purpose of an element.
  const PLAIN = /^[a-z]+(?:[-_][a-z]+)*$/i;
  const COMMON = /^(btn|button|icons?|pic|picture|image|img|svg|glyph|sprite|item|link|action|control|cell|col|row|box|wrapper|container|inner|outer|content|ng|js|is|css|ui|widget|default|primary|secondary|small|large|clearfix|float|left|right|selected|highlighted|active|current|hover(?:ed)?|focus(?:ed)?|checked|enabled|disabled|odd|even|[a-z]+-(?:group|wrapper|container|item|btn|button|icon))$/i;

  // Words in classes for an element that is on, as in `ql-active` and `tox-tbtn--enabled`, and for an icon that is on.
  const ON = /^(?:[a-z\d]+[-_]+)*(?:active|selected|current|checked|pressed|on)$|--enabled$/i;
  const FILLED = /^(?:[a-z\d]+[-_]+)*(?:filled|full)$/i;
  const MOST_SIBLINGS = 60;

  const READ = /^(?:type|inputmode|name|autocomplete|readonly|required|multiple|min|max|title|value|aria-(?:current|selected|checked|multiselectable|valuetext|valuenow|valuemin|valuemax|readonly|required|pressed|expanded|description|describedby)|data-(?:testid|test-id|test|cy))$/;

  const short = (text) => (text.length <= MOST && /^\S*$/.test(text) ? text : text.slice(0, 4 * MOST).replace(/\s+/g, ' ').trim().slice(0, MOST)).toWellFormed();
  const tokens = (at) => (read(at, 'class') ?? '').slice(0, 400).split(/\s+/);
  const file = (address) => {
    const path = address.startsWith('data:') ? '' : address.split(/[?#]/)[0];
    return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  };
  const named = (token) => {
    const found = FAMILY.exec(token) ?? NAMED.exec(token) ?? ENDED.exec(token);
    const word = found === null ? '' : found[1].replace(/^icon-/, '');
    return word !== '' && !DRESS.test(word) && !COMMON.test(word) && /[a-z]{2}/i.test(word) ? word : '';
  };

  /** Sources of an icon's name in the icon itself and in its parts, the best first. */
  const IN_PARTS = [
    (part) => (tagOf(part) === 'title' ? textOf(part).slice(0, 200).trim() : ''),
    (part) => read(part, 'data-icon'),
    (part) => tokens(part).map(named).find((word) => word !== ''),
    (part) => {
      const address = tagOf(part) === 'use' ? read(part, 'href') ?? read(part, 'xlink:href') ?? '' : '';
      const id = address.includes('#') ? address.slice(address.indexOf('#') + 1) : '';
      return named(id) || id;
    },
    (part) => (tagOf(part) === 'img' || tagOf(part) === 'input' ? file(read(part, 'src') ?? '') : ''),
    (part) => {
      const { backgroundImage, content, maskImage } = getComputedStyle(part);
      return file(/url\("?([^")]+)/.exec(`${backgroundImage} ${content} ${maskImage}`)?.[1] ?? '');
    },
  ];

  /** The text of the elements with these ids, which describe another element. Typed text is never reported. */
  const described = (ids) => {
    const others = ids.split(/\s+/, 4).map((id) => byId.call(document, id));
    return others.filter((at) => at instanceof HTMLElement && !isEditableAt(at)).map(textOf).join(' ');
  };

  /**
   * Returns true if a class says that an element is on and one of its siblings lacks such a class. An element without words may be
   * on with all its siblings, as the stars of the best rating. For an only child, the classes and siblings of its parent count too.
   */
  const isOn = (element, isMute) => {
    const says = (at) => tokens(at).some((token) => ON.test(token) || (isMute && FILLED.test(token)));
    let isSaid = false;
    for (let at = element, level = 0; level < 3; level++) {
      isSaid ||= says(at);
      const parent = parentOf(at);
      if (parent === null) return false;
      if (countIn(parent) > 1) {
        if (!isSaid) return false;
        const others = [...childrenOf(parent)].slice(0, MOST_SIBLINGS).filter((other) => other !== at && tagOf(other) === tagOf(at));
        const lacks = (other) => !says(other) && !(firstIn(other) !== null && says(firstIn(other)));
        return others.length > 0 && (isMute || others.some(lacks));
      }
      at = parent;
    }
    return false;
  };

  const FORMATS = 'h1,h2,h3,h4,h5,h6,li,b,strong,i,em';
  const BOLD = setOf('b strong');
  const ITALIC = setOf('i em');
  /** The text of a node in an editor, with marks as in Markdown; `item` is its number in a list. */
  const marked = (node, depth, item) => {
    const kind = kindOf(node);
    if (kind === Node.TEXT_NODE) return textOf(node).replace(/\s+/g, ' ');
    if (kind !== Node.ELEMENT_NODE || depth > MOST_DEPTH) return '';
    const tag = tagOf(node);
    const { display } = getComputedStyle(node);
    if (tag === 'br') return '\n';
    if (display === 'none') return '';
    let items = 0;
    const inner = [...nodesIn(node)].map((child) => marked(child, depth + 1, kindOf(child) === Node.ELEMENT_NODE && tagOf(child) === 'li' ? ++items : 0)).join('');
    const words = inner.trim();
    const mark = words === '' ? '' : BOLD.has(tag) ? '**' : ITALIC.has(tag) ? '*' : '';
    if (mark !== '') return inner.replace(words, () => `${mark}${words}${mark}`);
    if (/^h[1-6]$/.test(tag)) return `\n${'#'.repeat(tag[1])} ${words}\n`;
    if (tag === 'li') {
      const isOrdered = tagOf(parentOf(node)) === 'ol' && read(node, 'data-list') !== 'bullet';
      return `\n${isOrdered ? `${item}.` : '-'} ${words.replace(/\n+/g, '\n  ')}\n`;
    }
    return display.startsWith('inline') ? inner : `\n${inner}\n`;
  };
  /** The text of an editor line by line. If it is formatted, it has marks for headings, items of lists, bold and italic words. */
  const linesIn = (element) => {
    const isPlain = all.call(element, FORMATS).length === 0 || all.call(element, '*').length > MOST_FORMATTED;
    const lines = isPlain ? linesOf(element) : marked(element, 0, 0).replace(/\s*\n(?:[^\S\n]*\n)*/g, '\n').trim();
    return lines.replace(/\u200b|\ufeff/g, '').replace(/\n$/, '').slice(0, MOST_TEXT);
  };

  /** The word for an element in its own classes or in its id, which often names a kind of elements; '' if there is none. */
  const wordOf = (element) => {
    const isTelling = (token) => !ON.test(token) && !FILLED.test(token) && token.length > 2 && token.length < 24 && PLAIN.test(token) && !COMMON.test(token);
    const plain = tokens(element).filter(isTelling);
    if (plain.length > 0) return plain.slice(0, 2).join(' ');
    const id = read(element, 'id') ?? '';
    return isTelling(id) ? id : '';
  };

  /** The name that the page's author gave to an icon; '' if there is none. */
  const iconOf = (element, attribute) => {
    const told = [attribute('title') ?? '', attribute('aria-description') ?? '', attribute('aria-describedby') ?? ''];
    // An element that is hidden from screen readers, such as one behind a dialog, has no name in the tree.
    const label = short(read(element, 'aria-label') ?? '');
    const words = label || short(told[0]) || short(told[1]) || (told[2] !== '' && short(described(told[2])));
    if (words) return words;
    const parts = [element];
    const below = all.call(element, '*');
    for (let at = 0; at < below.length && at < 12; at++) parts.push(below[at]);
    for (const ask of IN_PARTS) {
      for (const part of parts) {
        const found = ask(part);
        if (found) return found;
      }
    }
    return '';
  };

  const hex = (colour) => {
    const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(colour);
    if (found === null || found[4] === '0') return '';
    return `#${found.slice(1, 4).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
  };
  /** The shape that an SVG element draws, with its number of corners if it has corners; null if it draws none, or one with many. */
  const shapeOf = (element) => {
    const tag = tagOf(element);
    if (!SHAPES.has(tag)) return null;
    const numbers = /^poly/.test(tag) ? (read(element, 'points') ?? '').match(/-?[\d.]+/g)?.length ?? 0 : 0;
    const corners = tag === 'path' ? (read(element, 'd') ?? '').match(/[mlhvcsqta]/gi)?.length ?? 0 : numbers / 2;
    if (corners > MOST_CORNERS) return null;
    return corners > 0 ? `${tag} of ${Math.floor(corners)} corners` : tag;
  };
  const placeOf = (element) => {
    const { left, top, width, height } = boxOf.call(element);
    const [x, y, wide, high] = [left + scrollX, top + scrollY, width, height].map(Math.round);
    return `${wide}x${high} top left ${x},${y}`;
  };
  /**
   * A length with at most one decimal. A drawing's own parts are told more exactly than boxes, because tasks measure them. The
   * browser measures from the window in 32-bit floats, so a length such as 60.05 is a little more or less than that, depending on
   * how far the page is scrolled; the addend makes both the same.
   */
  const exactly = (length) => Math.round(length * 10 + 0.02) / 10;
  /** The ends of a line that encloses no area, as places in the document; null if the line has no length. */
  const endsOf = (line) => {
    try {
      const [length, matrix] = [getTotalLength.call(line), toScreen.call(line)];
      if (!(length > 0) || matrix === null) return null;
      const ends = [0, length].map((at) => {
        const { x, y } = getPointAtLength.call(line, at).matrixTransform(matrix);
        return `${exactly(x + scrollX)},${exactly(y + scrollY)}`;
      });
      return `from ${ends.join(' to ')}`;
    } catch {
      return null;
    }
  };
  /** The size and the place of a shape in a drawing: the ends of a line, the centre of a circle, the corner of any other shape. */
  const shapePlaceOf = (element, isOpen) => {
    const ends = isOpen ? endsOf(element) : null;
    if (ends !== null) return ends;
    const { left, top, width, height } = boxOf.call(element);
    const [x, y, wide, high] = [left + scrollX, top + scrollY, width, height];
    const size = `${exactly(wide)}x${exactly(high)}`;
    if (ROUND.has(tagOf(element))) return `${size} centre ${exactly(x + wide / 2)},${exactly(y + high / 2)}`;
    return `${size} top left ${exactly(x)},${exactly(y)}`;
  };
  /** What a person sees of an element that no words describe: its shape, its colour, its size and its place in the document, in pixels. */
  const lookOf = (element) => {
    const { width, height } = boxOf.call(element);
    const { fill, stroke, backgroundColor } = getComputedStyle(element);
    const isDrawn = spaceOf(element) === SVG;
    // The box of a straight line has no width or no height.
    const isFlat = width < 1 || height < 1;
    const isLine = isDrawn && LINES.has(tagOf(element)) && hex(stroke) !== '';
    if (isFlat && (!isLine || (width < 1 && height < 1))) return '';
    if (!isDrawn) return [hex(backgroundColor), placeOf(element)].filter((word) => word !== '').join(' ');
    const isOpen = isLine && (isFlat || tagOf(element) === 'line' || hex(fill) === '');
    const [inner, line] = [isOpen ? '' : hex(fill), hex(stroke)];
    const edge = inner !== '' && line !== '' && line !== inner ? `outline ${line}` : '';
    const words = [shapeOf(element) ?? '', inner || line, edge, shapePlaceOf(element, isOpen)];
    return words.filter((word) => word !== '').join(' ');
  };
  /**
   * The shapes in an SVG drawing that do not react to the pointer, and so have no look of their own; only its size and place if they are
   * many or complex. '' for an icon.
   */
  const drawnIn = (element) => {
    const { width, height } = boxOf.call(element);
    if (tagOf(element) !== 'svg' || width * height < LEAST_DRAWING) return '';
    const looks = [];
    const parts = all.call(element, '*');
    if (parts.length > MOST_PARTS) return `drawing ${placeOf(element)}`;
    for (const part of parts) {
      if (!SHAPES.has(tagOf(part))) continue;
      const { cursor, visibility, opacity } = getComputedStyle(part);
      if (cursor === 'pointer' || visibility !== 'visible' || opacity === '0') continue;
      const look = lookOf(part);
      if (look === '') continue;
      if (shapeOf(part) === null || looks.length === MOST_SHAPES) return `drawing ${placeOf(element)}`;
      looks.push(look);
    }
    return looks.length === 0 ? '' : `${placeOf(element)}: ${looks.join('; ')}`;
  };

  return (element, role, isMute, fieldName = null) => {
    // Most elements have none of these attributes, and reading all of them for each element takes longer than the rest.
    const own = new Map();
    for (const name of namesOf.call(element)) if (READ.test(name)) own.set(name, read(element, name));
    const attribute = (name) => own.get(name) ?? null;
    const isHtml = spaceOf(element) === 'http://www.w3.org/1999/xhtml';
    const tag = isHtml ? tagOf(element) : '';
    const isBox = tag === 'textarea' || tag === 'input';
    const said = attribute('aria-pressed') ?? attribute('aria-selected') ?? attribute('aria-checked');
    const hasOwnState = FIELD_ROLES.has(role) || VALUE_ROLES.has(role) || CHOICE_ROLES.has(role);
    const isActive = !hasOwnState && (said === null ? isOn(element, isMute) : said === 'true');
    if (own.size === 0 && !isActive && !isMute && !isBox && tag !== 'summary' && !(isHtml && isEditableAt(element))) return null;
    const states = {};
    const props = [];
    let hasStates = false;
    const is = (state, value) => {
      states[state] = value;
      hasStates = true;
    };
    const tell = (name, value) => {
      if (!value) return;
      const told = short(value);
      if (told !== '') props.push([name, told]);
    };
    if (isActive && role === 'button') is('pressed', 'true');
    else if (isActive) is('selected', true);
    const isEditable = isHtml && isEditableAt(element);
    const isText = TEXT_ROLES.has(role);
    const isField = FIELD_ROLES.has(role);
    const type = tag === 'input' ? typeOfInput(element) : '';
    if (type !== '' && !TOLD_TYPES.has(type)) tell('type', type);
    if (isText || isEditable) tell('inputmode', attribute('inputmode'));
    if (NAMED_TAGS.has(tag)) tell('name', attribute('name'));
    const completes = isField ? attribute('autocomplete') ?? '' : '';
    if (completes !== '' && !/^\s*(on|off)\s*$/i.test(completes)) tell('autocomplete', completes);
    for (const name of TEST_IDS) {
      const id = attribute(name);
      if (id) {
        tell('testid', id);
        break;
      }
    }
    const title = attribute('title') ?? '';
    if (title.trim() !== '' && PRESSED_ROLES.has(role)) {
      // Without other words, the title is the name.
      const said = (read(element, 'aria-label') ?? '') || textOf(element).slice(0, 4 * MOST).trim();
      const isNamed = said !== '' || all.call(element, '[alt]').length > 0;
      if (isNamed && said !== title.trim()) tell('title', title);
    }
    const current = attribute('aria-current');
    if (current !== 'false') tell('current', current);
    // The content of a field for a secret is never reported.
    if (VALUE_ROLES.has(role) && type === '' && attribute('autocomplete') === null) {
      const native = tag === 'progress' || tag === 'meter' ? attribute('value') : null;
      tell('valuetext', attribute('aria-valuetext') ?? attribute('aria-valuenow') ?? native);
    }
    if (RANGE_ROLES.has(role)) {
      // A slider without limits goes from 0 to 100; a number field without limits has none.
      const [least, most] = type === 'range' ? ['0', '100'] : [null, null];
      const from = attribute('min') ?? attribute('aria-valuemin') ?? least;
      const to = attribute('max') ?? attribute('aria-valuemax') ?? most;
      if (from !== null && to !== null) tell('range', `${from} to ${to}`);
    }
    if (isEditable && !isText) tell('editable', 'true');
    if (isField) {
      if ((NAMED_TAGS.has(tag) && attribute('required') !== null) || attribute('aria-required') === 'true') is('required', true);
      const isWritten = tag === 'textarea' || (tag === 'input' && !SET_TYPES.has(type));
      if ((isWritten && attribute('readonly') !== null) || attribute('aria-readonly') === 'true') is('readonly', true);
    }
    const isMultiple = (tag === 'select' && attribute('multiple') !== null) || attribute('aria-multiselectable') === 'true';
    if (role === 'listbox' && isMultiple) tell('multiple', 'true');
    if (role === 'button' && attribute('aria-pressed') === 'false') is('pressed', 'false');
    if (OPENING_ROLES.has(role) && attribute('aria-expanded') === 'false') is('expanded', false);
    const around = tag === 'summary' ? parentOf(element) : null;
    // An element of another namespace may also be called `details`, but has no such state.
    const isDetails = around !== null && tagOf(around) === 'details' && spaceOf(around) === spaceOf(element);
    if (isDetails) is('expanded', isOpenAt(around));
    if (isMute && !isText) {
      const icon = iconOf(element, attribute);
      const isPicture = role === 'img';
      tell('icon', icon || wordOf(element));
      const look = isPicture ? drawnIn(element) : icon === '' && !isField ? lookOf(element) : '';
      if (look !== '') props.push(['look', look]);
    }
    const text = tag === 'textarea' ? areaText(element) : EXACT_TYPES.has(type) ? inputText(element) : '';
    const isExact = text.length <= MOST_TEXT && /\s\s|[^\S ]|^\s|\s$/.test(text);
    const isInput = tag === 'input' && !SET_TYPES.has(type) && type !== 'password';
    // The text of an editor inside another one is also text of that one.
    const outer = isEditable ? parentOf(element) : null;
    const isInner = outer instanceof HTMLElement && isEditableAt(outer);
    const isWriting = isEditable && !isInner && !NAMED_TAGS.has(tag);
    const writtenIn = () => {
      if (isWriting) return linesIn(element);
      return isInput ? inputText(element) : NAMED_TAGS.has(tag) ? '' : textOf(element).slice(0, MOST_TEXT);
    };
    const written = text !== '' || !isText || fieldName === null ? text : writtenIn();
    const words = fieldName === null ? '' : written.replace(/\s+/g, ' ').trim();
    const isShown = words !== '' && written.length <= MOST_TEXT && (isWriting || words === fieldName);
    const exact = isExact || isShown ? written.toWellFormed() : null;
    return exact !== null || hasStates || props.length > 0 ? { states, props, exact } : null;
  };
}

/**
 * Makes the function that returns the whole address of a link on a page that sets the base of its addresses with `<base>`; null for
 * any other element, and on any other page, where the address of the page is the base.
 *
 * The function depends on no other script, because both drivers run it.
 */
function makeResolve() {
  const getAttribute = Element.prototype.getAttribute;
  const read = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(document);
  const bare = (address) => address.split('#')[0];
  const [here, base] = [read(Document, 'URL'), read(Node, 'baseURI')];
  // A document without an address of its own has the base of the document that created it.
  const isSet = !here.startsWith('about:') && bare(here) !== bare(base);
  return (element) => {
    const address = isSet ? getAttribute.call(element, 'href') : null;
    if (address === null) return null;
    try {
      return `${new URL(address, base).href}`;
    } catch {
      return null;
    }
  };
}
