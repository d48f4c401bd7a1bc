import { Ajv } from 'ajv'
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
import { collectionSchemaPath, createCollectionSchema } from '../../../../scripts/lib/collection-schema.mjs'
import { createConsoleFiles } from '../../../../electron/services/console/console.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { AppError } from '../../../../shared/errors.ts'
import { MAX_COLLECTIONS, type Collection, type ConsoleTab } from '../../../../shared/ipc/console.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { tokenEncodings } from '../../../support/data/token-encodings.ts'
import { createFifo } from '../../../support/data/strange-files.ts'

const collection: Collection = {
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

function createFiles(dir = createTempDir(), tokens: readonly string[] = [TOKEN]) {
  const redactor = new Redactor()
  for (const token of tokens) redactor.register(token)
  const files = createConsoleFiles(dir, (text) => redactor.holdsToken(text))
  return { dir, files, folder: path.join(dir, 'collections') }
}

function catchErrorCode(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return undefined
}

describe('collection', () => {
  test('is a plain file in the data directory, and is the same after a restart', () => {
    const { dir, files, folder } = createFiles()
    expect(files.readCollections()).toEqual({ folder, chosen: false, collections: [], unreadable: [] })
    files.saveCollection(collection)
    files.saveCollection({ ...collection, id: '卡片', name: '卡片' })
    expect(readdirSync(folder).sort()).toEqual(['cards.json', '卡片.json'])
    const { name, variables, requests } = collection
    expect(JSON.parse(readFileSync(path.join(folder, 'cards.json'), 'utf8'))).toEqual({ name, variables, requests })
    expect(statSync(path.join(folder, 'cards.json')).mode & 0o777).toBe(0o600)
    expect(createFiles(dir).files.readCollections().collections).toEqual([
      collection,
      { ...collection, id: '卡片', name: '卡片' },
    ])
  })

  test('keeps the address of the schema for editors in its file', () => {
    const { files, folder } = createFiles()
    files.saveCollection({ $schema: './collection.schema.json', ...collection })
    const [saved] = files.readCollections().collections
    if (!saved) throw new Error('no collection')
    files.saveCollection({ ...saved, requests: [] })
    expect(readFileSync(path.join(folder, 'cards.json'), 'utf8')).toMatch(/^{\n {2}"\$schema": "\.\/collection/)
  })

  test('reads a file written by hand, without variables and bodies', () => {
    const { files, folder } = createFiles()
    files.saveCollection(collection)
    const byHand = { name: 'By hand', requests: [{ name: 'Status', method: 'GET', path: '/status' }] }
    writeFileSync(path.join(folder, 'hand.json'), JSON.stringify(byHand))
    const read = files.readCollections().collections.find(({ name }) => name === 'By hand')
    expect(read).toMatchObject({ variables: {}, requests: [{ path: '/status', body: null }] })
    const check = new Ajv({ strict: false }).compile(JSON.parse(createCollectionSchema()) as object)
    expect(check(byHand)).toBe(true)
  })

  test('has a schema that ships, and that fits what is saved', () => {
    const text = readFileSync(collectionSchemaPath, 'utf8')
    expect(text).toBe(createCollectionSchema())
    const check = new Ajv({ strict: false }).compile(JSON.parse(text) as object)
    const { files, folder } = createFiles()
    const assertions = [
      { kind: 'status', equals: 200 },
      { kind: 'equals', pointer: '/a', value: [{ b: null }] },
    ]
    const [request, ...others] = collection.requests
    if (!request) throw new Error('no request')
    files.saveCollection({ $schema: 'a', ...collection, requests: [{ ...request, assertions }, ...others] })
    const saved = JSON.parse(readFileSync(path.join(folder, 'cards.json'), 'utf8')) as { requests: object[] }
    expect([check(saved), check.errors]).toEqual([true, null])
    for (const wrong of [
      { ...saved, request: [] },
      { ...saved, requests: [{ ...saved.requests[0], assertions: [{ kind: 'stats' }] }] },
    ])
      expect(check(wrong)).toBe(false)
  })

  test('is a separate file from another with the same name', () => {
    const { files } = createFiles()
    files.saveCollection(collection)
    files.saveCollection({ ...collection, id: 'cards 2' })
    expect(files.readCollections().collections.map(({ id, name }) => [id, name])).toEqual([
      ['cards 2', 'Cards'],
      ['cards', 'Cards'],
    ])
  })

  test.each(['../out', 'a/b', 'a\\b', '.hidden', 'dot.', 'blank ', 'CON', 'nul.txt', 'a:b', 'a\nb', '..'])(
    'cannot have the id %j',
    (id) => {
      const { dir, files } = createFiles()
      expect(catchErrorCode(() => files.saveCollection({ ...collection, id }))).toBe('COLLECTION_NAME')
      expect(readdirSync(dir, { recursive: true })).toEqual(['collections'])
    },
  )

  test('may not differ from another only in letter case, because some systems take both for one file', () => {
    const { files, folder } = createFiles()
    files.saveCollection(collection)
    expect(catchErrorCode(() => files.saveCollection({ ...collection, id: 'Cards', requests: [] }))).toBe(
      'COLLECTION_EXISTS',
    )
    expect(readdirSync(folder)).toEqual(['cards.json'])
  })

  test('is listed with a reason if it is invalid, and neither overwritten nor removed', () => {
    const { files, folder } = createFiles()
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
      expect([id, catchErrorCode(() => files.saveCollection({ ...collection, id }))]).toEqual([
        id,
        'COLLECTION_FOREIGN',
      ])
      expect([id, catchErrorCode(() => files.removeCollection(id))]).toEqual([id, 'COLLECTION_UNKNOWN'])
    }
    for (const [name, text] of Object.entries(foreign)) {
      expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text)
    }
  })

  test('is never a link, a FIFO or a folder, which are not followed, read or replaced', () => {
    const { dir, files, folder } = createFiles()
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
      expect([id, catchErrorCode(() => files.saveCollection({ ...collection, id }))]).toEqual([
        id,
        'COLLECTION_FOREIGN',
      ])
    }
    expect(readFileSync(target, 'utf8')).toContain('"T"')
    expect(existsSync(path.join(dir, 'nowhere.json'))).toBe(false)
  })

  test('is not stored if our own folder is a link to elsewhere', () => {
    const { dir, files, folder } = createFiles()
    const elsewhere = createTempDir()
    symlinkSync(elsewhere, folder)
    expect(catchErrorCode(() => files.saveCollection(collection))).toBe('FOLDER_UNUSABLE')
    expect(readdirSync(elsewhere)).toEqual([])
    expect(readdirSync(dir)).toEqual(['collections'])
  })

  test('is listed without its content beyond the limit of a folder', () => {
    const { files, folder } = createFiles()
    files.readCollections()
    const text = JSON.stringify({ name: 'N', variables: {}, requests: [] })
    for (let index = 0; index <= MAX_COLLECTIONS; index += 1) {
      writeFileSync(path.join(folder, `c${String(index).padStart(4, '0')}.json`), text)
    }
    const { collections, unreadable } = files.readCollections()
    expect(collections).toHaveLength(MAX_COLLECTIONS)
    expect(unreadable).toEqual([{ file: `c0${MAX_COLLECTIONS}.json`, reason: 'too-many' }])
  })

  test('stays as it was if the disk refuses the write', () => {
    const { files, folder } = createFiles()
    files.saveCollection(collection)
    // A folder in place of the temporary file makes every write fail, also for root.
    mkdirSync(path.join(folder, `cards.json.${process.pid}.tmp`, 'full'), { recursive: true })
    expect(catchErrorCode(() => files.saveCollection({ ...collection, requests: [] }))).toBe('STORE_FAILED')
    expect(files.readCollections().collections).toEqual([collection])
  })
})

