import { crc32, deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { removeMetadata } from '../../../../electron/services/recordings/redaction/pictures.ts'
import { createJpegWithText, createPng, createWebp } from '../../../support/data/pictures.ts'

const TEXT = 'A private text'
const PROFILE = 'profile of colors'
const SIDEWAYS = 6

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1')
/** TIFF with the orientation and, behind it, a text. */
function createTiff(): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex')
  return Buffer.concat([tiff, toBytes(TEXT)])
}
const keptTiff = Buffer.from(`49492a0008000000010012010300010000000${SIDEWAYS}00000000000000`, 'hex')

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
    const profile = createSegment(0xe2, toBytes(`ICC_PROFILE\0\x01\x01${PROFILE}`))
    const jfif = toBytes('JFIF\0\x01\x02\x01\0\x48\0\x48')
    const picture = Buffer.concat([
      jpeg.subarray(0, 2),
      createSegment(0xe0, Buffer.concat([jfif, Buffer.from([1, 1]), toBytes(TEXT)])),
      createSegment(0xe0, toBytes(`JFXX\0\x10${TEXT}`)),
      createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), createTiff()])),
      createSegment(0xe1, toBytes(`http://ns.adobe.com/xap/1.0/\0${TEXT}`)),
      createSegment(0xe2, toBytes(`MPF\0${TEXT}`)),
      createSegment(0xed, toBytes(`Photoshop 3.0\0${TEXT}`)),
      createSegment(0xee, toBytes(`Adobe\0\x64\0\0\0\0\x01${TEXT}`)),
      profile,
      jpeg.subarray(2),
      toBytes(TEXT),
    ])
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.includes(profile)).toBe(true)
    expect(stripped.includes(createSegment(0xe1, Buffer.concat([toBytes('Exif\0\0'), keptTiff])))).toBe(true)
    expect(stripped.includes(createSegment(0xe0, Buffer.concat([jfif, Buffer.alloc(2)])))).toBe(true)
    expect(stripped.includes(createSegment(0xee, toBytes('Adobe\0\x64\0\0\0\0\x01')))).toBe(true)
    expect(removeMetadata(stripped)).toEqual(stripped)
  })

  it('as PNG has its orientation and profile, and no other text', () => {
    const png = createPng()
    const profile = deflateSync(toBytes(PROFILE))
    const picture = Buffer.concat([
      png.subarray(0, 33),
      createChunk('iCCP', Buffer.concat([toBytes(`${TEXT}\0\0`), profile])),
      createChunk('eXIf', createTiff()),
      createChunk('iTXt', toBytes(`XML:com.adobe.xmp\0${TEXT}`)),
      createChunk('pHYs', toBytes(`123456789${TEXT}`)),
      png.subarray(33, -12),
      createChunk('IEND', toBytes(TEXT)),
      toBytes(TEXT),
    ])
    const stripped = removeMetadata(picture) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.includes(createChunk('iCCP', Buffer.concat([toBytes('ICC\0\0'), profile])))).toBe(true)
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
      createWebpChunk('ICCP', toBytes(PROFILE)),
      createWebpChunk('VP8 ', toBytes('pixel')),
      createWebpChunk('ANMF', frame),
      createWebpChunk('EXIF', createTiff()),
      createWebpChunk('XMP ', toBytes(TEXT)),
    ]
    const stripped =
      removeMetadata(createWebpChunk('RIFF', Buffer.concat([toBytes('WEBP'), ...chunks]))) ?? Buffer.alloc(0)
    expect(stripped.toString('latin1')).not.toContain(TEXT)
    expect(stripped.readUInt32LE(4)).toBe(stripped.length - 8)
    expect(stripped.subarray(20, 21)).toEqual(Buffer.from([0x28]))
    for (const chunk of [createWebpChunk('ICCP', toBytes(PROFILE)), createWebpChunk('EXIF', keptTiff)])
      expect(stripped.includes(chunk)).toBe(true)
    expect(removeMetadata(stripped)).toEqual(stripped)
  })
})
