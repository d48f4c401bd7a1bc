import fc from 'fast-check'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createConsoleFiles } from '../../../../electron/services/console/console.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { AppError } from '../../../../shared/errors.ts'
import { MAX_COLLECTIONS, type Collection, type ConsoleTab } from '../../../../shared/ipc/console.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { tokenEncodings } from '../../../support/data/token-encodings.ts'
import { createFifo } from '../../../support/data/strange-files.ts'

const one: Collection = {
  id: 'cards',
  name: 'Cards',
  variables: { topicid: 'SET-1' },
  requests: [
    { name: 'Tree', method: 'GET', path: '/study-sets/{{topicid}}/tree?limit=5', body: null },
    {
      name: 'Some',
      method: 'POST',
      path: '/notes/batch-get',
      body: '{"noteIds": ["{{noteid}}"]}',
      note: 'two lines\nof text',
    },
  ],
}
const tab: ConsoleTab = { id: 'a', method: 'GET', path: '/status', body: null, saved: null, seq: 3 }

function start(dir = createTempDir(), tokens: readonly string[] = [TOKEN]) {
  const redactor = new Redactor()
  for (const token of tokens) redactor.register(token)
  const files = createConsoleFiles(dir, (text) => redactor.holdsToken(text))
  return { dir, files, folder: path.join(dir, 'collections') }
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return undefined
}

