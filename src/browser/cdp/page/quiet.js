// Settling: whether the document still changes, and what it says of itself.

/** Changes of one attribute of one element after which it counts as an animation. Unit: changes. Source: chosen. */
const MAX_ATTRIBUTE_CHANGES = 5;

const readyStateOf = getter(Document.prototype, 'readyState');
const titleOf = getter(Document.prototype, 'title');

/** Waits until nothing changed for `ms`, at most `cap`. */
function quiet({ ms, cap }) {
  return new Promise((resolve) => {
    let mutations = 0;
    let timer;
    const changes = new Map();
    const observer = new MutationObserver((records) => {
      mutations += records.length;
      if (records.filter((record) => !isAnimation(record, changes)).length > 0) restart();
    });
    const finish = (isQuiet) => {
      clearTimeout(timer);
      clearTimeout(end);
      observer.disconnect();
      resolve({ quiet: isQuiet, mutations });
    };
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(finish, ms, true);
    };
    const end = setTimeout(finish, cap, false);
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    for (const root of [document, ...knownShadows()]) observer.observe(root, what);
    restart();
  });
}

/** A spinner or a progress bar that sets one attribute again and again does not keep a page from being done. */
function isAnimation({ type, target, attributeName }, changes) {
  if (type !== 'attributes') return false;
  const ofTarget = changes.get(target) ?? new Map();
  changes.set(target, ofTarget);
  const count = (ofTarget.get(attributeName) ?? 0) + 1;
  ofTarget.set(attributeName, count);
  return count > MAX_ATTRIBUTE_CHANGES;
}

function place() {
  return {
    url: location.href,
    origin: self.origin,
    ready: readyStateOf(document),
    title: clip(titleOf(document), 4096),
  };
}
