// A witness in the page, put there before its first script: knows what reacts, without any help of ours.
//
// It notes who listens, numbers the elements in document order (also in frames and shadow trees), and records what one real
// input changes: DOM, values, scrolling, requests, dialogs and prevented defaults.
(() => {
  const root = (() => {
    try {
      return window.top.document ? window.top : window;
    } catch {
      return window;
    }
  })();
  const seen = root === window ? { log: null, listens: new WeakMap(), numbers: new WeakMap(), all: [], shadows: new WeakMap() } : root.witness;
  if (seen === undefined || window.witness !== undefined) return;
  window.witness = seen;

  // The same page at each load.
  let state = 12345;
  Math.random = () => (state = (state * 16807) % 2147483647) / 2147483647;

  const KINDS = /^(click|dblclick|auxclick|contextmenu|mouse(down|up|over|enter|move)|pointer(down|up|over|enter|move)|touchstart|key(down|press|up)|drag|dragstart|drop|input|change|wheel)$/;
  const numberOf = (node) => {
    for (let at = node; at !== null && at !== undefined; at = at.parentNode ?? at.host) {
      const number = seen.numbers.get(at);
      if (number !== undefined) return number;
    }
    return 'page';
  };
  const record = (what) => {
    if (seen.log !== null) seen.log.add(what.toWellFormed());
  };
  const note = (at, kind) => {
    if (!KINDS.test(kind)) return;
    if (!seen.listens.has(at)) seen.listens.set(at, new Set());
    seen.listens.get(at).add(kind);
  };
  const patch = (owner, name, around) => {
    const real = owner[name];
    owner[name] = around(real);
  };
  patch(EventTarget.prototype, 'addEventListener', (real) => function (kind, does, how) {
    if (does) note(this ?? window, String(kind));
    // A question on leaving would hold up the next load.
    if (String(kind) === 'beforeunload') return;
    return real.call(this, kind, does, how);
  });
  for (const prototype of [HTMLElement.prototype, SVGElement.prototype, Document.prototype]) {
    for (const name of Object.getOwnPropertyNames(prototype).filter((name) => name.startsWith('on'))) {
      const own = Object.getOwnPropertyDescriptor(prototype, name);
      if (!own?.set) continue;
      Object.defineProperty(prototype, name, { ...own, set(value) {
        if (value) note(this, name.slice(2));
        own.set.call(this, value);
      } });
    }
  }
  const prevent = Event.prototype.preventDefault;
  patch(Event.prototype, 'preventDefault', (real) => function () {
    record(`stops ${this.type} at ${numberOf(this.currentTarget)}`);
    return real.call(this);
  });
  patch(Element.prototype, 'attachShadow', (real) => function (how) {
    const shadow = real.call(this, how);
    seen.shadows.set(this, shadow);
    watch(shadow);
    return shadow;
  });
  patch(window, 'fetch', () => (what) => {
    record(`asks for ${what?.url ?? what}`);
    return new Promise(() => {});
  });
  patch(XMLHttpRequest.prototype, 'send', (real) => function (body) {
    record('asks for something');
    return real.call(this, body);
  });
  patch(Navigator.prototype, 'sendBeacon', () => (what) => (record(`asks for ${what}`), true));
  // Nothing can prevent a step in the history, and a page that was left answers no question.
  for (const name of ['back', 'forward', 'go']) patch(History.prototype, name, () => () => record(`goes ${name} in the history`));
  patch(window, 'close', () => () => record('closes the window'));
  patch(window, 'open', () => (what) => (record(`opens ${what}`), null));
  for (const [name, answer] of [['alert', undefined], ['confirm', true], ['prompt', '']]) {
    window[name] = (text) => (record(`${name} ${text}`), answer);
  }
  window.navigation?.addEventListener('navigate', (event) => {
    if (seen.log === null) return;
    record(`goes to ${event.destination.url}`);
    if (event.cancelable) prevent.call(event);
  });
  for (const kind of ['input', 'change', 'scroll', 'toggle']) {
    window.addEventListener(kind, (event) => record(`${kind} at ${numberOf(event.target)}`), true);
  }
  window.addEventListener('click', (event) => {
    const asks = event.composedPath().find((at) => at instanceof HTMLInputElement && /^(file|color|date|time|month|week|datetime-local)$/.test(at.type));
    if (asks) record(`asks for a ${asks.type} at ${numberOf(asks)}`);
  });

  const told = (changes) => {
    for (const { type, target, attributeName, oldValue } of changes) {
      // What is written again as it was is no change.
      if (attributeName && target.getAttribute(attributeName) === oldValue) continue;
      const value = attributeName ? `${attributeName}=${target.getAttribute(attributeName)}` : (target.textContent ?? '').slice(0, 200);
      // MiniWoB++ notes on each thing that it was pressed, whatever it is.
      if (attributeName !== 'data-tampered' && target.id !== 'click-canvas') record(`${type} at ${numberOf(target)} ${value}`);
    }
  };
  const watcher = new MutationObserver(told);
  const watch = (where) => watcher.observe(where, { subtree: true, childList: true, attributeOldValue: true, characterData: true });
  watch(document);
  // A clock is no answer.
  patch(window, 'setInterval', (real) => (does, ...rest) => real(typeof does !== 'function' ? does : (...given) => {
    told(watcher.takeRecords());
    does(...given);
    watcher.takeRecords();
  }, ...rest));
  if (root !== window) return;

  const shadowOf = (at) => seen.shadows.get(at) ?? at.shadowRoot;
  const documentIn = (at) => {
    try {
      return at.localName === 'iframe' ? at.contentDocument : null;
    } catch {
      return null;
    }
  };
  const parentOf = (at) => at.parentElement ?? at.getRootNode().host ?? at.ownerDocument.defaultView?.frameElement ?? null;
  const holds = (one, other) => {
    for (let at = other; at !== null; at = parentOf(at)) if (at === one) return true;
    return false;
  };
  const walk = function* (where) {
    for (const at of where.children) {
      yield at;
      const shadow = shadowOf(at);
      if (shadow) yield* walk(shadow);
      yield* walk(at);
      const inner = documentIn(at);
      if (inner) yield* walk(inner);
    }
  };
  const offsetOf = (at) => {
    let [x, y] = [0, 0];
    for (let frame = at.ownerDocument.defaultView?.frameElement; frame; frame = frame.ownerDocument.defaultView.frameElement) {
      const box = frame.getBoundingClientRect();
      x += box.x + frame.clientLeft;
      y += box.y + frame.clientTop;
    }
    return [x, y];
  };
  const centre = (at) => {
    const box = at.getBoundingClientRect();
    if (at.localName === 'area') {
      const map = at.closest('map');
      const image = document.querySelector(`img[usemap="#${map?.name}"]`);
      const [a, b, c, d] = at.coords.split(',').map(Number);
      if (!image) return null;
      const on = image.getBoundingClientRect();
      return at.shape === 'circle' ? [on.x + a, on.y + b] : [on.x + (a + c) / 2, on.y + (b + d) / 2];
    }
    const [x, y] = offsetOf(at);
    // A link over two lines has a middle of its own in each.
    const first = at.getClientRects()[0];
    const use = first && at.getClientRects().length > 1 && getComputedStyle(at).display === 'inline' ? first : box;
    return use.width < 3 || use.height < 3 ? null : [x + use.x + use.width / 2, y + use.y + use.height / 2];
  };
  const hit = ([x, y]) => {
    let [at, where] = [null, document];
    while (where) {
      const next = where.elementFromPoint(x, y);
      if (!next || next === at) break;
      at = next;
      const inner = documentIn(at);
      if (inner) {
        const box = at.getBoundingClientRect();
        x -= box.x + at.clientLeft;
        y -= box.y + at.clientTop;
      }
      where = inner ?? shadowOf(at);
    }
    return at;
  };
  const isShown = (at) => at.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const intoView = (at) => {
    const point = centre(at);
    if (point && (point[0] < 0 || point[1] < 0 || point[0] >= innerWidth || point[1] >= innerHeight || !holds(at, hit(point)))) {
      at.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    }
  };
  // The event of a scroll comes with the next frame; our own must not be taken for an answer. A page that is not drawn has no frames.
  const frame = window.requestAnimationFrame.bind(window);
  const scrolled = () => new Promise((done) => {
    frame(done);
    setTimeout(done, 100);
  });
  const NATIVE = 'a[href],area[href],button,input,select,textarea,summary,label,[contenteditable]:not([contenteditable="false"]),[tabindex]:not([tabindex="-1"]),[draggable="true"],[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=radio],[role=switch],[role=treeitem],[role=slider],video[controls],audio[controls]';
  const PRESSES = ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'dragstart', 'drop', 'contextmenu', 'keydown', 'mouseenter', 'mouseover'];
  const presses = (at) => PRESSES.some((kind) => seen.listens.get(at)?.has(kind) || at.hasAttribute?.(`on${kind}`));
  const words = (at) => {
    // The value of a box is never shown. A person knows a box without a label by the words of its row.
    const isBox = at.matches('input[type=checkbox],input[type=radio]');
    const text = [at.innerText, at.getAttribute('aria-label'), at.getAttribute('title'), at.getAttribute('alt'), at.getAttribute('placeholder'), isBox ? '' : at.value, at.labels?.[0]?.innerText];
    const says = (words) => typeof words === 'string' && words.trim() !== '';
    let row = isBox ? parentOf(at) : null;
    while (row && !says(row.innerText)) row = parentOf(row);
    const own = text.find(says) ?? row?.innerText ?? '';
    return own.replace(/\s+/g, ' ').trim().slice(0, 60).toWellFormed();
  };
  const values = () => {
    const out = new Map();
    for (const at of walk(document)) {
      const value = 'value' in at && typeof at.value !== 'object' ? `${at.value} ${at.checked ?? ''}` : '';
      out.set(at, `${value} ${at.scrollTop} ${at.scrollLeft}`);
    }
    return out;
  };

  Object.assign(seen, {
    /** Numbers everything; to be called at the same moment of each load. */
    number() {
      seen.all = [...walk(document)];
      seen.all.forEach((at, number) => seen.numbers.set(at, number));
      return seen.all.length;
    },
    /**
     * What may react: by evidence of its own, or because what holds it waits for clicks. It is followed by what may be one thing
     * with it: the rows or items that it is a part of, if something around them listens, and the field of a label.
     */
    candidates() {
      const out = [];
      const isMet = (at) => {
        intoView(at);
        const point = centre(at);
        const met = point && hit(point);
        return met && (holds(at, met) || (at.localName === 'area' && met.useMap));
      };
      for (const at of seen.all) {
        const hand = getComputedStyle(at).cursor === 'pointer' && (parentOf(at) === null || getComputedStyle(parentOf(at)).cursor !== 'pointer');
        let own = at.matches(NATIVE) || presses(at) || hand;
        if (at.matches('html,body,option,script,style,iframe')) continue;
        const rows = at.control ? [at.control] : [];
        if (!own) {
          const isLeaf = [...at.children].every((child) => child.matches('svg,img,br,b,i,em,strong')) && !shadowOf(at);
          let above = parentOf(at);
          while (isLeaf && above && !presses(above)) {
            rows.push(above);
            above = parentOf(above);
          }
          own = isLeaf && above !== null && !above.matches('html,body');
        }
        if (!own || (at.localName !== 'area' && !isShown(at)) || at.disabled || !isMet(at)) continue;
        out.push([at, ...rows.filter((row) => isShown(row) && isMet(row))].map((each) => seen.numbers.get(each)));
      }
      scrollTo(0, 0);
      return out;
    },
    /** Where to press; from now on everything is recorded. Without a number: where nothing is. */
    aim(number) {
      if (number === null) {
        seen.before = values();
        seen.log = new Set();
        return [innerWidth - 3, innerHeight - 3];
      }
      const at = seen.all[number];
      if (!at) return null;
      intoView(at);
      const point = centre(at);
      return scrolled().then(() => new Promise((done) => setTimeout(() => {
        told(watcher.takeRecords());
        seen.before = values();
        seen.log = new Set();
        done(point);
      }, 0)));
    },
    /** What was recorded so far. */
    told() {
      return new Promise((done) => setTimeout(() => {
        told(watcher.takeRecords());
        const log = new Set(seen.log ?? []);
        for (const [at, value] of values()) {
          if (seen.before.has(at) && seen.before.get(at) !== value) log.add(`value at ${numberOf(at)}`);
        }
        done([...log].sort());
      }, 15));
    },
    /** Gives it the focus; what has the focus then. */
    focus(number) {
      seen.all[number]?.focus?.();
      let at = document.activeElement;
      for (let inner = at; inner; inner = shadowOf(at)?.activeElement ?? documentIn(at)?.activeElement) at = inner;
      return seen.numbers.get(at) ?? null;
    },
    /** Whether it may be dragged. */
    drags(number) {
      const at = seen.all[number];
      const kinds = ['mousedown', 'pointerdown', 'dragstart', 'touchstart', 'drop', 'dragover'];
      for (let up = at; up; up = parentOf(up)) if (kinds.some((kind) => seen.listens.get(up)?.has(kind))) return true;
      return at?.draggable === true;
    },
    /** Which element a reference means, and what a click on it meets. */
    reach(at) {
      const number = seen.numbers.get(at);
      if (number === undefined) return null;
      intoView(at);
      const point = centre(at);
      const met = point && hit(point);
      return [number, met ? seen.numbers.get(met) ?? -1 : -1];
    },
    /**
     * The reacting things, each with what it is called and whether one of the reaches `[element, met, reference]` gets there. A probe is
     * `[number, told, keyed]`; `keyed` is what had the focus if only keys were answered.
     */
    judge(probes, reaches) {
      const keyed = new Map(probes.map(([number, , keyed]) => [number, keyed]));
      const signs = new Map(probes.map(([number, told]) => [number, told.join('\n')]));
      // A drawing that answers anywhere with the point that was pressed is one thing; its lines and dots are none of their own.
      for (const number of signs.keys()) {
        const drawing = seen.all[number].ownerSVGElement;
        const whole = drawing && !presses(seen.all[number]) ? signs.get(seen.numbers.get(drawing)) : undefined;
        const plain = (sign) => [...new Set(sign.replace(/\d+(\.\d+)?/g, '#').split('\n'))].sort().join('\n');
        if (whole !== undefined && plain(whole) === plain(signs.get(number))) signs.set(number, whole);
      }
      const things = new Map();
      const top = (number) => {
        for (let [at, best] = [parentOf(seen.all[number]), number]; ; at = parentOf(at)) {
          if (!at) return best;
          const other = seen.numbers.get(at);
          if (signs.has(other) && signs.get(other) === signs.get(number)) best = other;
        }
      };
      for (const number of signs.keys()) {
        let owner = top(number);
        // A label and its field are one thing, where they do the same, and where a press on the label did nothing but give the field the
        // focus: it is the field that answered the keys. It answers others after a press on itself, which moves its caret or opens its list.
        const field = seen.numbers.get(seen.all[number].control);
        if (field !== undefined && (signs.get(field) === signs.get(number) || keyed.get(number) === field)) owner = top(field);
        if (!things.has(owner)) things.set(owner, new Set([owner]));
        things.get(owner).add(number);
      }
      const has = (one, other) => holds(seen.all[one], seen.all[other]);
      return [...things].map(([owner, members]) => {
        const others = [...things.keys()].filter((other) => other !== owner);
        const by = reaches.filter(([element, met]) => {
          if (met < 0 || ![...members].some((member) => has(member, met) || seen.all[member].localName === 'area' && member === element)) return false;
          const inside = others.filter((other) => element !== other && has(element, other));
          if (inside.length === 0) return true;
          // What is pressed is one of many of its sort: the reference is that of what holds them all.
          let child = met;
          while (child !== element && seen.numbers.get(parentOf(seen.all[child])) !== element) child = seen.numbers.get(parentOf(seen.all[child])) ?? element;
          return child === element || !inside.some((other) => {
            let at = other;
            while (seen.numbers.get(parentOf(seen.all[at])) !== element) at = seen.numbers.get(parentOf(seen.all[at]));
            return at !== child && seen.all[at].localName === seen.all[child].localName;
          });
        });
        const at = seen.all[owner];
        return { html: at.outerHTML.replace(/\s+/g, ' ').slice(0, 140).toWellFormed(), words: words(at), told: (signs.get(owner) ?? signs.get([...members][1])).slice(0, 100).toWellFormed(), by: by.map(([, , reference]) => reference) };
      });
    },
    /** The visible texts. */
    texts() {
      const out = [];
      const read = (where) => {
        const nodes = (where.ownerDocument ?? where).createTreeWalker(where, NodeFilter.SHOW_TEXT);
        while (nodes.nextNode()) {
          const text = nodes.currentNode;
          const at = text.parentElement ?? where.host;
          if (!at || at.matches?.('script,style,noscript,option,optgroup,textarea,title') || !isShown(at) || !text.data.trim()) continue;
          const range = text.ownerDocument.createRange();
          range.selectNodeContents(text);
          const box = range.getBoundingClientRect();
          if (box.width < 1 || box.height < 1 || box.right + scrollX <= 0 || box.bottom + scrollY <= 0) continue;
          out.push(text.data.replace(/\s+/g, ' ').trim().toWellFormed());
        }
      };
      read(document);
      for (const at of walk(document)) {
        const inner = shadowOf(at) ?? documentIn(at);
        if (inner) read(inner);
      }
      return out;
    },
    words: (number) => words(seen.all[number]),
  });
})();
