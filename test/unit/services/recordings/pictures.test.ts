import { crc32, deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { measureImage } from '../../../../electron/services/media/image-size.ts'
import { blankAvifMetadata } from '../../../../electron/services/recordings/redaction/avif-metadata.ts'
import { createGreyPicture, removeMetadata } from '../../../../electron/services/recordings/redaction/pictures.ts'
import { createJpegWithText, createPng, createWebp } from '../../../support/data/pictures.ts'

const TEXT = 'A private text'
const SIDEWAYS = 6

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1')

interface Entry {
  readonly tag: number
  readonly type: 2 | 3 | 4 | 5
  readonly value: number
  readonly count?: number
}
/** TIFF with these entries; `tail` follows the directory. */
function createTiff(entries: readonly Entry[], tail: Buffer): Buffer {
  const tiff = Buffer.alloc(14 + entries.length * 12)
  tiff.write('MM\0*\0\0\0\x08', 'latin1')
  tiff.writeUInt16BE(entries.length, 8)
  for (const [index, { tag, type, value, count = 1 }] of entries.entries()) {
    const offset = 10 + index * 12
    tiff.writeUInt16BE(tag, offset)
    tiff.writeUInt16BE(type, offset + 2)
    tiff.writeUInt32BE(count, offset + 4)
    if (type === 3) tiff.writeUInt16BE(value, offset + 8)
    else tiff.writeUInt32BE(value, offset + 8)
  }
  return Buffer.concat([tiff, tail])
}
/** The orientation, and a description. */
const sidewaysTiff = createTiff(
  [
    { tag: 0x010e, type: 2, count: TEXT.length, value: 38 },
    { tag: 0x0112, type: 3, value: SIDEWAYS },
  ],
  toBytes(TEXT),
)
const keptTiff = Buffer.from(`49492a0008000000010012010300010000000${SIDEWAYS}00000000000000`, 'hex')

/** Two pixels of the file for each that is shown, and the name of a maker. */
function createDenseTiff(width: number, height: number): Buffer {
  const subStart = 14 + 5 * 12
  const tail = createTiff(
    [
      { tag: 0x9286, type: 2, count: 4, value: 0x74657874 },
      { tag: 0xa002, type: 4, value: width / 2 },
      { tag: 0xa003, type: 3, value: height / 2 },
    ],
    Buffer.alloc(0),
  ).subarray(8)
  const resolution = Buffer.from('0000009000000001', 'hex')
  const rationals = subStart + tail.length
  return createTiff(
    [
      { tag: 0x010f, type: 2, count: TEXT.length, value: rationals + 8 },
      { tag: 0x011a, type: 5, value: rationals },
      { tag: 0x011b, type: 5, value: rationals },
      { tag: 0x0128, type: 3, value: 2 },
      { tag: 0x8769, type: 4, value: subStart },
    ],
    Buffer.concat([tail, resolution, toBytes(TEXT)]),
  )
}

/** An ICC profile with a color, a description and the serial number of a screen. */
function createProfile(text: string): Buffer {
  const tags = [
    { name: 'desc', data: toBytes(`desc\0\0\0\0\0\0\0\x0e${text}`) },
    { name: 'rXYZ', data: Buffer.concat([toBytes('XYZ \0\0\0\0'), Buffer.from('0000f6d6000100000000d32d', 'hex')]) },
    { name: 'mmod', data: toBytes(`mmod\0\0\0\0${text}`) },
  ]
  const head = Buffer.alloc(132 + tags.length * 12)
  head.write('acsp', 36, 'latin1')
  head.write('RGB XYZ ', 16, 'latin1')
  head.write(text.slice(0, 4), 80, 'latin1')
  head.writeUInt32BE(tags.length, 128)
  let offset = head.length
  for (const [index, { name, data }] of tags.entries()) {
    head.write(name, 132 + index * 12, 'latin1')
    head.writeUInt32BE(offset, 136 + index * 12)
    head.writeUInt32BE(data.length, 140 + index * 12)
    offset += data.length
  }
  const profile = Buffer.concat([head, ...tags.map(({ data }) => data)])
  profile.writeUInt32BE(profile.length)
  return profile
}
const profile = createProfile(TEXT)
/** What stays of it: all but the texts, which are empty. */
const keptProfile = ((): Buffer => {
  const blanked = createProfile('\0'.repeat(TEXT.length))
  blanked[blanked.lastIndexOf('desc\0', 'latin1') + 11] = 0
  return blanked
})()

function createSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

function createChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), toBytes(type), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

