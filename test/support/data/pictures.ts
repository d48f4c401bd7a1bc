import { PNG } from 'pngjs'

/** The smallest files whose first bytes are genuine. */

export const createPng = (width = 3, height = 2): Buffer => PNG.sync.write(new PNG({ width, height }))

export function createGif(width = 7, height = 5): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return Buffer.concat([head, Buffer.from([0x3b])])
}

export function createBmp(width = 9, height = -4): Buffer {
  const head = Buffer.alloc(58)
  head.write('BM', 0)
  head.writeUInt32LE(58, 2)
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  return head
}

/** A JPEG with Exif (`orientation`) and `padding` bytes of comments before its frame. */
export function createJpeg(width = 640, height = 480, orientation = 1, padding = 0): Buffer {
  const tiff = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex')
  tiff.writeUInt16LE(orientation, 18)
  const exif = buildSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]))
  const comments: Buffer[] = []
  for (let left = padding; left > 0; left -= 65_000)
    comments.push(buildSegment(0xfe, Buffer.alloc(Math.min(left, 65_000))))
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    exif,
    ...comments,
    buildSegment(0xc0, frame),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** A JPEG with a scan, so that it can be taken apart, and a comment. */
export function createJpegWithText(text: string): Buffer {
  const jpeg = createJpeg()
  const comment = buildSegment(0xfe, Buffer.from(text))
  const scan = Buffer.concat([buildSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from([0])])
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2, -2), scan, jpeg.subarray(-2)])
}

function buildSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

export function createWebp(form: 'VP8 ' | 'VP8L' | 'VP8X', width = 20, height = 10): Buffer {
  const data = Buffer.alloc(18)
  if (form === 'VP8X') {
    data.writeUIntLE(width - 1, 4, 3)
    data.writeUIntLE(height - 1, 7, 3)
  } else if (form === 'VP8L') {
    data[0] = 0x2f
    data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1)
  } else {
    data.writeUIntBE(0x9d012a, 3, 3)
    data.writeUInt16LE(width, 6)
    data.writeUInt16LE(height, 8)
  }
  const head = Buffer.from(`RIFF\0\0\0\0WEBP${form}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(data.length + 12, 4)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, data])
}

const buildBox = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(8)
  const body = Buffer.concat(parts)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/**
 * The AVIF boxes that list its pictures and their sizes, the first one's first; `padding` bytes
 * precede the sizes.
 */
export function createAvif(sizes: readonly (readonly [width: number, height: number])[], padding = 0): Buffer {
  const properties = sizes.map(([width, height]) => {
    const body = Buffer.alloc(12)
    body.writeUInt32BE(width, 4)
    body.writeUInt32BE(height, 8)
    return buildBox('ispe', body)
  })
  return Buffer.concat([
    buildBox('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf', 'latin1')),
    buildBox(
      'meta',
      Buffer.alloc(4),
      buildBox('free', Buffer.alloc(padding)),
      buildBox('iprp', buildBox('ipco', ...properties), buildBox('ipma', Buffer.alloc(8))),
    ),
    buildBox('mdat', Buffer.alloc(16)),
  ])
}

/** The black square of 32 x 32 pixels, made by libjxl's `cjxl`; bare, or in a container. */
const square = Buffer.from('ff0a4740505c080802010068004b188b1500d4391963d05c0004008640060183587f98bbc82000', 'hex')
export const createJxl = (contained = false): Buffer =>
  contained
    ? Buffer.concat([
        buildBox('JXL ', Buffer.from('0d0a870a', 'hex')),
        buildBox('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1')),
        buildBox('jxlc', square),
      ])
    : square

/** The beginning of a JPEG XL of any size, as one that is not small writes it. */
export function createJxlHead(width: number, height: number): Buffer {
  const bits = ['0', '11', toReversedBits(height - 1), '000', '11', toReversedBits(width - 1)].join('').padEnd(112, '0')
  const octets = (bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt([...octet].reverse().join(''), 2))
  return Buffer.from([0xff, 0x0a, ...octets])
}

/** Thirty bits, lowest first. */
const toReversedBits = (number: number): string => [...number.toString(2).padStart(30, '0')].reverse().join('')

/** An ID3 tag with this many bytes of padding, as a picture in it would take. */
export function createId3Tag(padding: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (padding >> shift) & 127)
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from(size), Buffer.alloc(padding)])
}

/** An icon with one entry that says 16 x 16 and is a PNG of whatever size. */
export function createIcon(inside: Buffer): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head[6] = 16
  head[7] = 16
  head.writeUInt32LE(inside.length, 14)
  head.writeUInt32LE(22, 18)
  return Buffer.concat([head, inside])
}

export const createPdf = (): Buffer => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer <<>>\n%%EOF\n')

/** 16 bit, mono, with this many bytes of audio. */
export function createWav(size = 1_000): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + size, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(size, 40)
  return Buffer.concat([head, Buffer.alloc(size)])
}

export const createMp3 = (): Buffer =>
  Buffer.concat([
    Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'),
    Buffer.from([0xff, 0xfb, 0x90, 0x64]),
    Buffer.alloc(500),
  ])

export const createMp4 = (brand = 'isom'): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from(`ftyp${brand}\0\0\0\0${brand}mp42`, 'latin1'),
    Buffer.alloc(100),
  ])

export const createOgg = (): Buffer =>
  Buffer.concat([
    Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead', 'latin1'),
    Buffer.alloc(80),
  ])
