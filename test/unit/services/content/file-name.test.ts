import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildFileName } from '../../../../electron/services/media/file-name.ts'
import type { ContentRef } from '../../../../shared/ipc/content.ts'

const bundle = (path: string): ContentRef => ({ endpoint: 'bundles.files', params: { bundleId: 'b' }, query: { path } })
const note = (contentId: string, query = {}): ContentRef => ({
  endpoint: 'notes.content',
  params: { noteid: 'N', contentId },
  query,
})

describe('the name under which a content is saved', () => {
  test.each<[string, ContentRef, string, string]>([
    ['a part of a card', note('ink-1'), 'png', 'N-ink-1.png'],
    ['its layer', note('ink-1', { layers: 'base' }), 'png', 'N-ink-1-base.png'],
    ['a card', { endpoint: 'notes.render', params: { noteid: 'N' }, query: {} }, 'pdf', 'N.pdf'],
    [
      'a page',
      { endpoint: 'documents.pageContent', params: { bookmd5: 'm', index: '3', contentId: 'c' }, query: {} },
      'png',
      'm-3-c.png',
    ],
    ['a file', bundle('pages/1.txt'), 'txt', '1.txt'],
    ['a file with an ending of its own', bundle('a/notes.md'), 'txt', 'notes.md'],
    ['an ending that lies', bundle('photo.png'), 'txt', 'photo.png.txt'],
    ['an ending in capitals', bundle('PHOTO.PNG'), 'png', 'PHOTO.PNG'],
    ['a page of HTML', bundle('index.html'), 'txt', 'index.html.txt'],
    ['a program', bundle('setup.exe'), 'exe', 'setup.exe.bin'],
    ['a link', bundle('x.desktop'), 'txt', 'x.desktop.txt'],
    ['a name that leads away', bundle('../../etc/passwd'), 'txt', 'passwd.txt'],
    ['backslashes', bundle('..\\..\\boot.ini'), 'txt', 'boot.ini'],
    ['dots', bundle('..'), 'txt', 'content.txt'],
    ['nothing', bundle('/'), 'txt', 'content.txt'],
    ['a device', bundle('con.txt'), 'txt', '_con.txt'],
    ['a hidden file', bundle('.bashrc'), 'txt', 'bashrc.txt'],
    ['a name that turns around', bundle('photo\u202Egnp.exe'), 'png', 'photognp.exe.png'],
    ['other scripts', bundle('解剖 图.txt'), 'txt', '解剖 图.txt'],
  ])('%s', (_name, ref, extension, expected) => {
    expect(buildFileName(ref, extension)).toBe(expected)
  })

  test('is one safe segment, whatever the host calls it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (path) => {
        const name = buildFileName(bundle(path.toWellFormed()), 'png')
        expect(name).toMatch(/^[^\0-\x1f\x7f-\x9f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+\.png$/iu)
        expect(name).not.toMatch(/^[. ]|[. ]$|^(?:con|nul|aux|prn|com\d|lpt\d)\./i)
        expect(Buffer.byteLength(name)).toBeLessThan(240)
      }),
    )
  })

  test('holds no token that the host put into an id', () => {
    const token = 'mnb0.a/b/c-secret'
    const conceal = (text: string): string => text.replaceAll(token, '[redacted]')
    expect(buildFileName(note(token), 'png', conceal)).toBe('N-[redacted].png')
  })
})
