// Settling: does the document still change, and which state does it report?

/** Changes of one thing after which it counts as an animation. Unit: changes. Source: chosen. */
const MAX_CHANGES = 5;

const readyStateOf = getter(Document.prototype, 'readyState');
const titleOf = getter(Document.prototype, 'title');

/** The animations during the wait for the last action: for each node, its attributes, text or children. */
let animated = new WeakMap();

/**
 * Frames that a page gets to change in: what it does in the next one may ask for another. Source: measured; after one, a page that
 * scrolls smoothly has not moved yet, and a working link to its top is told as dead.
 */
const FRAMES = 2;

/** Waits until nothing changed for `ms` and for some frames, at most `cap`; tells also where it is then. */
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
      // A node that stood still in the meantime is no longer an animation.
      animated = watched.animated;
      resolve({ quiet: isQuiet, place: place() });
    };
    const restart = async () => {
      still += 1;
      const mine = still;
      const time = pause(ms);
      // A slow machine is slow with frames too, so time alone does not show that the page could do its work.
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
 * Whether some of what changed is no animation. A spinner, a progress bar or a clock that sets the same attribute or text
 * again and again, or puts as many children in the place of others, does not keep a page from being done.
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
  };
}
