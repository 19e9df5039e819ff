// The visible part of the window, and where things are in it.

const sceneOf = makeScene();

/**
 * The boxes of elements and the insides of those that show frames, each with its number; the drawings; the size of the
 * window.
 */
function scene(wanted, frames) {
  const of = (numbers, measure) => numbers.flatMap((number) => {
    const element = elementOf(number);
    const box = element === null ? null : measure(element);
    return box === null ? [] : [[number, box]];
  });
  return {
    place: place(),
    width: innerWidth,
    height: innerHeight,
    boxes: of(wanted, sceneOf.boxOf),
    frames: of(frames, (frame) => sceneOf.boxOf(frame) && sceneOf.insideOf(frame)),
    drawings: sceneOf.drawings(),
    blank: sceneOf.blank(),
    page: sceneOf.pageBox(),
  };
}
