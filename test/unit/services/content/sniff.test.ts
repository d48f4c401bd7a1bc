import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createHostileHtml, createHostileSvg } from '../../../../electron/demo-host/faults.ts'
import { parseMediaType, formatMediaType } from '../../../../electron/services/media/media-type.ts'
import { sniffContent, type SniffedContent } from '../../../../electron/services/media/sniffed-content.ts'
import {
  createBmp,
  createGif,
  createId3Tag,
  createJpeg,
  createJxl,
  createMp3,
  createMp4,
  createOgg,
  createPdf,
  createPng,
  createWav,
  createWebp,
} from '../../../support/data/pictures.ts'

const webm = readFileSync(new URL('../../../../resources/demo/motion.webm', import.meta.url)).subarray(0, 5_000)
const of = (bytes: Buffer | string, declared = '', whole = true): Promise<SniffedContent> =>
  sniffContent(Buffer.from(bytes as string), whole, declared)

const flac = Buffer.from(`fLaC\0\0\0\x22${'x'.repeat(60)}`, 'latin1')
const octets = 'application/octet-stream'
const plain = 'text/plain; charset=utf-8'

describe('the type is read from the bytes', () => {
  test.each<[string, Buffer, string, string, string]>([
    ['PNG', createPng(), 'image', 'image/png', 'png'],
    ['JPEG', createJpeg(), 'image', 'image/jpeg', 'jpg'],
    ['GIF', createGif(), 'image', 'image/gif', 'gif'],
    ['BMP', createBmp(), 'image', 'image/bmp', 'bmp'],
    ['WebP', createWebp('VP8X'), 'image', 'image/webp', 'webp'],
    ['AVIF', createMp4('avif'), 'image', 'image/avif', 'avif'],
    ['JPEG XL', createJxl(), 'image', 'image/jxl', 'jxl'],
    ['JPEG XL in its container', createJxl(true), 'image', 'image/jxl', 'jxl'],
    ['FLAC behind a tag', Buffer.concat([createId3Tag(200_000), flac]), 'audio', 'audio/flac', 'flac'],
    ['MP3 behind a tag', Buffer.concat([createId3Tag(200_000), createMp3()]), 'audio', 'audio/mpeg', 'mp3'],
    ['HEIC, which no browser shows', createMp4('heic'), 'binary', octets, 'heic'],
    ['TIFF, which no browser shows', Buffer.from('49492a00080000000000', 'hex'), 'binary', octets, 'tif'],
    ['MP4', createMp4(), 'video', 'video/mp4', 'mp4'],
    ['QuickTime', createMp4('qt  '), 'video', 'video/quicktime', 'mov'],
    ['M4A', createMp4('M4A '), 'audio', 'audio/mp4', 'm4a'],
    ['WebM', webm, 'video', 'video/webm', 'webm'],
    ['MP3', createMp3(), 'audio', 'audio/mpeg', 'mp3'],
    ['WAV', createWav(), 'audio', 'audio/wav', 'wav'],
    ['Ogg', createOgg(), 'audio', 'audio/ogg', 'opus'],
    ['FLAC', flac, 'audio', 'audio/flac', 'flac'],
    ['PDF', createPdf(), 'pdf', 'application/pdf', 'pdf'],
    ['zip', Buffer.from('504b0304140000000000000021', 'hex'), 'binary', octets, 'zip'],
    ['a program', Buffer.from('7f454c4602010100', 'hex'), 'binary', octets, 'elf'],
    ['nothing known', Buffer.from([1, 2, 3, 250, 0, 9]), 'binary', octets, 'bin'],
    ['JSON', Buffer.from('{"a":1}'), 'text', plain, 'json'],
    ['text', Buffer.from('页 1\nfirst'), 'text', plain, 'txt'],
    ['Markdown', Buffer.from('# Title\n<script>alert(1)</script>'), 'text', plain, 'txt'],
    ['XML', Buffer.from('<?xml version="1.0"?><plist/>'), 'text', plain, 'xml'],
    ['UTF-16', Buffer.from('\ufefftext', 'utf16le'), 'text', plain, 'txt'],
    ['nothing', Buffer.alloc(0), 'binary', octets, 'txt'],
  ])('%s', async (_name, bytes, kind, mediaType, extension) => {
    expect(await of(bytes)).toMatchObject({ kind, mediaType, extension, isMismatch: false, needsMoreBytes: false })
  })

  test.each([
    [createPng(3, 2), { width: 3, height: 2 }],
    [createJpeg(640, 480), { width: 640, height: 480 }],
    [createGif(7, 5), { width: 7, height: 5 }],
    [createBmp(9, -4), { width: 9, height: 4 }],
    [createWebp('VP8X', 20, 10), { width: 20, height: 10 }],
  ])('with its pixels %#', async (bytes, size) => {
    expect((await of(bytes)).size).toEqual(size)
  })

  test('what follows a long tag is waited for, and not called wrong before it arrives', async () => {
    const bytes = Buffer.concat([createId3Tag(200_000), flac, Buffer.alloc(10_000)])
    const beginning = await of(bytes.subarray(0, 4_100), 'audio/flac', false)
    expect(beginning).toMatchObject({ kind: 'audio', mediaType: 'audio/flac', isMismatch: false, needsMoreBytes: true })
    expect(await of(bytes.subarray(0, 4_100), 'image/png', false)).toMatchObject({ kind: 'audio', isMismatch: true })
    expect(await of(bytes, 'audio/flac', false)).toMatchObject({ isMismatch: false, needsMoreBytes: false })
    expect(await of(bytes, 'audio/ogg', false)).toMatchObject({ mediaType: 'audio/flac', isMismatch: true })
  })

  test('a JPEG whose frame has not arrived yet needs more', async () => {
    const bytes = createJpeg(640, 480, 1, 30_000)
    expect(await of(bytes.subarray(0, 5_000), 'image/jpeg', false)).toMatchObject({ size: null, needsMoreBytes: true })
    expect(await of(bytes.subarray(0, 5_000), 'image/jpeg', true)).toMatchObject({ size: null, needsMoreBytes: false })
    expect(await of(bytes, 'image/jpeg', false)).toMatchObject({
      size: { width: 640, height: 480 },
      needsMoreBytes: false,
    })
  })
})

