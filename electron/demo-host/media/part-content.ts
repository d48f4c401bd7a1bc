/**
 * Pictures, sound and films of the demo host, generated from the seeds of parts.
 * Replies and ranges are in `../reply-sender.ts`.
 * Read this file first; `drawing.ts` draws on `canvas.ts`, `melody.ts` makes sound.
 */
import { readFileSync } from 'node:fs'
import type { DemoCard, DemoPart } from '../library/model.ts'
import { createBlankPicture, type Picture } from './canvas.ts'
import { drawPart, drawHandwriting, encodePng } from './drawing.ts'
import { createMelody } from './melody.ts'

interface DemoContent {
  readonly mimeType: string
  readonly bytes: Buffer
}

const MAX_CACHED_CONTENTS = 64
const cache = new Map<string, DemoContent>()

/** Caches recent contents: a viewer requests the same picture again and again. */
function getCachedContent(key: string, make: () => DemoContent): DemoContent {
  const cached = cache.get(key)
  if (cached) {
    cache.delete(key)
    cache.set(key, cached)
    return cached
  }
  const content = make()
  cache.set(key, content)
  const [oldest] = cache.keys()
  if (cache.size > MAX_CACHED_CONTENTS && oldest !== undefined) cache.delete(oldest)
  return content
}

/** Audio and video are always the original file, whatever `maxEdge` says (observed-0.49). */
export function getPartContent(part: DemoPart, layer: 'composite' | 'base', maxEdge: number): DemoContent {
  return getCachedContent(
    `${part.contentId}/${part.seed}/${JSON.stringify(part.masks ?? [])}/${layer}/${maxEdge}`,
    () => {
      if (part.kind === 'audio') return { mimeType: 'audio/wav', bytes: createMelody(part.seed) }
      if (part.kind === 'video') return { mimeType: 'video/webm', bytes: createVideo() }
      if (part.kind === 'attachment')
        return { mimeType: 'text/plain; charset=utf-8', bytes: Buffer.from(createAttachmentText(part)) }
      return { mimeType: 'image/png', bytes: encodePng(drawPart(part, layer, maxEdge)) }
    },
  )
}

const createAttachmentText = ({ contentId }: DemoPart): string =>
  `Notes that were attached to the card.\n附件 ${contentId}\n`

function createVideo(): Buffer {
  // The file is three folders up among sources and in a bundle's chunk, two in a single bundle.
  for (const path of ['../../../resources/demo/motion.webm', '../../resources/demo/motion.webm']) {
    try {
      return readFileSync(new URL(path, import.meta.url))
    } catch {
      continue
    }
  }
  return Buffer.alloc(0)
}

/** Draws a card as one long picture: its title as handwriting, then every picture part. */
function drawLongImage(card: DemoCard, width: number): Picture {
  const parts = card.parts.filter((part) => part.mimeType === 'image/png')
  const pictures = [
    drawHandwriting(card.title.length * 97, 1400, 260),
    ...parts.map((part) => drawPart(part, 'composite', 1400)),
  ]
  const scaled = pictures.map((picture) => scaleTo(picture, width))
  const height = scaled.reduce((sum, picture) => sum + picture.height + 12, 12)
  const page = createBlankPicture(width, height, [255, 255, 255])
  let top = 12
  for (const picture of scaled) {
    for (let row = 0; row < picture.height; row += 1) {
      picture.data.copy(page.data, (top + row) * width * 4, row * picture.width * 4, (row + 1) * picture.width * 4)
    }
    top += picture.height + 12
  }
  return page
}

/** Scales by nearest neighbours, good enough because pictures are made only a little smaller. */
function scaleTo(picture: Picture, width: number): Picture {
  const height = Math.max(1, Math.round((picture.height * width) / picture.width))
  const scaled = createBlankPicture(width, height, [255, 255, 255])
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from =
        (Math.floor((y * picture.height) / height) * picture.width + Math.floor((x * picture.width) / width)) * 4
      picture.data.copy(scaled.data, (y * width + x) * 4, from, from + 4)
    }
  }
  return scaled
}

/** Serves `GET /notes/{id}/render`. */
export async function renderCard(card: DemoCard, format: 'png' | 'pdf', width: number): Promise<DemoContent> {
  const picture = drawLongImage(card, width)
  if (format === 'png') return { mimeType: 'image/png', bytes: encodePng(picture) }
  const { PDFDocument } = await import('pdf-lib')
  const pdf = await PDFDocument.create()
  pdf.setTitle(card.title)
  const image = await pdf.embedPng(encodePng(picture))
  const pageHeight = Math.round(width * 1.414)
  for (let top = 0; top < picture.height; top += pageHeight) {
    const page = pdf.addPage([width, pageHeight])
    page.drawImage(image, { x: 0, y: pageHeight - picture.height + top, width, height: picture.height })
  }
  return { mimeType: 'application/pdf', bytes: Buffer.from(await pdf.save()) }
}