describe('collections', () => {
  test('are plain files in the data directory, one each, and are the same after a restart', () => {
    const { dir, files, folder } = start()
    expect(files.readCollections()).toEqual({ folder, chosen: false, collections: [], unreadable: [] })
    files.saveCollection(one)
    files.saveCollection({ ...one, id: '卡片', name: '卡片' })
    expect(readdirSync(folder).sort()).toEqual(['cards.json', '卡片.json'])
    const { name, variables, requests } = one
    expect(JSON.parse(readFileSync(path.join(folder, 'cards.json'), 'utf8'))).toEqual({ name, variables, requests })
    expect(statSync(path.join(folder, 'cards.json')).mode & 0o777).toBe(0o600)
    expect(start(dir).files.readCollections().collections).toEqual([one, { ...one, id: '卡片', name: '卡片' }])
  })

  test('two with the same name are two files', () => {
    const { files } = start()
    files.saveCollection(one)
    files.saveCollection({ ...one, id: 'cards 2' })
    expect(files.readCollections().collections.map(({ id, name }) => [id, name])).toEqual([
      ['cards 2', 'Cards'],
      ['cards', 'Cards'],
    ])
  })

  test.each(['../out', 'a/b', 'a\\b', '.hidden', 'dot.', 'blank ', 'CON', 'nul.txt', 'a:b', 'a\nb', '..'])(
    'cannot be called %j',
    (id) => {
      const { dir, files } = start()
      expect(codeOf(() => files.saveCollection({ ...one, id }))).toBe('COLLECTION_NAME')
      expect(readdirSync(dir, { recursive: true })).toEqual(['collections'])
    },
  )

  test('a name that differs only in letter case is refused, because some systems take both for one file', () => {
    const { files, folder } = start()
    files.saveCollection(one)
    expect(codeOf(() => files.saveCollection({ ...one, id: 'Cards', requests: [] }))).toBe('COLLECTION_EXISTS')
    expect(readdirSync(folder)).toEqual(['cards.json'])
  })

  test('what is not a collection is listed with the reason, and neither overwritten nor removed', () => {
    const { files, folder } = start()
    files.readCollections()
    const foreign: Readonly<Record<string, string>> = {
      'package.json': '{ "name": "x", "version": "1" }',
      'broken.json': '{ "name":',
      'newer.json': JSON.stringify({ name: 'N', variables: {}, requests: [], colour: 'red' }),
      'deep.json': `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      'secret.json': JSON.stringify({ name: TOKEN, variables: {}, requests: [] }),
      'bad:name.json': '{}',
    }
    for (const [name, text] of Object.entries(foreign)) writeFileSync(path.join(folder, name), text)
    writeFileSync(path.join(folder, 'notes.txt'), 'no matter')
    const { collections, unreadable } = files.readCollections()
    expect(collections).toEqual([])
    expect(Object.fromEntries(unreadable.map(({ file, reason }) => [file, reason]))).toEqual({
      'package.json': 'shape',
      'broken.json': 'not-json',
      'newer.json': 'shape',
      'deep.json': 'shape',
      'secret.json': 'token',
      'bad:name.json': 'name',
    })
    for (const id of ['package', 'broken', 'newer', 'secret']) {
      expect([id, codeOf(() => files.saveCollection({ ...one, id }))]).toEqual([id, 'COLLECTION_FOREIGN'])
      expect([id, codeOf(() => files.removeCollection(id))]).toEqual([id, 'COLLECTION_UNKNOWN'])
    }
    for (const [name, text] of Object.entries(foreign)) {
      expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text)
    }
  })

  test('a link, a FIFO and a folder are not followed, waited for or replaced', () => {
    const { dir, files, folder } = start()
    files.readCollections()
    const target = path.join(dir, 'target.json')
    writeFileSync(target, JSON.stringify({ name: 'T', variables: {}, requests: [] }))
    symlinkSync(target, path.join(folder, 'link.json'))
    symlinkSync(path.join(dir, 'nowhere.json'), path.join(folder, 'dangling.json'))
    createFifo(path.join(folder, 'fifo.json'))
    mkdirSync(path.join(folder, 'folder.json'))
    const { collections, unreadable } = files.readCollections()
    expect(collections).toEqual([])
    expect(new Set(unreadable.map(({ reason }) => reason))).toEqual(new Set(['strange']))
    for (const id of ['link', 'dangling', 'fifo', 'folder']) {
      expect([id, codeOf(() => files.saveCollection({ ...one, id }))]).toEqual([id, 'COLLECTION_FOREIGN'])
    }
    expect(readFileSync(target, 'utf8')).toContain('"T"')
    expect(existsSync(path.join(dir, 'nowhere.json'))).toBe(false)
  })

  test('our own folder may not be a link to elsewhere', () => {
    const { dir, files, folder } = start()
    const elsewhere = createTempDir()
    symlinkSync(elsewhere, folder)
    expect(codeOf(() => files.saveCollection(one))).toBe('FOLDER_UNUSABLE')
    expect(readdirSync(elsewhere)).toEqual([])
    expect(readdirSync(dir)).toEqual(['collections'])
  })

  test('a crowded folder is read up to a limit, and the rest is listed', () => {
    const { files, folder } = start()
    files.readCollections()
    const text = JSON.stringify({ name: 'N', variables: {}, requests: [] })
    for (let at = 0; at <= MAX_COLLECTIONS; at += 1) {
      writeFileSync(path.join(folder, `c${String(at).padStart(4, '0')}.json`), text)
    }
    const { collections, unreadable } = files.readCollections()
    expect(collections).toHaveLength(MAX_COLLECTIONS)
    expect(unreadable).toEqual([{ file: `c0${MAX_COLLECTIONS}.json`, reason: 'too-many' }])
  })

  test('a disk that refuses the write leaves the old file, and says so', () => {
    const { files, folder } = start()
    files.saveCollection(one)
    // Nothing can be written through a folder in place of the temporary file, whoever runs this.
    mkdirSync(path.join(folder, `cards.json.${process.pid}.tmp`, 'full'), { recursive: true })
    expect(codeOf(() => files.saveCollection({ ...one, requests: [] }))).toBe('STORE_FAILED')
    expect(files.readCollections().collections).toEqual([one])
  })
})

describe('the folder', () => {
  test('can be another one, so that a repository can hold the collections, and back', () => {
    const { dir, files, folder } = start()
    files.saveCollection(one)
    const repository = createTempDir()
    expect(files.setFolder(repository)).toEqual({ folder: repository })
    expect(files.readCollections()).toEqual({ folder: repository, chosen: true, collections: [], unreadable: [] })
    files.saveCollection({ ...one, id: 'shared' })
    expect(readdirSync(repository)).toEqual(['shared.json'])
    expect(statSync(path.join(repository, 'shared.json')).mode & 0o600).toBe(0o600)
    expect(start(dir).files.readCollections().folder).toBe(repository)
    expect(files.setFolder(null)).toEqual({ folder })
    expect(files.readCollections().collections).toEqual([one])
  })

  test('that cannot be used is refused, and the one before stays', () => {
    const { dir, files, folder } = start()
    const file = path.join(dir, 'file')
    writeFileSync(file, '')
    for (const bad of ['relative/path', path.join(dir, 'nowhere'), file]) {
      expect([bad, codeOf(() => files.setFolder(bad))]).toEqual([bad, 'FOLDER_UNUSABLE'])
    }
    expect(files.readCollections().folder).toBe(folder)
  })

  test('that is gone is reported, not created again', () => {
    const { dir, files } = start()
    const usb = path.join(dir, 'usb')
    mkdirSync(usb)
    files.setFolder(usb)
    const again = start(dir).files
    renameSync(usb, `${usb}-pulled`)
    expect(codeOf(() => again.readCollections())).toBe('FOLDER_UNUSABLE')
    expect(codeOf(() => again.saveCollection(one))).toBe('FOLDER_UNUSABLE')
    expect(existsSync(usb)).toBe(false)
    expect(again.setFolder(null).folder).toBe(path.join(dir, 'collections'))
  })
})

describe('a token', () => {
  test('is never written, however it is encoded', () => {
    const { dir, files } = start()
    fc.assert(
      fc.property(tokenEncodings, (write) => {
        const text = write(TOKEN)
        const requests = [{ name: 'R', method: 'GET', path: `/status?x=${text}`, body: null }]
        expect(codeOf(() => files.saveCollection({ ...one, requests }))).toBe('TOKEN_IN_REQUEST')
        expect(codeOf(() => files.saveCollection({ ...one, variables: { v: text } }))).toBe('TOKEN_IN_REQUEST')
        expect(codeOf(() => files.saveTabs({ tabs: [{ ...tab, body: text }], current: null }))).toBe('TOKEN_IN_REQUEST')
      }),
      { numRuns: 60 },
    )
    expect(readdirSync(dir, { recursive: true })).toEqual(['collections'])
  })

  test('of a bridge that is not known here is refused as well; a short one only where it stands alone', () => {
    const { files } = start(createTempDir(), ['tok42'])
    const withPath = (path: string) => () =>
      files.saveCollection({ ...one, requests: [{ name: 'R', method: 'GET', path, body: null }] })
    expect(codeOf(withPath('/x?t=mnb0.Abcdefghijklmnop.12345'))).toBe('TOKEN_IN_REQUEST')
    expect(codeOf(withPath('/x?t=tok42'))).toBe('TOKEN_IN_REQUEST')
    expect(codeOf(withPath('/x?t=tok4213'))).toBeUndefined()
  })
})

describe('tabs', () => {
  test('are there again after a restart; a damaged file costs only them', () => {
    const { dir, files } = start()
    expect(files.getTabs()).toEqual({ tabs: [], current: null })
    files.setFolder(dir)
    files.saveTabs({ tabs: [tab], current: 'a' })
    expect(start(dir).files.getTabs()).toEqual({ tabs: [tab], current: 'a' })
    const file = path.join(dir, 'console.json')
    writeFileSync(file, JSON.stringify({ folder: dir, tabs: { tabs: [{ id: 7 }], current: null } }))
    expect(start(dir).files.getTabs()).toEqual({ tabs: [], current: null })
    expect(start(dir).files.readCollections().folder).toBe(dir)
    writeFileSync(file, '{')
    writeFileSync(`${file}.bak`, '{')
    expect(start(dir).files.getTabs()).toEqual({ tabs: [], current: null })
  })
})
