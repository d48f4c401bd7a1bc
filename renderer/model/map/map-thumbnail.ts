import type { MapLayout } from './map-layout.ts'

/** Height and width of the grid of a thumbnail, in cells. */
export const THUMBNAIL_CELLS = 96

/** Draws the map in a square of `THUMBNAIL_CELLS`: lines show from where to where cards reach. */
export function drawThumbnail({
  length,
  projection,
  along,
  across,
  alongSizes,
  acrossSizes,
  bounds,
}: MapLayout): string {
  if (length === 0) return ''
  const isDown = projection === 'down'
  const cells = new Uint8Array(THUMBNAIL_CELLS * THUMBNAIL_CELLS)
  const [alongStart, acrossStart] = isDown ? [bounds.top, bounds.left] : [bounds.left, bounds.top]
  const [alongEnd, acrossEnd] = isDown ? [bounds.bottom, bounds.right] : [bounds.right, bounds.bottom]
  const alongScale = THUMBNAIL_CELLS / Math.max(1, alongEnd - alongStart)
  const acrossScale = THUMBNAIL_CELLS / Math.max(1, acrossEnd - acrossStart)
  const last = THUMBNAIL_CELLS - 1
  for (let row = 0; row < length; row += 1) {
    const middle = (across[row] ?? 0) + (acrossSizes[row] ?? 0) / 2
    const line = Math.min(last, Math.floor((middle - acrossStart) * acrossScale))
    const from = Math.floor(((along[row] ?? 0) - alongStart) * alongScale)
    const to = Math.min(last, Math.floor(((along[row] ?? 0) + (alongSizes[row] ?? 0) - alongStart) * alongScale))
    const first = line * THUMBNAIL_CELLS
    for (let cell = first + Math.max(0, from); cell <= first + to; cell += 1) cells[cell] = 1
  }
  let path = ''
  for (let line = 0; line < THUMBNAIL_CELLS; line += 1) {
    for (let cell = 0; cell < THUMBNAIL_CELLS;) {
      const start = cell
      while (cell < THUMBNAIL_CELLS && cells[line * THUMBNAIL_CELLS + cell] === 1) cell += 1
      if (cell > start)
        path += isDown
          ? `M${line} ${start}v${cell - start}h.7v${start - cell}z`
          : `M${start} ${line}h${cell - start}v.7h${start - cell}z`
      cell += 1
    }
  }
  return path
}