function createWebpChunk(type: string, data: Buffer): Buffer {
  const head = toBytes(`${type}\0\0\0\0`)
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

describe('a picture that is kept', () => {
  it('as JPEG has its orientation and profile, and no other text', () => {
    const jpeg = createJpegWithText(TEXT)
    const toSegment = (number: number, part: Buffer): Buffer =>
      createSegment(0xe2, Buffer.concat([toBytes(`ICC_PROFILE\0${String.fromCharCode(number)}\x02`), part]))
    const jfif = toBytes('JFIF\0\x01\x02\x01\0\x48\0\x48')
    const picture = Buffer.concat([
      jpeg.subarray(0, 2),
      createSegment(0xe0, Buffer.concat([jfif, Buffer.from([1, 1]), toBytes(TEXT)])),
      createSegment(0xe0, toBytes(`JFXX\0\x10${TEXT}`)),
      createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), sidewaysTiff])),
      createSegment(0xe1, toBytes(`http://ns.adobe.com/xap/1.0/\0${TEXT}`)),
      createSegment(0xe2, toBytes(`MPF\0${TEXT}`)),
      createSegment(0xed, toBytes(`Photoshop 3.0\0${TEXT}`)),
      createSegment(0xee, toBytes(`Adobe\0\x64\0\0\0\0\x01${TEXT}`)),
      toSegment(2, profile.subarray(200)),
      toSegment(1, profile.subarray(0, 200)),
      jpeg.subarray(2),
      toBytes(TEXT),
    ])
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.includes(toSegment(1, keptProfile.subarray(0, 200)))).toBe(true)
    expect(stripped.includes(toSegment(2, keptProfile.subarray(200)))).toBe(true)
    expect(stripped.includes(createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), keptTiff])))).toBe(true)
    expect(stripped.includes(createSegment(0xe0, Buffer.concat([jfif, Buffer.alloc(2)])))).toBe(true)
    expect(stripped.includes(createSegment(0xee, toBytes('Adobe\0\x64\0\0\0\0\x01')))).toBe(true)
    expect(removeMetadata(stripped)).toEqual(stripped)
  })

  it('as PNG has its orientation and profile, and no other text', () => {
    const png = createPng()
    const look = [
      createChunk('gAMA', Buffer.from('0000b18f', 'hex')),
      createChunk('cHRM', Buffer.alloc(32, 7)),
      createChunk('cICP', Buffer.from([9, 16, 0, 1])),
      createChunk('mDCV', Buffer.alloc(24, 1)),
      createChunk('cLLI', Buffer.alloc(8, 1)),
      createChunk('pHYs', Buffer.from('000016250000162501', 'hex')),
      createChunk('acTL', Buffer.from('0000000100000000', 'hex')),
      createChunk('fcTL', Buffer.alloc(26, 0)),
    ]
    const picture = Buffer.concat([
      png.subarray(0, 33),
      createChunk('iCCP', Buffer.concat([toBytes(`${TEXT}\0\0`), deflateSync(profile)])),
      createChunk('eXIf', sidewaysTiff),
      ...look,
      createChunk('tEXt', toBytes(`Comment\0${TEXT}`)),
      createChunk('caBX', toBytes(TEXT)),
      createChunk('iTXt', toBytes(`XML:com.adobe.xmp\0${TEXT}`)),
      createChunk('pHYs', toBytes(`123456789${TEXT}`)),
      png.subarray(33, -12),
      createChunk('IEND', toBytes(TEXT)),
      toBytes(TEXT),
    ])
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    const start = stripped.indexOf('iCCPICC\0\0', 'latin1') + 9
    expect(inflateSync(stripped.subarray(start)).equals(keptProfile)).toBe(true)
    for (const chunk of look) expect(stripped.includes(chunk)).toBe(true)
    expect(stripped.includes(createChunk('eXIf', keptTiff))).toBe(true)
    expect(PNG.sync.read(stripped).data).toEqual(PNG.sync.read(png).data)
    expect(removeMetadata(stripped)).toEqual(stripped)
  })

  it('as WebP has its orientation and profile, and no other text', () => {
    const webp = createWebp('VP8X')
    const head = Buffer.from(webp.subarray(20))
    head[0] = 0x2c
    const frame = Buffer.concat([
      Buffer.alloc(16),
      createWebpChunk('VP8 ', toBytes('pixels')),
      createWebpChunk('TEXT', toBytes(TEXT)),
    ])
    const chunks = [
      createWebpChunk('VP8X', head),
      createWebpChunk('ICCP', profile),
      createWebpChunk('VP8 ', toBytes('pixel')),
      createWebpChunk('ANMF', frame),
      createWebpChunk('EXIF', sidewaysTiff),
      createWebpChunk('XMP ', toBytes(TEXT)),
    ]
    const stripped =
      removeMetadata(createWebpChunk('RIFF', Buffer.concat([toBytes('WEBP'), ...chunks]))) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.readUInt32LE(4)).toBe(stripped.length - 8)
    expect(stripped.subarray(20, 21)).toEqual(Buffer.from([0x28]))
    for (const chunk of [createWebpChunk('ICCP', keptProfile), createWebpChunk('EXIF', keptTiff)])
      expect(stripped.includes(chunk)).toBe(true)
    expect(removeMetadata(stripped)).toEqual(stripped)
  })

  it('as GIF has its transparency and animation, and no other text', () => {
    const colors = Buffer.from([0, 0, 0, 255, 255, 255])
    const head = Buffer.concat([toBytes('GIF89a'), Buffer.from([2, 0, 1, 0, 0x80, 0, 49]), colors])
    const loop = toBytes('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0')
    const control = Buffer.from([0x21, 0xf9, 4, 5, 10, 0, 1, 0])
    const image = Buffer.concat([
      Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0x80]),
      colors,
      Buffer.from([2, 1, 0x44, 0]),
    ])
    const text = Buffer.concat([Buffer.from([TEXT.length]), toBytes(TEXT), Buffer.from([0])])
    const picture = Buffer.concat([
      head,
      loop,
      Buffer.concat([Buffer.from([0x21, 0xfe]), text]),
      Buffer.concat([toBytes('\x21\xff\x0bXMP DataXMP'), text]),
      control,
      image,
      Buffer.concat([Buffer.from([0x21, 0x01, 12]), Buffer.alloc(12), text]),
      control,
      image,
      Buffer.from([0x3b]),
      toBytes(TEXT),
    ])
    expect(removeMetadata(picture)).toEqual(
      Buffer.concat([head, loop, control, image, control, image, Buffer.from([0x3b])]),
    )
    expect(removeMetadata(picture.subarray(0, 40))).toBeNull()
  })

  it('as AVIF has its turn, its colors and its pixels, and no other text', () => {
    const { picture, pixels, turn } = createAvif()
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.length).toBe(picture.length)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.toString('latin1')).not.toMatch(/Exif|mime|xmp|udes|uuid|thumb/)
    for (const part of [pixels, turn, keptProfile, box('pasp', Buffer.from('0000000100000001', 'hex'))])
      expect(stripped.includes(part)).toBe(true)
    // The pixels stand where the file says that they stand.
    expect(stripped.indexOf(pixels)).toBe(picture.indexOf(pixels))
    expect(removeMetadata(stripped)).toEqual(stripped)
    expect(measureImage('image/avif', stripped)).toEqual({ width: 20, height: 30 })
  })

  it('as AVIF is read in bounded time, whatever its numbers are', () => {
    const { picture } = createAvif()
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(picture.length - 1), fc.nat(255)), { maxLength: 6 }), (changes) => {
        const changed = Buffer.from(picture)
        for (const [offset, value] of changes) changed[offset] = value
        const blanked = blankAvifMetadata(changed)
        expect([null, picture.length]).toContain(blanked && blanked.length)
      }),
      { numRuns: 2_000 },
    )
    const [locations, count] = [picture.indexOf('iloc', 0, 'latin1'), 0xffff]
    const endless = Buffer.from(picture)
    // No offset, no length, and as many extents as can be.
    endless.writeUInt16BE(0, locations + 8)
    endless.writeUInt16BE(count, locations + 10)
    endless.writeUInt16BE(count, locations + 16)
    expect(blankAvifMetadata(endless)).toBeNull()
  })

  it('shows as many pixels for each inch as before', () => {
    const tiff = createDenseTiff(640, 480)
    const jpeg = createJpegWithText(TEXT)
    const exif = createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), tiff]))
    const picture = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    const sizes = [picture, stripped].map((bytes) => readPngSize(createGreyPicture(bytes)))
    expect(sizes).toEqual([
      [320, 240],
      [320, 240],
    ])
  })
})

