// Selectors that match across the border of an open shadow root, which the browser's own selectors cannot do.

/**
 * The simple parts of a selector, each with the combinator before it; null if it has others than descendant and child.
 */
function partsOf(css) {
  const parts = [];
  let [part, joint, depth, quote] = ['', ' ', 0, ''];
  const end = () => {
    if (part !== '') parts.push({ joint, css: part });
    part = '';
  };
  for (const sign of css.trim()) {
    const isPlain = depth === 0 && quote === '';
    if (isPlain && ',+~|'.includes(sign)) return null;
    if (isPlain && (sign === '>' || /\s/.test(sign))) {
      if (part !== '') {
        end();
        joint = ' ';
      }
      if (sign === '>') joint = '>';
      continue;
    }
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if ('(['.includes(sign)) depth += 1;
    else if (')]'.includes(sign)) depth -= 1;
    part += sign;
  }
  end();
  return parts.length > 1 ? parts : null;
}

/**
 * Returns true if an element and its ancestors match the parts. A shadow host counts as the parent of its shadow root.
 */
function isReached(element, parts) {
  const way = [];
  for (let at = element; at; at = dom.above(at)) way.push(at);
  way.reverse();
  let before = way.map((node) => dom.matches(node, parts[0].css));
  for (const { css, joint } of parts.slice(1)) {
    let any = false;
    const now = [];
    for (let place = 0; place < way.length; place += 1) {
      now.push((joint === '>' ? place > 0 && before[place - 1] : any) && dom.matches(way[place], css));
      any ||= before[place];
    }
    before = now;
  }
  return before[before.length - 1];
}
