// Areas of image maps: links that are drawn by a picture and have no box of their own.

/** The picture that shows an area; null if there is none, or if the element is no area. */
function pictureOf(element) {
  const map = dom.isHtml(element, 'area') ? dom.closest(element, 'map') : null;
  const name = map === null ? null : dom.attribute(map, 'name');
  return name === null || name === '' ? null : picturesIn(dom.root(map)).get(name) ?? null;
}

/** The first picture for each name of a map; during a look they are searched for once. */
function picturesIn(root) {
  let pictures = pictured?.get(root);
  if (pictures !== undefined) return pictures;
  pictures = new Map();
  pictured?.set(root, pictures);
  for (const picture of queryAll(root, 'img[usemap]')) {
    // An element of another language may have that name and contain its own map.
    if (!dom.isHtml(picture, 'img')) continue;
    const name = dom.attribute(picture, 'usemap').slice(1);
    if (!pictures.has(name)) pictures.set(name, picture);
  }
  return pictures;
}

/** The box around an area in the viewport. */
function areaBox(area, picture) {
  const { left, top, width, height } = dom.rect(picture);
  const numbers = (dom.attribute(area, 'coords') ?? '').split(/[\s,;]+/).map(parseFloat).filter(Number.isFinite);
  const shape = (dom.attribute(area, 'shape') ?? 'rect').toLowerCase();
  if (shape === 'default') return new DOMRect(left, top, width, height);
  if (shape.startsWith('circ')) {
    const [x, y, radius = 0] = numbers;
    return new DOMRect(left + x - radius, top + y - radius, 2 * radius, 2 * radius);
  }
  const across = numbers.filter((_, at) => at % 2 === 0);
  const down = numbers.filter((_, at) => at % 2 === 1);
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(left + x, top + y, Math.max(...across) - x, Math.max(...down) - y);
}

/** The box of an element in the viewport, also of one that a picture shows. */
function rectOf(element) {
  const picture = pictureOf(element);
  return picture === null ? dom.rect(element) : areaBox(element, picture);
}
