// Waiting until an element can be acted on, and finding the point to aim at.

/** Pauses between attempts; the last one repeats. Unit: milliseconds. Source: chosen; an attempt takes a frame. */
const PAUSES = [10, 30, 60, 100];
/** Time after which no frame comes any more: of a hidden tab, and of one that is shown on a busy machine. Unit: milliseconds. */
const FRAME_MS = { hidden: 100, shown: 1000 };
/**
 * Time for which the same thing must cover an element on a still page before the element counts as covered. Unit:
 * milliseconds. Source: chosen.
 */
const COVERED_MS = 500;
/** Most frames for which animations are waited for that have not started yet. Source: chosen; one starts within two. */
const START_FRAMES = 4;
/** Points of a box that are tried, as fractions of its width and height: the centre first, then around it. Source: chosen. */
const PLACES = [
  [0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9],
];
/** Maximum number of boxes of an element that are tried; a link over many lines has one for each line. Source: chosen. */
const MAX_BOXES = 8;
/** Alignments for scrolling after the first attempt, so that the element comes out from under a bar at an edge. */
const ALIGNMENTS = ['center', 'end', 'start'];

const hiddenOf = getter(Document.prototype, 'hidden');
const fromDocument = method(Document.prototype, 'elementFromPoint');
const fromShadow = method(ShadowRoot.prototype, 'elementFromPoint');
const animationsOf = method(Document.prototype, 'getAnimations');
const shadowAnimationsOf = method(ShadowRoot.prototype, 'getAnimations');

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Waits for the next animation frame. Returns false if none comes although the page is shown. */
function nextFrame() {
  return new Promise((resolve) => {
    const isHidden = hiddenOf(document);
    const timer = setTimeout(resolve, isHidden ? FRAME_MS.hidden : FRAME_MS.shown, isHidden);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/**
 * Repeats an attempt until it succeeds or the time is over, and returns the last answer. A `final` failure is returned at
 * once.
 */
async function insist(element, ms, attempt) {
  const end = performance.now() + ms;
  for (let tries = 0; ; tries += 1) {
    const answer = dom.connected(element)
      ? await attempt(tries)
      : { ...failed('detached', 'the element left the page while it was waited for'), final: true };
    if (answer.failed === undefined) return answer;
    const { final, ...told } = answer;
    const wait = PAUSES[Math.min(tries, PAUSES.length - 1)];
    if (final || performance.now() + wait > end) return told;
    await pause(wait);
  }
}

async function ready(number, want) {
  const element = elementOf(number);
  if (element === null) return gone();
  const cover = watchCover(element);
  try {
    return await insist(element, want.ms, async (tries) => {
      const lacking = lacks(element, want);
      if (lacking) return lacking;
      bringIntoView(element, want, tries);
      if (want.stable && !(await isStill(element))) return failed('not_stable', `${preview(element)} is moving`);
      // It may have disappeared or changed in the meantime.
      if (!dom.connected(element)) return failed('detached', 'the element left the page while it was waited for');
      const answer = lacks(element, want) ?? (want.at ? pointAt(element, want.at) : pointOf(element, want.hit));
      return cover.stays(answer.failed === 'intercepted') ? { ...answer, final: true } : answer;
    });
  } finally {
    cover.end();
  }
}

/**
 * Watches if an element stays covered: the same thing must cover it for a while in which the page is still. A page is still
 * when its document has loaded, nothing in it changes, and nothing around the element or its cover is animated.
 */
function watchCover(element) {
  let [top, since] = [null, 0];
  const observer = new MutationObserver(() => { top = null; });
  const what = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of [document, ...knownShadows()]) observer.observe(root, what);
  const stays = (isCovered) => {
    const now = performance.now();
    const [point] = isCovered ? pointsIn(boxesOf(element)) : [];
    const over = point ? topAt(point.x, point.y) : null;
    if (over === null || readyStateOf(document) !== 'complete' || isWithinAnimated([element, over])) top = null;
    else if (over !== top) [top, since] = [over, now];
    return top !== null && now - since >= COVERED_MS;
  };
  return { stays, end: () => observer.disconnect() };
}

/** Returns true if the browser animates one of these elements, or anything around one. */
function isWithinAnimated(elements) {
  const around = new Set();
  for (const element of elements) for (let at = element; at; at = dom.shownIn(at)) around.add(at);
  const roots = new Set([...around].map((at) => dom.root(at)));
  return [...roots].some((root) => {
    const isInner = dom.type(root) === FRAGMENT && isShadow(root);
    const animations = isInner ? shadowAnimationsOf(root) : animationsOf(document);
    return animations.some(({ effect }) => around.has(effect?.target));
  });
}

/** Waits until an element meets the wanted conditions. Changes nothing. */
async function able(number, want) {
  const element = elementOf(number);
  if (element === null) return gone();
  return insist(element, want.ms, async () => lacks(element, want) ?? {});
}

/** Returns the condition that an element fails to meet for an action, as a failure, or null. */
function lacks(element, want) {
  const control = controlOf(element);
  const unfit = want.options ? chooses(control, want.options) : null;
  if (unfit?.final) return unfit;
  if (want.visible && !isVisible(element)) return failed('not_visible', preview(element));
  if (want.enabled && isDisabled(control)) return failed('disabled', preview(control));
  if (want.editable) {
    const writable = isWritable(control);
    if (writable === null) return { ...failed('not_editable', `${preview(control)} is no field`), final: true };
    // A page that has loaded keeps this state on purpose, such as a date field that only a calendar sets. Waiting would
    // change nothing.
    const final = readyStateOf(document) === 'complete';
    if (!writable) return { ...failed('not_editable', `${preview(control)} is read only`), final };
  }
  return unfit;
}

/**
 * Returns true if the element has not moved by the next frame. Nothing moves without frames, so a late one shows nothing. In its
 * first frames an animation of the browser's own has not moved yet: it waits for its start, and then stands at its beginning.
 */
async function isStill(element) {
  for (let frame = 0; frame < START_FRAMES && animationsNear(element).some(({ pending }) => pending); frame += 1) {
    if (!(await nextFrame())) return false;
  }
  let before = rectOf(element);
  for (let frames = animationsNear(element).length > 0 ? 2 : 1; frames > 0; frames -= 1) {
    if (!(await nextFrame())) return false;
    // The page's own handlers may move the element in this frame, after our code has run.
    await pause(0);
    const now = rectOf(element);
    if (['x', 'y', 'width', 'height'].some((side) => now[side] !== before[side])) return false;
    before = now;
  }
  return true;
}

/** What the browser animates in the tree of the element, and in the trees around that. */
function animationsNear(element) {
  const found = [];
  for (let at = element; at;) {
    const root = dom.root(at);
    const isInner = dom.type(root) === FRAGMENT && isShadow(root);
    found.push(...(isInner ? shadowAnimationsOf(root) : animationsOf(document)));
    at = isInner ? dom.host(root) : null;
  }
  return found;
}

/** Scrolls the element into view, unless the pointer can already reach it. */
function bringIntoView(element, want, tries) {
  const isShown = pointsIn(boxesOf(element)).length > 0;
  if (want.hit ? pointOf(element, true).failed === undefined : isShown) return;
  // An element within the viewport may be hidden by a scrollable box. If it is covered instead, scrolling does not
  // help.
  const first = isShown ? 'nearest' : 'center';
  const alignment = tries === 0 ? first : ALIGNMENTS[(tries - 1) % ALIGNMENTS.length];
  dom.scrollTo(pictureOf(element) ?? element, { block: alignment, inline: alignment, behavior: 'instant' });
}

/** A point of the element in the viewport; with `hit`, one at which the pointer would hit the element. */
function pointOf(element, hit) {
  const points = pointsIn(boxesOf(element));
  if (points.length === 0) return failed('not_stable', `${preview(element)} is outside of the viewport`);
  if (!hit) return points[0];
  const target = receiverOf(element);
  const isHit = ({ x, y }) => meets(topAt(x, y), target);
  const found = points.find(isHit)
    // A control that is drawn by its label: a person presses the label.
    ?? controlLabels(target).flatMap((label) => pointsIn(boxesOf(label))).find(isHit);
  return found ?? failed('intercepted', obstacle(topAt(points[0].x, points[0].y), target));
}

/** The point at this distance from the top left corner of the element, if the pointer would hit the element there. */
function pointAt(element, [across, down]) {
  const { left, top, width, height } = rectOf(element);
  if (across >= width || down >= height) {
    return { ...failed('bad_arguments', `the element is ${Math.floor(width)} by ${Math.floor(height)} pixels`), final: true };
  }
  const [x, y] = [left + across, top + down];
  const over = topAt(x, y);
  if (over === null) return failed('not_stable', 'the point is outside of the viewport');
  return meets(over, element) ? { x, y } : failed('intercepted', obstacle(over, element));
}

/** Points in the visible parts of the boxes, the best first. */
function pointsIn(boxes) {
  const parts = boxes.slice(0, MAX_BOXES).map(({ left, top, right, bottom }) => ({
    left: Math.max(left, 0),
    top: Math.max(top, 0),
    right: Math.min(right, innerWidth),
    bottom: Math.min(bottom, innerHeight),
  })).filter(({ left, top, right, bottom }) => right > left && bottom > top);
  return PLACES.flatMap(([across, down]) => parts.map(({ left, top, right, bottom }) => ({
    x: left + (right - left) * across,
    y: top + (bottom - top) * down,
  })));
}

/** The element that the pointer would hit at a point, also inside open shadow roots; null outside of the viewport. */
function topAt(x, y) {
  let top = fromDocument(document, x, y);
  while (top !== null) {
    const shadow = dom.shadow(top);
    const inner = shadow && fromShadow(shadow, x, y);
    if (!inner || inner === top || dom.root(inner) !== shadow) break;
    top = inner;
  }
  return top;
}

/** Returns the element that receives the pointer when this one is pressed: a button receives presses inside it. */
function receiverOf(element) {
  if (isField(element)) return element;
  return dom.closest(element, 'button, [role=button], a, [role=link]') ?? element;
}

/** Elements in a label that handle a press themselves. Source: HTML, the label element's activation behaviour. */
const INTERACTIVE = 'a[href], button, details, embed, iframe, input:not([type=hidden]), select, textarea, [tabindex]';

/**
 * Returns true if a press on `top` is one on the target: on it, inside it, on a label of it, or, if the target is a label, on its
 * control.
 */
function meets(top, target) {
  for (let at = top; at; at = dom.shownIn(at)) if (at === target) return true;
  if (top === null) return false;
  const labels = controlLabels(target);
  for (let at = top; at && labels.length > 0; at = dom.above(at)) {
    if (labels.includes(at)) return true;
    if (dom.matches(at, INTERACTIVE)) break;
  }
  return dom.isHtml(target, 'label') && dom.labelOf(target) === top;
}

/** Describes the element that covers the target, and the element around it. */
function obstacle(top, target) {
  if (top === null) return 'nothing of the page receives pointer events there';
  const around = new Set();
  for (let at = target; at; at = dom.shownIn(at)) around.add(at);
  let outermost = top;
  for (let at = top; at && !around.has(at); at = dom.shownIn(at)) outermost = at;
  const within = outermost === top ? '' : ` within ${clip(preview(outermost), 110)}`;
  return `${clip(preview(top), 150)}${within} intercepts pointer events`;
}

/**
 * The part of the page in which `surroundings` looks: its top is at most this number of levels above the element, and it has at
 * most this number of elements. Source: chosen; a row of a table with its buttons.
 */
const AROUND_LEVELS = 4;
const MOST_AROUND = 200;

/**
 * Places and visibility of the elements beside an element, as a text. Style sheets change them while the pointer is over the
 * element, for example to show the buttons of a row, and no event tells so.
 */
function surroundings(number) {
  const element = elementOf(number);
  if (element === null) return '';
  let around = element;
  for (let level = 0; level < AROUND_LEVELS; level += 1) {
    const outer = dom.shownIn(around);
    if (!outer || dom.type(outer) !== ELEMENT || dom.query(outer, '*').length > MOST_AROUND) break;
    around = outer;
  }
  const places = [...dom.query(around, '*')].slice(0, MOST_AROUND).map((at) => {
    const { left, top, width, height } = rectOf(at);
    const { visibility, opacity } = dom.style(at);
    return [left, top, width, height, visibility, opacity].join(' ');
  });
  return places.join(';');
}

/** The box of an element in the page, once it was scrolled into view. */
function box(number) {
  const element = elementOf(number);
  if (element === null) return gone();
  if (!isVisible(element)) return failed('not_visible', preview(element));
  bringIntoView(element, {}, 0);
  const boxes = boxesOf(element);
  const left = Math.min(...boxes.map((one) => one.left));
  const top = Math.min(...boxes.map((one) => one.top));
  const width = Math.max(...boxes.map((one) => one.right)) - left;
  const height = Math.max(...boxes.map((one) => one.bottom)) - top;
  return { x: left + scrollX, y: top + scrollY, width, height };
}