describe('a grey picture has the size at which the picture is shown', () => {
  it('if its Exif turns it, in a JPEG and a PNG, but not in a WebP', () => {
    const exif = createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), sidewaysTiff]))
    const jpeg = createJpegWithText(TEXT)
    expect(readPngSize(createGreyPicture(Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])))).toEqual([
      480, 640,
    ])
    const png = createPng(30, 20)
    const turned = Buffer.concat([png.subarray(0, 33), createChunk('eXIf', sidewaysTiff), png.subarray(33)])
    expect(readPngSize(createGreyPicture(turned))).toEqual([20, 30])
    expect(readPngSize(createGreyPicture(createWebp('VP8X', 30, 20)))).toEqual([30, 20])
  })

  it('if a property of an AVIF turns it', () => {
    expect(readPngSize(createGreyPicture(createAvif().picture))).toEqual([20, 30])
  })
})

const readPngSize = (png: Buffer | null): number[] | null => png && [png.readUInt32BE(16), png.readUInt32BE(20)]

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** A picture of 30 x 20 that is turned once, with Exif, XMP, a thumbnail and texts. */
function createAvif(): { readonly picture: Buffer; readonly pixels: Buffer; readonly turn: Buffer } {
  const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')
  const pixels = toBytes('the pixels themselves')
  const turn = box('irot', hex('01'))
  const data = [pixels, toBytes(`\0\0\0\0${TEXT}`), toBytes(`xmp ${TEXT}`), toBytes(`thumb ${TEXT}`)]
  const items = ['av01', 'Exif', 'mime', 'av01'].map((type, index) =>
    box('infe', hex(`02000000000${index + 1}0000`), toBytes(`${type}${TEXT}\0application/xml\0`)),
  )
  const createMeta = (dataStart: number): Buffer => {
    let offset = dataStart
    const places = data.map((bytes, index) => {
      const place = hex(`000${index + 1}00000001` + '00'.repeat(8))
      place.writeUInt32BE(offset, 6)
      place.writeUInt32BE(bytes.length, 10)
      offset += bytes.length
      return place
    })
    return box(
      'meta',
      hex('00000000'),
      box('hdlr', hex('0000000000000000'), toBytes('pict'), Buffer.alloc(12), toBytes(`${TEXT}\0`)),
      box('pitm', hex('000000000001')),
      box('iloc', hex('0000000044000004'), ...places),
      box('iinf', hex('000000000004'), ...items),
      box('iref', hex('00000000'), box('cdsc', hex('000200010001')), box('thmb', hex('000400010001'))),
      box(
        'iprp',
        box(
          'ipco',
          box('ispe', hex('000000000000001e00000014')),
          turn,
          box('colr', toBytes('prof'), profile),
          box('pasp', hex('0000000100000001')),
          box('udes', hex('00000000'), toBytes(`en\0${TEXT}\0`)),
        ),
        box('ipma', hex('00000000000000010001048182838485')),
      ),
    )
  }
  const head = box('ftyp', toBytes('avif\0\0\0\0avifmif1miaf'))
  const provenance = box('uuid', Buffer.alloc(16, 9), toBytes(TEXT))
  const start = head.length + provenance.length + createMeta(0).length + 8
  const picture = Buffer.concat([head, provenance, createMeta(start), box('mdat', ...data), box('free', toBytes(TEXT))])
  return { picture, pixels, turn }
}