describe('safety 18: markup is never sent as a document', () => {
  test.each([
    ['bare', '<svg onload="alert(1)"/>'],
    ['with a declaration', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
    [
      'behind comments and a document type',
      '<!-- a --><!DOCTYPE svg PUBLIC "x" [<!ENTITY a "<html>">]>\n<!-- b -->\n<svg/>',
    ],
    ['with a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
    ['with a byte order mark', '\ufeff<svg/>'],
    ['in UTF-16', Buffer.from('\ufeff<svg/>', 'utf16le')],
    ['of the demo host', createHostileSvg()],
  ])('an SVG %s is an image, and text to whoever is no <img>', async (_name, svg) => {
    const found = await of(svg as Buffer, 'image/png')
    expect(found).toMatchObject({ kind: 'image', mediaType: 'image/svg+xml', isMismatch: true, extension: 'svg' })
    expect((await of(svg as Buffer, 'image/svg+xml')).isMismatch).toBe(false)
  })

  test.each([
    createHostileHtml(),
    '<!DOCTYPE html><p>',
    '  <HTML lang=en>',
    '<script>alert(1)</script>',
    '<!-- x --><body onload=alert(1)>',
    '\ufeff<iframe src=javascript:alert(1)>',
    '<img src=x onerror=alert(1)>',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script/></html>',
    '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  ])('HTML %#', async (html) => {
    expect(await of(html, 'image/png')).toMatchObject({ kind: 'text', mediaType: plain, isMismatch: true })
    expect((await of(html, 'image/png')).extension).not.toMatch(/htm|svg/)
  })
})

describe('safety 20: the host’s type is compared, never trusted', () => {
  const lies: [string, Buffer, boolean][] = [
    ['image/png', createPng(), false],
    ['IMAGE/PNG; charset=x', createPng(), false],
    ['image/jpg', createJpeg(), false],
    ['audio/x-wav', createWav(), false],
    ['audio/mp3', createMp3(), false],
    ['application/octet-stream', createPng(), false],
    ['', createPng(), false],
    ['image/png', createJpeg(), true],
    ['text/html', createPng(), true],
    ['image/png', createWav(), true],
    ['image/png', Buffer.from([1, 2, 3, 250]), true],
    ['text/plain', Buffer.from([1, 2, 3, 250, 0]), true],
    ['text/html', Buffer.from([1, 2, 3, 250, 0]), true],
    ['application/x-thing', Buffer.from([1, 2, 3, 250, 0]), false],
    ['text/markdown', Buffer.from('# x'), false],
    ['application/json', Buffer.from('{}'), false],
    ['text/html', Buffer.from('just text'), true],
    ['image/png', Buffer.from('just text'), true],
    ['application/pdf', Buffer.from('just text'), true],
  ]
  test.each(lies)('%s %#', async (declared, bytes, mismatch) => {
    expect((await of(bytes, declared)).isMismatch).toBe(mismatch)
  })

  test('no declared type and no bytes lead to a sent type that could run', async () => {
    const types = fc.oneof(
      fc.constantFrom(
        'text/html',
        'image/svg+xml',
        'application/xhtml+xml',
        'text/javascript',
        'multipart/x-mixed-replace',
      ),
      fc.string({ unit: 'binary' }),
    )
    const beginnings = fc.constantFrom(
      '',
      '<html>',
      '<svg>',
      '<?xml?>',
      '%PDF-',
      '\x89PNG\r\n\x1a\n',
      'GIF89a',
      'RIFF....WEBP',
      'ID3',
      '\xff\xd8\xff',
      'PK\x03\x04',
      'BM',
    )
    await fc.assert(
      fc.asyncProperty(
        types,
        beginnings,
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        async (type, start, rest, whole) => {
          const { mediaType, extension } = await sniffContent(
            Buffer.concat([Buffer.from(start, 'latin1'), rest]),
            whole,
            type,
          )
          expect(mediaType).toMatch(
            /^(?:image\/(?:png|jpeg|gif|webp|bmp|avif|x-icon|svg\+xml)|(?:audio|video)\/[\w.+-]+|application\/(?:pdf|octet-stream)|text\/plain; charset=utf-8)$/,
          )
          expect(extension).toMatch(/^[a-z0-9]{1,10}$/)
        },
      ),
      { numRuns: 400 },
    )
  })

  test.each([
    ['image/png', 'image/png'],
    [' Image/PNG ; q=1', 'image/png'],
    ['image/png\r\nX-Evil: 1', ''],
    ['image', ''],
    ['image/', ''],
    ['a/b/c', ''],
    [`image/${'x'.repeat(200)}`, ''],
  ])('%j is %j', (declared, expected) => {
    expect(parseMediaType(declared)).toBe(expected)
  })

  test('what is shown of it stands on one line', () => {
    expect(formatMediaType('image/png\r\nSet-Cookie: a\u2028b')).toBe('image/png  Set-Cookie: a b')
    expect(formatMediaType('x'.repeat(500))).toHaveLength(200)
  })
})
