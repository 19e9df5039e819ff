// Watching a press to find out if it reached the intended element. Also converts points through frames.

/**
 * The events that begin a press. The first of them decides, because a page may move its elements once it is pressed.
 */
const BEGIN = new Set(['pointerdown', 'mousedown', 'touchstart']);
const MOVES = new Set(['pointermove', 'mousemove']);
const PRESSES = [
  ...BEGIN, 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick', 'dblclick', 'contextmenu', 'dragstart',
];
/**
 * Longest time of a watch, in case nobody asks for its verdict. The verdict still includes what was seen by then. Unit:
 * milliseconds. Source: chosen.
 */
const WATCH_MS = 15000;

let watch = null;
let lastToken = 0;

function arm(number) {
  const element = elementOf(number);
  if (element === null) return gone();
  disarm();
  const target = receiverOf(element);
  lastToken += 1;
  const seen = { token: lastToken, target, moved: null, pressed: null };
  const listener = (event) => {
    if (!event.isTrusted) return;
    const top = metBy(event);
    const told = () => {
      if (!dom.connected(target)) return failed('detached', 'the element left the page before it was pressed');
      return meets(top, target) ? { hit: true, intercepted: null } : { hit: false, intercepted: obstacle(top, target) };
    };
    if (MOVES.has(event.type)) {
      seen.moved = told();
      return;
    }
    if (BEGIN.has(event.type)) seen.pressed ??= told();
    if (seen.pressed !== null && seen.pressed.hit !== true) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  const names = [...PRESSES, ...MOVES];
  for (const name of names) addEventListener(name, listener, { capture: true, passive: false });
  const stop = () => {
    for (const name of names) removeEventListener(name, listener, { capture: true });
  };
  watch = { seen, stop, timer: setTimeout(stop, WATCH_MS) };
  return seen.token;
}

/** The element that an event met. The event itself tells no more than the host if that is in a closed shadow root. */
function metBy(event) {
  const told = event.composedPath().find((node) => node !== window && dom.type(node) === ELEMENT) ?? null;
  const isHost = told !== null && closedShadows.has(told) && Number.isFinite(event.clientX);
  return (isHost ? topAt(event.clientX, event.clientY) : null) ?? told;
}

function disarm() {
  if (watch === null) return;
  clearTimeout(watch.timer);
  watch.stop();
  watch = null;
}

/** Elements that keep their events to themselves: a press in them is not reported here. */
const APART = 'iframe, frame, object, embed';

/**
 * Ends the watch and returns its result. Without a press that is the last move, because a pointer that hovers only
 * moves.
 */
function verdict(token) {
  const nothing = { hit: false, intercepted: null };
  if (watch === null || watch.seen.token !== token) return nothing;
  const { target, pressed, moved } = watch.seen;
  disarm();
  const isApart = dom.matches(target, APART) || dom.query(target, APART).length > 0;
  return pressed ?? (isApart ? { ...nothing, hit: true } : moved ?? nothing);
}

/** Converts a point in a frame's viewport to one in ours, if the frame is on top there. */
function throughFrame(number, x, y) {
  const frame = elementOf(number);
  if (frame === null) return gone();
  if (!isVisible(frame)) return failed('not_visible', preview(frame));
  let point = pointInFrame(frame, x, y);
  if (topAt(point.x, point.y) !== frame) {
    scrollToPoint(frame, () => pointInFrame(frame, x, y));
    point = pointInFrame(frame, x, y);
  }
  const top = topAt(point.x, point.y);
  if (top === frame) return point;
  if (top === null) return failed('not_visible', `${preview(frame)} does not show that place`);
  return failed('intercepted', obstacle(top, frame));
}

function pointInFrame(frame, x, y) {
  const style = dom.style(frame);
  const { left, top, width, height } = dom.rect(frame);
  const [across, down] = [width / frame.offsetWidth || 1, height / frame.offsetHeight || 1];
  return {
    x: left + (frame.clientLeft + parseFloat(style.paddingLeft) + x) * across,
    y: top + (frame.clientTop + parseFloat(style.paddingTop) + y) * down,
  };
}

/**
 * Scrolls each scrollable ancestor of an element, so that a point of the element comes to the middle of the ancestor.
 */
function scrollToPoint(element, pointNow) {
  for (let at = dom.shownIn(element); at; at = dom.shownIn(at)) {
    if (!/auto|scroll|hidden|overlay/.test(`${dom.style(at).overflowX} ${dom.style(at).overflowY}`)) continue;
    const { left, top, right, bottom } = dom.rect(at);
    const { x, y } = pointNow();
    if (x >= left && x < right && y >= top && y < bottom) continue;
    scrollOf(at, { left: x - (left + right) / 2, top: y - (top + bottom) / 2, behavior: 'instant' });
  }
  const { x, y } = pointNow();
  if (x >= 0 && x < innerWidth && y >= 0 && y < innerHeight) return;
  scrollBy({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: 'instant' });
}

const { scrollBy: scrollElement } = Element.prototype;
/** Written without `method`, because the browser tells its two forms apart by the number of arguments. */
const scrollOf = (element, by) => scrollElement.call(element, by);
