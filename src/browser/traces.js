/**
 * Makes the watch for reactions to an action that a page tree may not show: classes and styles, drawings, scroll positions, focus
 * and selection that the page itself moved, and anything copied, played or sent.
 *
 * `begin()` is called before an action. `end()` is called after it and returns the traces, perhaps as a promise; null if nothing
 * was watched. Watching continues between actions, because a change while nothing is done shows that something changes by itself.
 * Each trace is `{ kind, near, within, repeats }`: `near` if it is in or beside the target, `within` if it came while the page
 * handled the action's own events, `repeats` if it goes on by itself.
 *
 * `shadowIn` returns the shadow root of an element or null, also of one that the page keeps closed; without it only open ones
 * are watched.
 *
 * The watch depends on no other script, because both drivers run it, each in a world of its own that the page cannot see into.
 */
function makeTraces(shadowIn = null) {
  // The part of the page that counts as near the target: its top is at most this number of levels above the target, and it has at most
  // this number of elements. Source: the same as in verify/numbers.rs.
  const NEAR_LEVELS = 4;
  const MAX_NEAR = 80;
  /**
   * Longest time after the last event of an action for a scroll that is still caused by it. Unit: milliseconds. Source:
   * chosen.
   */
  const SOON = 150;
  /**
   * Number of changes at different moments after which an element that still changes at the end counts as animated. Source:
   * chosen.
   */
  const REPEATS = 3;
  /** Shortest time between two different moments. Unit: milliseconds. Source: chosen, less than a frame. */
  const MOMENT = 8;
  /**
   * Waits in which an animation moves on, each longer than one turn of most animations. Unit: milliseconds. Source: chosen. A
   * page's timers that are due earlier run before each of them, also on a busy machine.
   */
  const RESTS = [100, 100, 100];
  // Limits for watching drawings, which takes time. Source: chosen; 2 million pixels take some 20 ms.
  const MAX_DRAWINGS = 8;
  /**
   * Maximum number of events of one action around which drawings are compared; a key sends five, a long text many keys. Source:
   * chosen.
   */
  const MAX_COMPARED = 6;
  /**
   * Maximum number of nodes whose changes are kept for one action; a page may make and drop any number while a model thinks.
   * Source: chosen.
   */
  const MAX_CHANGES = 2_000;
  const MAX_PIXELS = 2_000_000;
  const OVER = ['pointerover', 'mouseover', 'wheel'];
  const POINTING = ['pointermove', 'mousemove', 'dragenter', 'dragover', 'dragleave', ...OVER];
  const PRESSING = [
    'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'touchstart', 'touchend',
    'keydown', 'keypress', 'keyup', 'beforeinput', 'dragstart', 'drop', 'dragend',
  ];
  /** Events that drivers send themselves when they set a value. */
  const SETTING = ['input', 'change'];
  const COPIES = ['copy', 'cut'];
  const PLAYS = ['play', 'pause', 'volumechange', 'ratechange', 'seeked', 'fullscreenchange', 'pointerlockchange'];
  const SENDS = new Set(['fetch', 'xmlhttprequest', 'beacon']);
  const WHAT = { subtree: true, childList: true, attributes: true, characterData: true };

  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (at) => get.call(at);
  };
  const above = getter(Node, 'parentNode');
  const typeOf = getter(Node, 'nodeType');
  const hostOf = getter(ShadowRoot, 'host');
  const rootIn = shadowIn ?? getter(Element, 'shadowRoot');
  const activeIn = getter(Document, 'activeElement');
  const activeInShadow = getter(ShadowRoot, 'activeElement');
  const bodyOf = getter(Document, 'body');
  const scrollerOf = getter(Document, 'scrollingElement');
  const upOf = getter(Element, 'scrollTop');
  const leftOf = getter(Element, 'scrollLeft');
  const controlOf = getter(HTMLLabelElement, 'control');
  const isEditableAt = getter(HTMLElement, 'isContentEditable');
  const rootElementOf = getter(Document, 'documentElement');
  // Elements that a page names can hide a method of its document.
  const allOfDocument = Document.prototype.querySelectorAll;
  const allOfFragment = DocumentFragment.prototype.querySelectorAll;
  const allOfElement = Element.prototype.querySelectorAll;
  const allIn = (root, what) => (root === document ? allOfDocument : allOfFragment).call(root, what);
  const hear = EventTarget.prototype.addEventListener;
  const soon = Scheduler.prototype.postTask;
  const selectionOf = Document.prototype.getSelection;
  const isElement = (node) => typeOf(node) === 1;
  const parentOf = (node) => above(node) ?? (node instanceof ShadowRoot ? hostOf(node) : null);
  const isIn = (node, part) => {
    for (let at = node; at; at = parentOf(at)) if (at === part) return true;
    return false;
  };
  const deepActive = () => {
    let at = activeIn(document);
    for (let root = at && rootIn(at); root && activeInShadow(root); root = rootIn(at)) at = activeInShadow(root);
    return at;
  };

  /**
   * For each node that changed while nothing was done: the time of its last change, and the number of moments at which it
   * changed.
   */
  const idle = new WeakMap();
  /** The record of the current action. */
  let act = null;
  let watched = new WeakSet();

  const moments = (known, now) => {
    if (now - known.last > MOMENT) known.times += 1;
    known.last = now;
  };

  const part = (target) => {
    let widest = null;
    let at = target;
    for (let level = 0; at && level <= NEAR_LEVELS; level += 1) {
      if (!isElement(at) && !(at instanceof ShadowRoot)) break;
      if (at === bodyOf(document) || at === rootElementOf(document)) break;
      if ((isElement(at) ? allOfElement : allOfFragment).call(at, '*').length > MAX_NEAR) break;
      widest = at;
      at = parentOf(at);
    }
    return widest ?? target;
  };
  const isNear = (node) => act.parts.some((each) => isIn(node, each));

  const seen = (node, kind, within, isStyle = false) => {
    const now = performance.now();
    if (act === null) {
      const known = idle.get(node) ?? { times: 0, last: -MOMENT * 2 };
      idle.set(node, known);
      moments(known, now);
    } else if (act.first && (act.changes.size < MAX_CHANGES || act.changes.has(node))) {
      const of = act.changes.get(node) ?? new Map();
      act.changes.set(node, of);
      const known = of.get(kind) ?? { times: 0, last: -MOMENT * 2, within: false, near: isNear(node), isStyle };
      of.set(kind, known);
      known.within ||= within;
      known.isStyle &&= isStyle;
      // A page may answer each move of a drag; that is no animation.
      if (!within) moments(known, now);
    }
  };

  const note = (records) => {
    for (const { target, type } of records) seen(target, 'markup', act !== null && act.inside, type === 'attributes');
  };
  const changes = new MutationObserver(note);
  const sent = new PerformanceObserver((list) => noteSent(list.getEntries()));
  const noteSent = (entries) => {
    if (act === null) return;
    const isOurs = ({ startTime }) => act.spans.some(([from, to]) => startTime >= from && startTime <= to);
    act.sent ||= entries.some((entry) => SENDS.has(entry.initiatorType) && isOurs(entry));
  };

  /** The document and all known shadow roots in it. */
  const roots = () => {
    const found = [document];
    for (const root of found) {
      for (const at of allIn(root, '*')) {
        const inner = rootIn(at);
        if (inner) found.push(inner);
      }
    }
    return found;
  };

  const drawn = (canvas) => {
    if (canvas.width * canvas.height > MAX_PIXELS) return null;
    try {
      return HTMLCanvasElement.prototype.toDataURL.call(canvas);
    } catch {
      return null;
    }
  };
  const drawings = () => new Map(act.canvases.map((canvas) => [canvas, drawn(canvas)]));

  const selected = () => {
    const active = deepActive();
    if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) {
      const { selectionStart, selectionEnd } = active;
      if (selectionStart !== null) return [active, selectionStart, active, selectionEnd];
    }
    const now = selectionOf.call(document);
    return now && now.rangeCount > 0 ? [now.anchorNode, now.anchorOffset, now.focusNode, now.focusOffset] : null;
  };
  const isSame = (one, other) => one === other || (one !== null && other !== null && one.every((each, at) => each === other[at]));

  const positions = (target) => {
    const known = new Map();
    for (let at = target; at; at = parentOf(at)) if (isElement(at)) known.set(at, [leftOf(at), upOf(at)]);
    const whole = scrollerOf(document);
    if (whole) known.set(whole, [leftOf(whole), upOf(whole)]);
    return known;
  };

  const listen = (event) => {
    const isOurs = event.isTrusted || SETTING.includes(event.type);
    if (act === null || !isOurs) return;
    note(changes.takeRecords());
    const now = performance.now();
    const path = event.composedPath();
    const target = path.find((node) => node !== window && isElement(node)) ?? null;
    const isPress = !POINTING.includes(event.type);
    if (!act.first) {
      act.first = true;
      act.positions = positions(target);
      act.active = deepActive();
      act.selected = selected();
      const before = act.drawings;
      act.drawings = drawings();
      act.restless = new Set(act.canvases.filter((canvas) => before.get(canvas) !== act.drawings.get(canvas)));
    }
    if (target !== null && (isPress || act.parts.length === 0) && act.targets.at(-1) !== target) {
      act.targets.push(target);
      act.parts.push(part(target));
    }
    for (const node of path) act.path.add(node);
    act.last = now;
    act.isMet ||= isPress || OVER.includes(event.type);
    act.isKey ||= event.type === 'keydown';
    act.isWheel ||= event.type === 'wheel';
    act.isDrag ||= event.type === 'dblclick' || event.type === 'dragstart' || (event.type === 'pointermove' && event.buttons > 0);
    act.inside = true;
    const mine = act;
    const isCompared = isPress && mine.canvases.length > 0 && mine.compared < MAX_COMPARED;
    if (isCompared) mine.compared += 1;
    const before = isCompared ? drawings() : null;
    // Runs before the page's own timers. On a busy machine a timer of the page, such as that of a clock, may be due by now.
    soon.call(scheduler, () => {
      if (act !== mine) return;
      note(changes.takeRecords());
      if (before !== null) {
        const after = drawings();
        for (const canvas of mine.canvases) if (before.get(canvas) !== after.get(canvas)) mine.drawn.add(canvas);
      }
      mine.inside = false;
      mine.spans.push([now, performance.now()]);
    }, { priority: 'user-blocking' });
  };

  const scrolled = ({ target }) => {
    const scroller = target === document ? scrollerOf(document) : target;
    if (!scroller || !isElement(scroller)) return;
    if (act !== null && act.first) {
      const before = act.positions.get(scroller);
      // The driver scrolled the target into view. A wheel may have moved the page before its event was heard.
      if (before && !act.isWheel && before[0] === leftOf(scroller) && before[1] === upOf(scroller)) return;
      if (before) act.isAround.add(scroller);
    }
    seen(scroller, 'scroll', act !== null && performance.now() - act.last < SOON);
  };
  const other = (kind) => ({ isTrusted, type }) => {
    if (act !== null && act.first && isTrusted && !(act.isKey && COPIES.includes(type))) act.others.add(kind);
  };

  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    changes.observe(root, WHAT);
    hear.call(root, 'scroll', scrolled, { capture: true, passive: true });
  };
  const install = () => {
    for (const name of [...POINTING, ...PRESSING, ...SETTING]) addEventListener(name, listen, { capture: true, passive: true });
    for (const name of COPIES) addEventListener(name, other('clipboard'), { capture: true });
    for (const name of PLAYS) addEventListener(name, other('media'), { capture: true });
    navigator.clipboard?.addEventListener?.('clipboardchange', other('clipboard'));
    sent.observe({ type: 'resource' });
  };

  let isInstalled = false;
  const start = () => {
    if (!isInstalled) install();
    isInstalled = true;
    note(changes.takeRecords());
    const all = roots();
    all.forEach(watch);
    const canvases = all.flatMap((root) => [...allIn(root, 'canvas')]).slice(0, MAX_DRAWINGS);
    act = {
      first: false, inside: false, isMet: false, isKey: false, isWheel: false, isDrag: false, last: 0, compared: 0, sent: false, canvases,
      drawings: new Map(), drawn: new Set(),
      restless: new Set(), parts: [], targets: [], path: new Set(), changes: new Map(), others: new Set(), isAround: new Set(), spans: [],
      positions: new Map(), active: null, selected: null,
    };
    act.drawings = drawings();
  };

  const hasMovedFocus = () => {
    const active = deepActive();
    if (active === act.active) return false;
    if (act.isKey) return true;
    if (!active || active === bodyOf(document) || active === rootElementOf(document)) return false;
    for (let at = active; at; at = parentOf(at)) {
      if (act.path.has(at) && (at === active || (isElement(at) && rootIn(at)))) return false;
    }
    return ![...act.path].some((node) => node instanceof HTMLLabelElement && controlOf(node) === active);
  };
  const hasMovedSelection = () => {
    const now = selected();
    if (now === null || isSame(now, act.selected)) return false;
    const [anchor, from, focus, to] = now;
    if (act.isKey) return true;
    if (anchor !== focus || from !== to) return !act.isDrag;
    // A press puts the caret where it hits.
    const field = isElement(anchor) ? anchor : parentOf(anchor);
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    const isEditable = isField || (field instanceof HTMLElement && isEditableAt(field));
    return isEditable && !act.targets.some((target) => isIn(anchor, target) || isIn(target, field));
  };

  /** Wraps a function so that an error in it ends the watch; the result is then unknown. */
  const guarded = (work) => () => {
    try {
      return work();
    } catch {
      act = null;
      return null;
    }
  };
  const finish = () => {
    if (act === null) return null;
    note(changes.takeRecords());
    noteSent(sent.takeRecords());
    // No event of the action reached this document, or the pointer was there already: the event's normal effect is
    // unknown.
    if (!act.isMet) {
      act = null;
      return null;
    }
    const found = [];
    /** Elements far from the target whose style changed: by the action, or by an animation that moved at that moment. */
    const doubtful = [];
    const tell = (kind, near, within, repeats) => {
      const trace = { kind, near, within, repeats };
      found.push(trace);
      return trace;
    };
    const now = performance.now();
    for (const [node, of] of act.changes) {
      const before = idle.get(node);
      for (const [kind, { times, last, within, near, isStyle }] of of) {
        // Smooth scrolling around the target is a response to the action, however long it takes.
        const goesOn = times >= REPEATS && now - last < SOON && !act.isAround.has(node);
        const trace = tell(kind, near || act.isAround.has(node), within, goesOn || (before?.times ?? 0) > 1);
        if (isStyle && within && !trace.near && !trace.repeats) doubtful.push([node, trace]);
      }
    }
    const shown = drawings();
    for (const canvas of act.canvases) {
      const isOther = shown.get(canvas) !== act.drawings.get(canvas);
      if (isOther) tell('drawing', isNear(canvas), act.drawn.has(canvas), act.restless.has(canvas));
    }
    if (hasMovedFocus()) tell('focus', true, true, false);
    if (hasMovedSelection()) tell('selection', true, true, false);
    // Dragging uses a clipboard too.
    for (const kind of act.others) if (!act.isDrag || kind !== 'clipboard') tell(kind, true, true, false);
    if (act.sent) tell('request', false, true, false);
    act = null;
    // Equal traces are reported once.
    const keyOf = ({ kind, near, within, repeats }) => `${kind} ${near} ${within} ${repeats}`;
    const told = () => [...new Map(found.map((trace) => [keyOf(trace), trace])).values()];
    const isSure = (trace) => !trace.repeats && (trace.near || trace.within) && !doubtful.some(([, each]) => each === trace);
    return doubtful.length === 0 || found.some(isSure) ? told() : rested(doubtful).then(told);
  };
  /** Marks the traces that go on while nothing is done. */
  const rested = async (doubtful) => {
    const moved = (node) => idle.get(node)?.times ?? 0;
    const before = doubtful.map(([node]) => moved(node));
    for (const rest of RESTS) await new Promise((done) => setTimeout(done, rest));
    doubtful.forEach(([node, trace], at) => {
      trace.repeats = moved(node) - before[at] > 1;
    });
  };

  return { begin: guarded(start), end: guarded(finish) };
}