describe('folder of collections', () => {
  test('can be a repository, and can be set back', () => {
    const { dir, files, folder } = createFiles()
    files.saveCollection(collection)
    const repository = createTempDir()
    expect(files.setFolder(repository)).toEqual({ folder: repository })
    expect(files.readCollections()).toEqual({ folder: repository, chosen: true, collections: [], unreadable: [] })
    files.saveCollection({ ...collection, id: 'shared' })
    expect(readdirSync(repository)).toEqual(['shared.json'])
    expect(statSync(path.join(repository, 'shared.json')).mode & 0o600).toBe(0o600)
    expect(createFiles(dir).files.readCollections().folder).toBe(repository)
    expect(files.setFolder(null)).toEqual({ folder })
    expect(files.readCollections().collections).toEqual([collection])
  })

  test('is refused if it cannot be used, and the earlier one stays', () => {
    const { dir, files, folder } = createFiles()
    const file = path.join(dir, 'file')
    writeFileSync(file, '')
    for (const unusablePath of ['relative/path', path.join(dir, 'nowhere'), file]) {
      expect([unusablePath, catchErrorCode(() => files.setFolder(unusablePath))]).toEqual([
        unusablePath,
        'FOLDER_UNUSABLE',
      ])
    }
    expect(files.readCollections().folder).toBe(folder)
  })

  test('is reported if it is gone, and not created again', () => {
    const { dir, files } = createFiles()
    const usb = path.join(dir, 'usb')
    mkdirSync(usb)
    files.setFolder(usb)
    const restartedFiles = createFiles(dir).files
    renameSync(usb, `${usb}-pulled`)
    expect(catchErrorCode(() => restartedFiles.readCollections())).toBe('FOLDER_UNUSABLE')
    expect(catchErrorCode(() => restartedFiles.saveCollection(collection))).toBe('FOLDER_UNUSABLE')
    expect(existsSync(usb)).toBe(false)
    expect(restartedFiles.setFolder(null).folder).toBe(path.join(dir, 'collections'))
  })
})

