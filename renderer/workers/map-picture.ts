import type { MapLook, MapScene } from '../model/map/map-scene.ts'
import type { MapSize } from '../model/map/map-view.ts'
import type { ScenePlace } from '../model/map/scene-svg.ts'
import { paintShapes } from './map-painter.ts'
import { MapFailure } from './map-protocol.ts'

/** Scenes are drawn one over the other. */
export interface MapTarget {
  /** Pixels per pixel of the map; 1 for a drawing, which has none. */
  readonly scale: number
  add(scene: MapScene, place: ScenePlace): void
  finish(): Promise<Blob>
}

/** Chromium and Firefox draw nothing on a canvas with a longer side. */
export const MAX_PICTURE_SIDE_PX = 32_767
/** Half of what browsers allow, because four bytes of memory hold a pixel. */
export const MAX_PICTURE_AREA_PX = 2 ** 27
/** Titles of a smaller picture cannot be read. */
export const MIN_PICTURE_SCALE = 0.45

/**
 * Returns the scale at which a picture is as large as it can be, at most the wanted one.
 * @throws MapFailure `MAP_PICTURE_TOO_LARGE` if nobody could read the picture
 */
export function computePictureScale({ width, height }: MapSize, wantedScale: number): number {
  const sideScale = MAX_PICTURE_SIDE_PX / Math.max(width, height)
  const areaScale = Math.sqrt(MAX_PICTURE_AREA_PX / (width * height))
  const scale = Math.min(wantedScale, sideScale, areaScale)
  if (scale < MIN_PICTURE_SCALE) throw createTooLargeFailure({ width, height })
  return scale
}

const createTooLargeFailure = ({ width, height }: MapSize): MapFailure =>
  new MapFailure('MAP_PICTURE_TOO_LARGE', 'the picture is too large', { width, height, side: MAX_PICTURE_SIDE_PX })

export function createPicture(look: MapLook, size: MapSize, wantedScale: number): MapTarget {
  const scale = computePictureScale(size, wantedScale)
  const canvas = new OffscreenCanvas(Math.floor(size.width * scale), Math.floor(size.height * scale))
  // Such a canvas is in main memory, which has no limits of a graphics card.
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  if (!context) throw createTooLargeFailure(size)
  context.fillStyle = look.colors.background
  context.fillRect(0, 0, canvas.width, canvas.height)
  if (!hasMemory(context, canvas)) throw createTooLargeFailure(size)
  return {
    scale,
    add(scene, { x, y, clip }) {
      context.save()
      context.scale(scale, scale)
      context.translate(x, y)
      if (clip) {
        context.beginPath()
        context.rect(0, 0, clip.width, clip.height)
        context.clip()
      }
      paintShapes(context, scene, look)
      context.restore()
    },
    async finish() {
      const blob = await canvas.convertToBlob({ type: 'image/png' })
      canvas.width = 0
      canvas.height = 0
      return blob
    },
  }
}

/** A canvas for which there is no memory swallows what is drawn, without an error. */
function hasMemory(context: OffscreenCanvasRenderingContext2D, { width, height }: OffscreenCanvas): boolean {
  const [x, y] = [width - 1, height - 1]
  const before = context.getImageData(x, y, 1, 1)
  context.fillStyle = 'rgb(1 2 3)'
  context.fillRect(x, y, 1, 1)
  const [red, green, blue] = context.getImageData(x, y, 1, 1).data
  context.putImageData(before, x, y)
  return red === 1 && green === 2 && blue === 3
}
