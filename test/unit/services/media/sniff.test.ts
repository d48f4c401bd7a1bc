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
const sniff = (bytes: Buffer | string, declared = '', isComplete = true): Promise<SniffedContent> =>
  sniffContent(Buffer.from(bytes as string), isComplete, declared)

const flac = Buffer.from(`fLaC\0\0\0\x22${'x'.repeat(60)}`, 'latin1')
const OCTET_STREAM = 'application/octet-stream'
const PLAIN_TEXT = 'text/plain; charset=utf-8'

describe('type read from the bytes', () => {
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
    ['HEIC, which no browser shows', createMp4('heic'), 'binary', OCTET_STREAM, 'heic'],
    ['TIFF, which no browser shows', Buffer.from('49492a00080000000000', 'hex'), 'binary', OCTET_STREAM, 'tif'],
    ['MP4', createMp4(), 'video', 'video/mp4', 'mp4'],
    ['QuickTime', createMp4('qt  '), 'video', 'video/quicktime', 'mov'],
    ['M4A', createMp4('M4A '), 'audio', 'audio/mp4', 'm4a'],
    ['WebM', webm, 'video', 'video/webm', 'webm'],
    ['MP3', createMp3(), 'audio', 'audio/mpeg', 'mp3'],
    ['WAV', createWav(), 'audio', 'audio/wav', 'wav'],
    ['Ogg', createOgg(), 'audio', 'audio/ogg', 'opus'],
    ['FLAC', flac, 'audio', 'audio/flac', 'flac'],
    ['PDF', createPdf(), 'pdf', 'application/pdf', 'pdf'],
    ['zip', Buffer.from('504b0304140000000000000021', 'hex'), 'binary', OCTET_STREAM, 'zip'],
    ['a program', Buffer.from('7f454c4602010100', 'hex'), 'binary', OCTET_STREAM, 'elf'],
    ['nothing known', Buffer.from([1, 2, 3, 250, 0, 9]), 'binary', OCTET_STREAM, 'bin'],
    ['JSON', Buffer.from('{"a":1}'), 'text', PLAIN_TEXT, 'json'],
    ['text', Buffer.from('页 1\nfirst'), 'text', PLAIN_TEXT, 'txt'],
    ['Markdown', Buffer.from('# Title\n<script>alert(1)</script>'), 'text', PLAIN_TEXT, 'txt'],
    ['XML', Buffer.from('<?xml version="1.0"?><plist/>'), 'text', PLAIN_TEXT, 'xml'],
    ['UTF-16', Buffer.from('\ufefftext', 'utf16le'), 'text', PLAIN_TEXT, 'txt'],
    ['nothing', Buffer.alloc(0), 'binary', OCTET_STREAM, 'txt'],
  ])('is detected for %s', async (_name, bytes, kind, mediaType, extension) => {
    expect(await sniff(bytes)).toMatchObject({ kind, mediaType, extension, isMismatch: false, needsMoreBytes: false })
  })

  test.each([
    [createPng(3, 2), { width: 3, height: 2 }],
    [createJpeg(640, 480), { width: 640, height: 480 }],
    [createGif(7, 5), { width: 7, height: 5 }],
    [createBmp(9, -4), { width: 9, height: 4 }],
    [createWebp('VP8X', 20, 10), { width: 20, height: 10 }],
  ])('comes with the pixel dimensions (%#)', async (bytes, size) => {
    expect((await sniff(bytes)).size).toEqual(size)
  })

  test('waits for the data behind a long tag, and reports no mismatch before', async () => {
    const bytes = Buffer.concat([createId3Tag(200_000), flac, Buffer.alloc(10_000)])
    const beginning = await sniff(bytes.subarray(0, 4_100), 'audio/flac', false)
    expect(beginning).toMatchObject({ kind: 'audio', mediaType: 'audio/flac', isMismatch: false, needsMoreBytes: true })
    expect(await sniff(bytes.subarray(0, 4_100), 'image/png', false)).toMatchObject({ kind: 'audio', isMismatch: true })
    expect(await sniff(bytes, 'audio/flac', false)).toMatchObject({ isMismatch: false, needsMoreBytes: false })
    expect(await sniff(bytes, 'audio/ogg', false)).toMatchObject({ mediaType: 'audio/flac', isMismatch: true })
  })

  test('needs more bytes for a JPEG whose frame has not arrived yet', async () => {
    const bytes = createJpeg(640, 480, 1, 30_000)
    expect(await sniff(bytes.subarray(0, 5_000), 'image/jpeg', false)).toMatchObject({
      size: null,
      needsMoreBytes: true,
    })
    expect(await sniff(bytes.subarray(0, 5_000), 'image/jpeg', true)).toMatchObject({
      size: null,
      needsMoreBytes: false,
    })
    expect(await sniff(bytes, 'image/jpeg', false)).toMatchObject({
      size: { width: 640, height: 480 },
      needsMoreBytes: false,
    })
  })
})

describe('safety 18: markup', () => {
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
  ])('is an image if it is an SVG %s', async (_name, svg) => {
    const sniffed = await sniff(svg as Buffer, 'image/png')
    expect(sniffed).toMatchObject({ kind: 'image', mediaType: 'image/svg+xml', isMismatch: true, extension: 'svg' })
    expect((await sniff(svg as Buffer, 'image/svg+xml')).isMismatch).toBe(false)
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
  ])('is text if it is HTML (%#)', async (html) => {
    expect(await sniff(html, 'image/png')).toMatchObject({ kind: 'text', mediaType: PLAIN_TEXT, isMismatch: true })
    expect((await sniff(html, 'image/png')).extension).not.toMatch(/htm|svg/)
  })
})

describe('safety 20: declared type', () => {
  const declaredTypes: [string, Buffer, boolean][] = [
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
  test.each(declaredTypes)('is compared with the bytes: %s (%#)', async (declared, bytes, mismatch) => {
    expect((await sniff(bytes, declared)).isMismatch).toBe(mismatch)
  })

  test('never leads to a type that could run, whatever the bytes are', async () => {
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
        async (type, start, rest, isComplete) => {
          const { mediaType, extension } = await sniffContent(
            Buffer.concat([Buffer.from(start, 'latin1'), rest]),
            isComplete,
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
  ])('is parsed from %j as %j', (declared, expected) => {
    expect(parseMediaType(declared)).toBe(expected)
  })

  test('is shown on one line', () => {
    expect(formatMediaType('image/png\r\nSet-Cookie: a\u2028b')).toBe('image/png  Set-Cookie: a b')
    expect(formatMediaType('x'.repeat(500))).toHaveLength(200)
  })
})
