export interface PixelSize {
  readonly width: number
  readonly height: number
}

const ORIENTATION = 0x0112
const [X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT] = [0x011a, 0x011b, 0x0128]
/** It leads to a second directory. */
const SUBDIRECTORY = 0x8769
const [COLOR_SPACE, PIXEL_WIDTH, PIXEL_HEIGHT, GAMMA] = [0xa001, 0xa002, 0xa003, 0xa500]
/** Tags that decide how a picture is shown, in the order of the file; others tell who made it. */
const SHOWN_TAGS: readonly number[] = [ORIENTATION, X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT]
const SHOWN_SUB_TAGS: readonly number[] = [COLOR_SPACE, PIXEL_WIDTH, PIXEL_HEIGHT, GAMMA]

const MAX_ENTRIES = 1_000
const ENTRY_BYTES = 12
const [SHORT, LONG, RATIONAL] = [3, 4, 5]

interface ExifEntry {
  readonly tag: number
  readonly type: number
  readonly value: number
  /** 1 for a whole number. */
  readonly denominator: number
}

/** The members of Exif that affect how a picture is shown. */
export interface Exif {
  readonly entries: readonly ExifEntry[]
  readonly subEntries: readonly ExifEntry[]
}

/** @param tiff untrusted; what cannot be read is left out */
export function readExif(tiff: Buffer): Exif {
  if (tiff.length < 8) return { entries: [], subEntries: [] }
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (offset: number): number => (isLittle ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset))
  const read32 = (offset: number): number => (isLittle ? tiff.readUInt32LE(offset) : tiff.readUInt32BE(offset))
  const readEntry = (offset: number): ExifEntry | null => {
    const [tag, type, value] = [read16(offset), read16(offset + 2), read32(offset + 8)]
    if (read32(offset + 4) !== 1) return null
    if (type === SHORT) return { tag, type, value: read16(offset + 8), denominator: 1 }
    if (type === LONG) return { tag, type, value, denominator: 1 }
    if (type !== RATIONAL || value + 8 > tiff.length) return null
    return { tag, type, value: read32(value), denominator: read32(value + 4) }
  }
  const readDirectory = (start: number): ExifEntry[] => {
    if (start + 2 > tiff.length) return []
    const count = Math.min(read16(start), MAX_ENTRIES, Math.floor((tiff.length - start - 2) / ENTRY_BYTES))
    const entries = Array.from({ length: count }, (_, index) => readEntry(start + 2 + index * ENTRY_BYTES))
    return entries.filter((entry) => entry !== null)
  }
  const pick = (entries: readonly ExifEntry[], tags: readonly number[]): ExifEntry[] =>
    tags.flatMap((tag) => entries.find((entry) => entry.tag === tag) ?? [])
  const directory = readDirectory(read32(4))
  const subdirectory = directory.find(({ tag }) => tag === SUBDIRECTORY)
  return {
    entries: pick(directory, SHOWN_TAGS),
    subEntries: pick(subdirectory ? readDirectory(subdirectory.value) : [], SHOWN_SUB_TAGS),
  }
}

/** Creates TIFF that says this and nothing else; null if there is nothing to say. */
export function encodeExif(exif: Exif): Buffer | null {
  const isUpright = getOrientation(exif) === 1
  const entries = exif.entries.filter(({ tag }) => tag !== ORIENTATION || !isUpright)
  if (entries.length + exif.subEntries.length === 0) return null
  const head = Buffer.from('49492a0008000000', 'hex')
  if (exif.subEntries.length === 0) return Buffer.concat([head, encodeDirectory(entries, head.length)])
  const link = { tag: SUBDIRECTORY, type: LONG, value: 0, denominator: 1 }
  const start = head.length + encodeDirectory([...entries, link], head.length).length
  const directory = encodeDirectory([...entries, { ...link, value: start }], head.length)
  return Buffer.concat([head, directory, encodeDirectory(exif.subEntries, start)])
}

/** @param start the offset at which the directory will stand; its rationals follow it */
function encodeDirectory(entries: readonly ExifEntry[], start: number): Buffer {
  const rationals = entries.filter(({ type }) => type === RATIONAL)
  const rationalsStart = 2 + entries.length * ENTRY_BYTES + 4
  const bytes = Buffer.alloc(rationalsStart + rationals.length * 8)
  bytes.writeUInt16LE(entries.length)
  for (const [index, entry] of entries.entries()) {
    const offset = 2 + index * ENTRY_BYTES
    const place = rationalsStart + rationals.indexOf(entry) * 8
    bytes.writeUInt16LE(entry.tag, offset)
    bytes.writeUInt16LE(entry.type, offset + 2)
    bytes.writeUInt32LE(1, offset + 4)
    bytes.writeUInt32LE(entry.type === RATIONAL ? start + place : entry.value, offset + 8)
    if (entry.type !== RATIONAL) continue
    bytes.writeUInt32LE(entry.value, place)
    bytes.writeUInt32LE(entry.denominator, place + 4)
  }
  return bytes
}

function getNumber({ entries, subEntries }: Exif, tag: number): number | null {
  const entry = entries.find((entry) => entry.tag === tag) ?? subEntries.find((entry) => entry.tag === tag)
  return entry && entry.denominator > 0 ? entry.value / entry.denominator : null
}

/** From this orientation on, the picture is rotated by 90 or 270 degrees. */
const FIRST_ROTATED_ORIENTATION = 5
const LAST_ORIENTATION = 8

function getOrientation(exif: Exif): number {
  const orientation = getNumber(exif, ORIENTATION) ?? 1
  return orientation >= 1 && orientation <= LAST_ORIENTATION ? orientation : 1
}

/** Browsers rotate the picture accordingly. */
export function turnByExif({ width, height }: PixelSize, exif: Exif): PixelSize {
  return getOrientation(exif) >= FIRST_ROTATED_ORIENTATION ? { width: height, height: width } : { width, height }
}

const [DEFAULT_DENSITY, INCHES] = [72, 2]

/** The size before a turn. @see HTML, "density-corrected natural width and height" */
export function scaleByExif(size: PixelSize, exif: Exif): PixelSize {
  const [width, height] = [getNumber(exif, PIXEL_WIDTH), getNumber(exif, PIXEL_HEIGHT)]
  if (!width || !height || getNumber(exif, RESOLUTION_UNIT) !== INCHES) return size
  const isScaled = (edge: number, tag: number, scaledEdge: number): boolean =>
    Math.abs((edge * DEFAULT_DENSITY) / (getNumber(exif, tag) ?? 0) - scaledEdge) < 1
  return isScaled(size.width, X_RESOLUTION, width) && isScaled(size.height, Y_RESOLUTION, height)
    ? { width, height }
    : size
}