describe('token', () => {
  test('is never stored, however it is encoded', () => {
    const { dir, files } = createFiles()
    fc.assert(
      fc.property(tokenEncodings, (write) => {
        const text = write(TOKEN)
        const requests = [{ name: 'R', method: 'GET', path: `/status?x=${text}`, body: null }]
        expect(catchErrorCode(() => files.saveCollection({ ...collection, requests }))).toBe('TOKEN_IN_REQUEST')
        expect(catchErrorCode(() => files.saveCollection({ ...collection, variables: { v: text } }))).toBe(
          'TOKEN_IN_REQUEST',
        )
        expect(catchErrorCode(() => files.saveTabs({ tabs: [{ ...tab, body: text }], current: null }))).toBe(
          'TOKEN_IN_REQUEST',
        )
      }),
      { numRuns: 60 },
    )
    expect(readdirSync(dir, { recursive: true })).toEqual(['collections'])
  })

  test('is refused if it belongs to an unknown bridge, and if it is short only as a separate word', () => {
    const { files } = createFiles(createTempDir(), ['tok42'])
    const saveWithPath = (path: string) => () =>
      files.saveCollection({ ...collection, requests: [{ name: 'R', method: 'GET', path, body: null }] })
    expect(catchErrorCode(saveWithPath('/x?t=mnb0.Abcdefghijklmnop.12345'))).toBe('TOKEN_IN_REQUEST')
    expect(catchErrorCode(saveWithPath('/x?t=tok42'))).toBe('TOKEN_IN_REQUEST')
    expect(catchErrorCode(saveWithPath('/x?t=tok4213'))).toBeUndefined()
  })
})

describe('tabs', () => {
  test('are restored after a restart, and a damaged file loses only them', () => {
    const { dir, files } = createFiles()
    expect(files.getTabs()).toEqual({ tabs: [], current: null })
    files.setFolder(dir)
    files.saveTabs({ tabs: [tab], current: 'a' })
    expect(createFiles(dir).files.getTabs()).toEqual({ tabs: [tab], current: 'a' })
    const file = path.join(dir, 'console.json')
    writeFileSync(file, JSON.stringify({ folder: dir, tabs: { tabs: [{ id: 7 }], current: null } }))
    expect(createFiles(dir).files.getTabs()).toEqual({ tabs: [], current: null })
    expect(createFiles(dir).files.readCollections().folder).toBe(dir)
    writeFileSync(file, '{')
    writeFileSync(`${file}.bak`, '{')
    expect(createFiles(dir).files.getTabs()).toEqual({ tabs: [], current: null })
  })
})
