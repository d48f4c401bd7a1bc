import { blankProfileTexts } from './color-profile.ts'

/** Boxes with other boxes in them, and how many bytes precede the first of these. */
const CONTAINERS: Readonly<Record<string, number>> = {
  meta: 4,
  iinf: 6,
  iref: 4,
  iprp: 0,
  ipco: 0,
  grpl: 0,
  moov: 0,
  trak: 0,
  edts: 0,
  mdia: 0,
  minf: 0,
  dinf: 0,
  stbl: 0,
  stsd: 8,
  av01: 78,
  hvc1: 78,
}
/** Boxes that consist of numbers. All others are blanked. */
const KEPT_BOXES: ReadonlySet<string> = new Set(
  (
    'ftyp pitm iloc ipma auxl dimg thmb cdsc prem base altr ster ispe pixi pasp clap irot imir av1C hvcC auxC ' +
    'a1lx a1op lsel clli mdcv cclv amve mvhd tkhd mdhd elst vmhd dref tref stts stsc stsz stco co64 stss ctts ' +
    'sdtp sgpd sbgp ccst auxi'
  ).split(' '),
)
const TIMED_BOXES: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd'])
/** Version, handler and reserved bytes stand before the name of who wrote it. */
const HANDLER_BYTES = 24
const PICTURE_HANDLERS: ReadonlySet<string> = new Set(['pict', 'auxv', 'vide'])
const PICTURE_ITEMS: ReadonlySet<string> = new Set(['av01', 'hvc1', 'grid', 'iden', 'iovl', 'tmap'])
/** No reader knows an item of this type. */
const BLANKED_ITEM = 'none'
/** These of the 78 bytes before the boxes of a sample entry name the encoder. */
const [ENCODER_START, ENCODER_END] = [42, 74]
const MAX_BOXES = 100_000
/** Items may share their data; more than that is no picture. */
const MAX_COPIES = 4

class DamagedError extends Error {}

/**
 * Blanks what an AVIF or HEIC file says besides its pixels: Exif, XMP, provenance, thumbnails,
 * dates and names. Everything stays at its place. Which side is up is a property of the picture.
 * @returns null if the file is damaged, or holds what is no picture
 */
export function blankAvifMetadata(buffer: Buffer): Buffer | null {
  try {
    return new AvifBlanker(buffer).blank()
  } catch (error) {
    // Offsets are those of a stranger.
    if (error instanceof DamagedError || error instanceof RangeError) return null
    throw error
  }
}

interface Box {
  readonly type: string
  readonly start: number
  readonly bodyStart: number
  readonly end: number
}

class AvifBlanker {
  readonly #source: Buffer
  readonly #blanked: Buffer
  readonly #itemTypes = new Map<number, string>()
  readonly #thumbnails = new Set<number>()
  #locations: Box | null = null
  /** Holds the data of items whose construction method is 1. */
  #itemData: Box | null = null
  #isSequence = false
  #boxCount = 0

  constructor(source: Buffer) {
    this.#source = source
    this.#blanked = Buffer.alloc(source.length)
  }

