import { PNG } from 'pngjs'
import type { DemoPart } from '../library/model.ts'
import { createRandom } from '../library/random.ts'
import { createBlankPicture, fillRectangle, drawStroke, shrinkPicture, type Picture, type Rgb } from './canvas.ts'

const INK: Rgb = [32, 48, 110]
const PAPER: Rgb = [255, 255, 255]

export function encodePng(picture: Picture): Buffer {
  const image = new PNG({ width: picture.width, height: picture.height })
  picture.data.copy(image.data)
  return PNG.sync.write(image, { deflateLevel: 6 })
}

/** A diagram is drawn with or without the masks that hide its labels. */
export function drawPart(part: DemoPart, layer: 'composite' | 'base', maxEdge: number): Picture {
  const picture = part.kind === 'image' ? drawDiagram(part.seed) : drawHandwriting(part.seed)
  if (layer === 'composite') {
    for (const { rect } of part.masks ?? []) {
      const [x, y, width, height] = rect
      const { width: w, height: h } = picture
      fillRectangle(picture, x * w, y * h, width * w, height * h, [222, 158, 54])
    }
  }
  return shrinkPicture(picture, maxEdge)
}

/** Draws lines of cursive loops. Downward strokes are thicker, and some words are underlined. */
export function drawHandwriting(seed: number, width = 1400, height = 700): Picture {
  const random = createRandom(seed)
  const picture = createBlankPicture(width, height, PAPER)
  for (let line = 0; line < Math.floor(height / 130); line += 1) {
    const baseline = 95 + line * 130
    let x = 60
    while (x < width - 180) x = drawWord(picture, x, baseline, random) + 34 + random() * 24
  }
  return picture
}

function drawWord(picture: Picture, start: number, baseline: number, random: () => number): number {
  let x = start
  const letters = 2 + Math.floor(random() * 6)
  let last: [number, number] = [x, baseline]
  for (let letter = 0; letter < letters; letter += 1) {
    const wide = 20 + random() * 16
    const tall = random() < 0.25 ? 62 : 26 + random() * 10
    const loop = random() < 0.5 ? 1 : -0.4
    const below = random() < 0.15 ? 26 : 0
    for (let step = 1; step <= 14; step += 1) {
      const t = step / 14
      const next: [number, number] = [
        x + wide * t + Math.sin(t * Math.PI * 2) * 8 * loop,
        baseline - Math.sin(t * Math.PI) * tall + Math.sin(t * Math.PI * 3) * below * 0.4 + random() * 1.4,
      ]
      const pressure = next[1] > last[1] ? 4.6 : 2.8
      drawStroke(picture, last, next, [pressure, pressure + random()], INK)
      last = next
    }
    x += wide
  }
  if (random() < 0.12)
    drawStroke(picture, [start, baseline + 16], [x, baseline + 13 + random() * 6], [3, 2], [176, 52, 48])
  return x
}

/** Draws boxes joined by arrows, with handwritten labels. */
function drawDiagram(seed: number, width = 1200, height = 800): Picture {
  const random = createRandom(seed)
  const picture = createBlankPicture(width, height, [252, 251, 247])
  const tints: Rgb[] = [
    [226, 236, 250],
    [233, 245, 232],
    [250, 238, 222],
  ]
  const boxes = Array.from({ length: 3 }, (_, index) => ({
    x: 90 + index * 360,
    y: 180 + random() * 280,
    tint: tints[index] ?? PAPER,
  }))
  boxes.forEach(({ x, y, tint }, index) => {
    fillRectangle(picture, x, y, 250, 150, tint)
    drawOutline(picture, x, y, 250, 150)
    drawWord(picture, x + 40, y + 92, random)
    const next = boxes[index + 1]
    if (next) drawArrow(picture, [x + 254, y + 75], [next.x - 6, next.y + 75])
  })
  return picture
}

function drawOutline(picture: Picture, x: number, y: number, width: number, height: number): void {
  const corners: [number, number][] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ]
  corners
    .slice(1)
    .forEach((corner, index) => drawStroke(picture, corners[index] ?? corner, corner, [3, 3], [70, 78, 92]))
}

function drawArrow(picture: Picture, from: [number, number], to: [number, number]): void {
  drawStroke(picture, from, to, [3, 3], [70, 78, 92])
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0])
  for (const turn of [2.6, -2.6]) {
    const tip: [number, number] = [to[0] + Math.cos(angle + turn) * 22, to[1] + Math.sin(angle + turn) * 22]
    drawStroke(picture, to, tip, [3, 2], [70, 78, 92])
  }
}
