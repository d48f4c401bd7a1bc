import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildFileName } from '../../../../electron/services/media/file-name.ts'
import type { ContentRef } from '../../../../shared/ipc/content.ts'

const createBundleRef = (path: string): ContentRef => ({
  endpoint: 'bundles.files',
  params: { bundleId: 'b' },
  query: { path },
})
const createNoteRef = (contentId: string, query = {}): ContentRef => ({
  endpoint: 'notes.content',
  params: { noteid: 'N', contentId },
  query,
})

describe('file name of a saved content', () => {
  test.each<[string, ContentRef, string, string]>([
    ['a part of a card', createNoteRef('ink-1'), 'png', 'N-ink-1.png'],
    ['its layer', createNoteRef('ink-1', { layers: 'base' }), 'png', 'N-ink-1-base.png'],
    ['a card', { endpoint: 'notes.render', params: { noteid: 'N' }, query: {} }, 'pdf', 'N.pdf'],
    [
      'a page',
      { endpoint: 'documents.pageContent', params: { bookmd5: 'm', index: '3', contentId: 'c' }, query: {} },
      'png',
      'm-3-c.png',
    ],
    ['a file', createBundleRef('pages/1.txt'), 'txt', '1.txt'],
    ['a file with its own extension', createBundleRef('a/notes.md'), 'txt', 'notes.md'],
    ['a wrong extension', createBundleRef('photo.png'), 'txt', 'photo.png.txt'],
    ['an extension in capitals', createBundleRef('PHOTO.PNG'), 'png', 'PHOTO.PNG'],
    ['a page of HTML', createBundleRef('index.html'), 'txt', 'index.html.txt'],
    ['a program', createBundleRef('setup.exe'), 'exe', 'setup.exe.bin'],
    ['a link', createBundleRef('x.desktop'), 'txt', 'x.desktop.txt'],
    ['a name that leads out of the folder', createBundleRef('../../etc/passwd'), 'txt', 'passwd.txt'],
    ['backslashes', createBundleRef('..\\..\\boot.ini'), 'txt', 'boot.ini'],
    ['dots', createBundleRef('..'), 'txt', 'content.txt'],
    ['nothing', createBundleRef('/'), 'txt', 'content.txt'],
    ['a device', createBundleRef('con.txt'), 'txt', '_con.txt'],
    ['a hidden file', createBundleRef('.bashrc'), 'txt', 'bashrc.txt'],
    ['a name with a change of text direction', createBundleRef('photo\u202Egnp.exe'), 'png', 'photognp.exe.png'],
    ['other scripts', createBundleRef('解剖 图.txt'), 'txt', '解剖 图.txt'],
  ])('is built for %s', (_name, ref, extension, expected) => {
    expect(buildFileName(ref, extension)).toBe(expected)
  })

  test('is one safe segment, whatever the host calls the content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (path) => {
        const name = buildFileName(createBundleRef(path.toWellFormed()), 'png')
        expect(name).toMatch(/^[^\0-\x1f\x7f-\x9f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+\.png$/iu)
        expect(name).not.toMatch(/^[. ]|[. ]$|^(?:con|nul|aux|prn|com\d|lpt\d)\./i)
        expect(Buffer.byteLength(name)).toBeLessThan(240)
      }),
    )
  })

  test('contains no token that the host put into an id', () => {
    const token = 'mnb0.a/b/c-secret'
    const conceal = (text: string): string => text.replaceAll(token, '[redacted]')
    expect(buildFileName(createNoteRef(token), 'png', conceal)).toBe('N-[redacted].png')
  })
})
