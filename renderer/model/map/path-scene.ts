import { connectInSight, createSightTest } from './map-arrows.ts'
import type { MapLayout } from './map-layout.ts'
import { MAX_PATH_LINES, type PathLayer } from './map-path.ts'
import type { MapScene, MapTone, SceneArrow, SceneBox, SceneText } from './map-scene.ts'
import { getZoom, projectBox, type MapSize, type MapView } from './map-view.ts'

/** More marks in one frame would take longer to draw than a frame may. */
const MAX_MARKS = 1_500
const MIN_RING_PX = 8
const DOT_PX = 5
const COUNT_FONT_PX = 10
const COUNT_HEIGHT_PX = 14
const MIN_COUNT_ZOOM = 0.6
/** The oldest part of the line is this faint. */
const MIN_LINE_OPACITY = 0.2

type PlacedBox = ReturnType<typeof projectBox>

/** Marks the cards that calls named over a scene, and connects them in the order of the calls. */
export function drawPath(
  scene: MapScene,
  path: PathLayer,
  layout: MapLayout,
  view: MapView,
  size: MapSize,
  formatCount: (count: number) => string,
): MapScene {
  const boxes: SceneBox[] = []
  const texts: SceneText[] = []
  const dots: Record<'accent' | 'warning', number[]> = { accent: [], warning: [] }
  const scale = getZoom(view)
  const isInSight = ({ x, y, width, height }: PlacedBox): boolean =>
    x + width >= 0 && y + height >= 0 && x <= size.width && y <= size.height
  const canBeInSight = createSightTest(layout, view, size)
  let markCount = 0
  for (const { row, reads, writes, isNamedItself, isLast } of path.marks) {
    if (markCount === MAX_MARKS || !canBeInSight(row)) continue
    const box = projectBox(layout, view, row)
    if (!isInSight(box)) continue
    markCount += 1
    const tone = writes > 0 ? 'warning' : 'accent'
    if (Math.min(box.width, box.height) < MIN_RING_PX) {
      dots[tone].push(box.x + box.width / 2 - DOT_PX / 2, box.y + box.height / 2 - DOT_PX / 2, DOT_PX, DOT_PX)
      continue
    }
    boxes.push({
      x: box.x - 2,
      y: box.y - 2,
      width: box.width + 4,
      height: box.height + 4,
      radius: Math.min(box.height / 2, 7 * scale),
      fill: null,
      line: tone,
      lineWidth: isLast ? 2.5 : 1.25,
      isDashed: !isNamedItself,
    })
    if (scale >= MIN_COUNT_ZOOM) addCount(box, reads + writes, tone)
  }

  function addCount({ x, y, width }: PlacedBox, count: number, tone: MapTone): void {
    const text = `×${formatCount(count)}`
    const [pillWidth, height] = [(8 + text.length * 6) * scale, COUNT_HEIGHT_PX * scale]
    const left = x + width - pillWidth
    boxes.push({
      x: left,
      y: y - height / 2 - 1,
      width: pillWidth,
      height,
      radius: height / 2,
      fill: 'background',
      line: tone,
      lineWidth: 1,
    })
    texts.push({
      x: left + pillWidth / 2,
      y: y - 1,
      text,
      fontPx: COUNT_FONT_PX * scale,
      isBold: false,
      tone: 'text',
      opacity: 1,
      isCentered: true,
    })
  }

  return {
    ...scene,
    blocks: [
      ...scene.blocks,
      { fill: 'accent', opacity: 1, boxes: Float32Array.from(dots.accent) },
      { fill: 'warning', opacity: 1, boxes: Float32Array.from(dots.warning) },
    ],
    boxes: [...scene.boxes, ...boxes],
    arrows: [...(scene.arrows ?? []), ...drawLine(path.rows, layout, view, size)],
    texts: [...scene.texts, ...texts],
  }
}

/** The newer a part of the line is, the stronger it is. */
function drawLine(rows: Int32Array, layout: MapLayout, view: MapView, size: MapSize): SceneArrow[] {
  const arrows: SceneArrow[] = []
  for (let index = Math.max(1, rows.length - MAX_PATH_LINES); index < rows.length; index += 1) {
    const [from, to] = [projectBox(layout, view, rows[index - 1] ?? 0), projectBox(layout, view, rows[index] ?? 0)]
    const points = connectInSight(from, to, size)
    if (points === null) continue
    const opacity = MIN_LINE_OPACITY + (1 - MIN_LINE_OPACITY) * (index / (rows.length - 1))
    arrows.push({ points, tone: 'accent', width: 1, opacity, isDashed: false })
  }
  return arrows
}