  blank(): Buffer {
    const source = this.#source
    const boxes = [...this.#readBoxes(0, source.length)]
    for (const box of boxes) this.#findItems(box)
    for (const box of boxes) this.#keepBox(box)
    // The frames of a sequence stand in its data without any item.
    if (this.#isSequence) for (const { bodyStart, end, type } of boxes) if (type === 'mdat') this.#copy(bodyStart, end)
    for (const { id, start, end } of this.#readExtents())
      if (this.#isPicture(id)) this.#copy(start, end)
      else this.#blanked.fill(0, start, end)
    return this.#blanked
  }

  *#readBoxes(start: number, end: number): Generator<Box> {
    const source = this.#source
    for (let offset = start; offset + 8 <= end;) {
      const declared = source.readUInt32BE(offset)
      const bodyStart = offset + (declared === 1 ? 16 : 8)
      const bytes = declared === 0 ? end - offset : declared === 1 ? readNumber(source, offset + 8, 8) : declared
      this.#boxCount += 1
      if (offset + bytes > end || bodyStart > offset + bytes || this.#boxCount > MAX_BOXES) throw new DamagedError()
      yield { type: source.toString('latin1', offset + 4, offset + 8), start: offset, bodyStart, end: offset + bytes }
      offset += bytes
    }
  }

  #readChildren({ type, bodyStart, end }: Box): Iterable<Box> {
    const isLong = type === 'iinf' && (this.#source[bodyStart] ?? 0) > 0
    return this.#readBoxes(bodyStart + (CONTAINERS[type] ?? 0) + (isLong ? 2 : 0), end)
  }

  #findItems(box: Box): void {
    const { type, bodyStart } = box
    const isLong = (this.#source[bodyStart] ?? 0) > 0
    if (type === 'moov') this.#isSequence = true
    if (type === 'iloc') this.#locations = box
    if (type === 'idat') this.#itemData = box
    if (type === 'infe') this.#itemTypes.set(...this.#readItem(box))
    if (type === 'iref')
      for (const reference of this.#readChildren(box))
        if (reference.type === 'thmb')
          this.#thumbnails.add(readNumber(this.#source, reference.bodyStart, isLong ? 4 : 2))
    if (type === 'meta' || type === 'iprp' || type === 'iinf')
      for (const child of this.#readChildren(box)) this.#findItems(child)
  }

  #readItem({ bodyStart }: Box): [id: number, type: string] {
    const version = this.#source[bodyStart] ?? 0
    // Items of earlier versions have no type.
    if (version < 2) throw new DamagedError()
    const idBytes = version === 2 ? 2 : 4
    const typeStart = bodyStart + 6 + idBytes
    return [readNumber(this.#source, bodyStart + 4, idBytes), this.#source.toString('latin1', typeStart, typeStart + 4)]
  }

  #isPicture(id: number): boolean {
    return PICTURE_ITEMS.has(this.#itemTypes.get(id) ?? '') && !this.#thumbnails.has(id)
  }

  #keepBox(box: Box): void {
    const { type, start, bodyStart, end } = box
    this.#copy(start, bodyStart)
    if (Object.hasOwn(CONTAINERS, type)) this.#keepContainer(box)
    else if (type === 'hdlr') this.#keepHandler(box)
    else if (type === 'infe') this.#keepItem(box)
    else if (type === 'colr') this.#keepColors(box)
    else if (KEPT_BOXES.has(type)) {
      this.#copy(bodyStart, end)
      const isLong = (this.#source[bodyStart] ?? 0) === 1
      if (TIMED_BOXES.has(type)) this.#blanked.fill(0, bodyStart + 4, Math.min(end, bodyStart + (isLong ? 20 : 12)))
    } else if (type !== 'mdat' && type !== 'idat') this.#blanked.write('free', start + 4, 'latin1')
  }

  #keepContainer(box: Box): void {
    const { type, bodyStart, end } = box
    const children = [...this.#readChildren(box)]
    this.#copy(bodyStart, children[0]?.start ?? end)
    if (type === 'av01' || type === 'hvc1') this.#blanked.fill(0, bodyStart + ENCODER_START, bodyStart + ENCODER_END)
    for (const child of children) this.#keepBox(child)
  }

  #keepHandler({ bodyStart, end }: Box): void {
    if (!PICTURE_HANDLERS.has(this.#source.toString('latin1', bodyStart + 8, bodyStart + 12))) throw new DamagedError()
    this.#copy(bodyStart, Math.min(end, bodyStart + HANDLER_BYTES))
  }

  #keepItem(box: Box): void {
    const [id, type] = this.#readItem(box)
    const typeStart = box.bodyStart + ((this.#source[box.bodyStart] ?? 0) === 2 ? 8 : 10)
    this.#copy(box.bodyStart, typeStart)
    this.#blanked.write(this.#isPicture(id) ? type : BLANKED_ITEM, typeStart, 'latin1')
  }

  #keepColors({ bodyStart, end }: Box): void {
    const kind = this.#source.toString('latin1', bodyStart, bodyStart + 4)
    this.#copy(bodyStart, end)
    if (kind !== 'nclx') blankProfileTexts(this.#source.subarray(bodyStart + 4, end)).copy(this.#blanked, bodyStart + 4)
  }

  /** @see ISO 14496-12 §8.11.3 */
  *#readExtents(): Generator<{ readonly id: number; readonly start: number; readonly end: number }> {
    if (!this.#locations) return
    const source = this.#source
    let offset = this.#locations.bodyStart
    let itemBytes = 0
    const take = (bytes: number): number => readNumber(source, (offset += bytes) - bytes, bytes)
    const version = take(1)
    offset += 3
    const [firstSizes, secondSizes] = [take(1), take(1)]
    const [offsetBytes, lengthBytes, baseBytes] = [firstSizes >> 4, firstSizes & 15, secondSizes >> 4]
    const indexBytes = version === 0 ? 0 : secondSizes & 15
    const idBytes = version < 2 ? 2 : 4
    for (let count = take(idBytes); count > 0; count -= 1) {
      const id = take(idBytes)
      const construction = version === 0 ? 0 : take(2) & 15
      // Data of another file, or of another item, belongs to no picture of a browser's.
      if (construction > 1 || take(2) !== 0) throw new DamagedError()
      const place = construction === 1 ? this.#itemData : { bodyStart: 0, end: source.length }
      const base = (place?.bodyStart ?? 0) + take(baseBytes)
      for (let extents = take(2); extents > 0; extents -= 1) {
        offset += indexBytes
        const start = base + take(offsetBytes)
        const bytes = take(lengthBytes)
        const end = bytes === 0 ? (place?.end ?? 0) : start + bytes
        if (offset > this.#locations.end || end > (place?.end ?? 0) || start > end) throw new DamagedError()
        this.#boxCount += 1
        itemBytes += end - start
        if (this.#boxCount > MAX_BOXES || itemBytes > source.length * MAX_COPIES) throw new DamagedError()
        yield { id, start, end }
      }
    }
  }

  #copy(start: number, end: number): void {
    this.#source.copy(this.#blanked, start, start, end)
  }
}

/** @throws RangeError if it is outside the file */
function readNumber(source: Buffer, offset: number, bytes: number): number {
  if (bytes === 0) return 0
  if (bytes === 8) return Number(source.readBigUInt64BE(offset))
  return source.readUIntBE(offset, bytes)
}
