// Settling: waits until the document stops changing, and reports its place.

/** Number of changes of one thing after which it counts as an animation. Source: chosen. */
const MAX_CHANGES = 5;

const readyStateOf = getter(Document.prototype, 'readyState');
const titleOf = getter(Document.prototype, 'title');

/** The animations during the wait for the last action: for each node, its attributes, text or children. */
let animated = new WeakMap();

/**
 * Number of frames in which a page may make its changes; a change in one frame may ask for the next. Source: measured; after one
 * frame, a page that scrolls smoothly has not moved yet, and a working link to its top would be reported as dead.
 */
const FRAMES = 2;

/**
 * Waits until nothing has changed for `ms` and for some frames, but no longer than `cap`. Also returns the place of the document.
 */
function quiet({ ms, cap }) {
  return new Promise((resolve) => {
    let still = 0;
    const watched = { counts: new Map(), animated: new WeakMap() };
    const observer = new MutationObserver((records) => {
      if (hasChange(records, watched)) restart();
    });
    const finish = (isQuiet) => {
      still += 1;
      clearTimeout(end);
      observer.disconnect();
      // A node that has not changed meanwhile is no longer an animation.
      animated = watched.animated;
      resolve({ quiet: isQuiet, place: place() });
    };
    const restart = async () => {
      still += 1;
      const mine = still;
      const time = pause(ms);
      // A slow machine also draws frames slowly, so time alone does not show that the page could do its work.
      for (let frame = 0; frame < FRAMES && mine === still; frame += 1) await nextFrame();
      await time;
      if (mine === still) finish(true);
    };
    const end = setTimeout(finish, cap, false);
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    for (const root of [document, ...knownShadows()]) observer.observe(root, what);
    restart();
  });
}

/**
 * Returns true if any of the changes is not an animation. A spinner, a progress bar or a clock sets the same attribute or text
 * again and again, or replaces children by as many others; it does not keep a page from being done.
 */
function hasChange(records, watched) {
  const children = new Map();
  let found = false;
  for (const { type, target, attributeName, addedNodes, removedNodes } of records) {
    if (type === 'childList') {
      const sum = children.get(target) ?? { added: 0, removed: 0 };
      children.set(target, { added: sum.added + addedNodes.length, removed: sum.removed + removedNodes.length });
    } else if (!isAnimation(target, type === 'attributes' ? `@${attributeName}` : 'text', watched)) {
      found = true;
    }
  }
  for (const [target, { added, removed }] of children) {
    if (added !== removed || !isAnimation(target, 'children', watched)) found = true;
  }
  return found;
}

function isAnimation(target, what, { counts, animated: now }) {
  const ofTarget = counts.get(target) ?? new Map();
  counts.set(target, ofTarget);
  const count = (ofTarget.get(what) ?? 0) + 1;
  ofTarget.set(what, count);
  if (count <= MAX_CHANGES && !animated.get(target)?.has(what)) return false;
  const told = now.get(target) ?? new Set();
  now.set(target, told.add(what));
  return true;
}

function place() {
  return {
    url: location.href,
    origin: self.origin,
    ready: readyStateOf(document),
    title: clip(titleOf(document), 4096),
    status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0,
  };
}
