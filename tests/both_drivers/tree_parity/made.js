// Pages nobody would write, drawn from a seed, and changes of them: the same seed gives the same page.
(seed, isChange) => {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const pick = (list) => list[Math.floor(random() * list.length)];
  const list = (text) => text.trim().split(/\s+/);

  const TAGS = list(`div div div span span p a a button button input input input select textarea label label ul ol li table tr
    td th thead tbody caption h1 h3 img nav main header footer section aside form fieldset legend figure figcaption details
    summary dialog b em strong code time mark sub del br hr dl dt dd output progress meter svg blockquote q optgroup option
    datalist area x-host`);
  const ROLES = list(`button link checkbox radio tab tabpanel none presentation heading img textbox combobox listbox option row
    cell gridcell grid treeitem menuitem menu menuitemcheckbox switch slider spinbutton progressbar alert region main group
    list listitem generic status tooltip searchbox columnheader table bogus`);
  const WORDS = ['alpha', 'beta', 'gamma', 'Go', ' ', '\n', 'x  y', '\u00a0', '7', 'a: b', '- z', '"q"', 'null', 'ze\u200bro', 'é'];
  const STYLES = ['display:none', 'visibility:hidden', 'visibility:visible', 'display:contents', 'display:block', 'display:inline',
    'display:flex', 'cursor:pointer', 'cursor:pointer', 'cursor:default', 'pointer-events:none', 'pointer-events:auto',
    'width:0;height:0;overflow:hidden', 'position:absolute', 'opacity:0', 'transform:scale(0)'];
  const id = () => `i${Math.floor(random() * 14)}`;
  const bool = () => pick(['true', 'false']);
  const ATTRIBUTES = [
    () => ['role', pick(ROLES)], () => ['role', pick(ROLES)], () => ['role', `${pick(ROLES)} ${pick(ROLES)}`],
    () => ['aria-label', pick(WORDS)], () => ['aria-labelledby', `${id()} ${id()}`], () => ['aria-hidden', bool()],
    () => ['title', pick(WORDS)], () => ['alt', pick([...WORDS, ''])], () => ['placeholder', pick(WORDS)],
    () => ['value', pick(WORDS)], () => ['href', pick(['#', '/a', 'data:text/html,abc'])], () => ['tabindex', pick(['0', 'x'])],
    () => ['type', pick(list('text checkbox radio submit button reset image file number range search email date'))],
    () => ['type', pick(list('text checkbox radio submit'))], () => ['for', id()], () => ['aria-owns', `${id()} ${id()}`],
    () => [pick(list('disabled checked selected open multiple hidden required contenteditable inert')), ''],
    () => ['aria-checked', pick(['true', 'false', 'mixed'])], () => ['aria-pressed', pick(['true', 'mixed'])],
    () => ['aria-expanded', bool()], () => ['aria-selected', bool()], () => ['aria-disabled', bool()],
    () => ['aria-invalid', pick(['true', 'spelling', 'false'])], () => ['aria-level', pick(['1', '3', '300', '-1'])],
    () => ['aria-valuetext', pick(WORDS)], () => ['style', pick(STYLES)], () => ['style', pick(STYLES)],
    () => ['class', pick(['b', 'c', 'd', 'e'])], () => ['scope', pick(['row', 'col'])], () => ['list', id()], () => ['slot', 's'],
    () => ['id', id()], () => ['id', id()], () => ['id', id()],
    () => [pick(list('readonly contenteditable')), ''], () => ['aria-readonly', bool()], () => ['aria-current', pick(['page', 'false', ''])],
    () => [pick(list('name data-testid data-cy inputmode autocomplete aria-describedby aria-valuenow')), pick([...WORDS, id()])],
    () => ['class', pick(['fa fa-trash fa-lg', 'icon-star', 'bi bi-x-lg', 'star clicked', 'btn btn-icon'])],
  ];
  const VOID = new Set(list('input img br hr area'));

  const make = (depth) => {
    const tag = pick(TAGS);
    const element = tag === 'svg' ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (let left = Math.floor(random() * 3.5); left > 0; left--) element.setAttribute(...pick(ATTRIBUTES)());
    if (VOID.has(tag)) return element;
    if (tag === 'svg') {
      element.innerHTML = pick(['<title>drawn</title><path d=""/>', '<text>in a drawing</text>', '<rect width="5" height="5"/>']);
    } else if (tag === 'select') {
      for (let at = 0; at < 3; at++) element.append(new Option(pick(WORDS), at, random() < 0.3));
    } else if (tag === 'textarea') {
      element.value = pick(WORDS);
    } else {
      fill(element, depth);
      if (tag === 'x-host') fill(element.attachShadow({ mode: 'open' }), depth, document.createElement('slot'));
    }
    return element;
  };
  const fill = (parent, depth, ...also) => {
    const most = depth > 7 ? 1 : 5;
    for (let left = Math.floor(random() * most); left > 0; left--) parent.append(random() < 0.4 ? pick(WORDS) : make(depth + 1));
    parent.append(...also);
  };

  const change = () => {
    const all = [...document.body.querySelectorAll('*')];
    for (let left = 4; left > 0 && all.length > 0; left--) {
      const element = pick(all);
      const what = random();
      if (what < 0.4) element.setAttribute(...pick(ATTRIBUTES)());
      else if (what < 0.6) element.append(pick(WORDS));
      else if (what < 0.8) element.before(make(5));
      else element.remove();
    }
  };

  if (isChange) {
    change();
    return null;
  }
  document.head.innerHTML = `<style>.b::before { content: 'B\\2192' } .c::after { content: attr(title) 't'; display: block }
    .d::before { content: '' } @media screen { .e > *::after { content: url(x.png) / 'instead' } }</style>`;
  document.body.replaceChildren();
  while (document.body.childElementCount < 12) document.body.append(make(0));
  return null;
}
