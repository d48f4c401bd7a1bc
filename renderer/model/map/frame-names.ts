import type { MapCards } from './map-cards.ts'
import type { MapLayout } from './map-layout.ts'
import { projectBox, type SceneText } from './map-scene.ts'
import type { MapSize, MapView } from './map-view.ts'
import type { SceneFrame } from './sub-map-frames.ts'

const FONT_PX = 11
const INSET_PX = 8
const LINE_PX = 16
/** Parts of frames that are smaller than this have no name of their own. */
const MIN_WIDTH_PX = 96
const MIN_HEIGHT_PX = 48
const MAX_NAME_PX = 220
const SEPARATOR = ' › '

/**
 * Names the frames whose root, which has the name of the sub-map, is not in the window. Frames with
 * the same corner have one line, from the outer to the inner one.
 * @param view of a scene, which begins at the margin before the window
 */
export function nameFrames(
  frames: readonly SceneFrame[],
  layout: MapLayout,
  cards: Pick<MapCards, 'fitTitle'>,
  view: MapView,
  { size, margin }: { readonly size: MapSize; readonly margin: number },
): SceneText[] {
  const [right, bottom] = [margin + size.width, margin + size.height]
  const linesByCorner = new Map<string, { readonly x: number; readonly y: number; readonly names: string[] }>()
  for (const frame of frames) {
    const root = projectBox(layout, view, frame.row)
    const isRootInWindow =
      root.x + root.width > margin && root.x < right && root.y + root.height > margin && root.y < bottom
    const [x, y] = [Math.max(margin, frame.left), Math.max(margin, frame.top)]
    const isLarge =
      Math.min(right, frame.right) - x >= MIN_WIDTH_PX && Math.min(bottom, frame.bottom) - y >= MIN_HEIGHT_PX
    if (isRootInWindow || !isLarge) continue
    const corner = `${Math.round(x)} ${Math.round(y)}`
    const line = linesByCorner.get(corner) ?? { x, y, names: [] }
    line.names.push(cards.fitTitle(frame.row, MAX_NAME_PX, true))
    linesByCorner.set(corner, line)
  }
  return [...linesByCorner.values()].map(({ x, y, names }) => ({
    x: x + INSET_PX,
    y: y + LINE_PX,
    text: names.join(SEPARATOR),
    fontPx: FONT_PX,
    isBold: true,
    tone: 'muted',
    opacity: 1,
    hasHalo: true,
  }))
}
