import { lstatSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { createRefusedError } from '../../../shared/errors.ts'
import { consoleTabsSchema, type Collection, type ConsoleTabs } from '../../../shared/ipc/console.ts'
import { isObject } from '../../../shared/json/object.ts'
import { makeDataDir, readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import {
  assertFolderUsable,
  readCollections,
  removeCollection,
  createTokenInRequestError,
  writeCollection,
  type CollectionFolder,
  type TokenPredicate,
} from './collections.ts'

/**
 * What the console keeps: collections of saved requests in a folder, and its open tabs. Errors are
 * those of `shared/ipc/console.ts`.
 */
export interface ConsoleFiles {
  collections(): CollectionFolder & { folder: string; chosen: boolean }
  saveCollection(collection: Collection): void
  removeCollection(id: string): void
  setFolder(folder: string | null): { folder: string }
  tabs(): ConsoleTabs
  saveTabs(tabs: ConsoleTabs): void
}

const stateSchema = z.object({
  folder: z.string().nullable().catch(null),
  tabs: consoleTabsSchema.catch({ tabs: [], current: null }),
})

/**
 * Collections are files in `collections` in the data directory or in a folder that the user chose;
 * which one, and the tabs, are in `console.json`. None of it ever contains a token.
 */
export function createConsoleFiles(dataDir: string, holdsToken: TokenPredicate): ConsoleFiles {
  const file = path.join(dataDir, 'console.json')
  const own = path.join(dataDir, 'collections')
  let state = stateSchema.parse(objectIn(file))

  function keep(next: typeof state): void {
    writeAtomic(file, `${JSON.stringify(next, null, 2)}\n`)
    state = next
  }
  /** The folder in use; our own is created, unless something else is in its place. */
  function folder(): string {
    if (state.folder !== null) {
      assertFolderUsable(state.folder)
      return state.folder
    }
    const there = lstatSync(own, { throwIfNoEntry: false })
    if (there && !there.isDirectory()) {
      const params = { folder: own, reason: 'not a folder' }
      throw createRefusedError('FOLDER_UNUSABLE', `The folder ${own} cannot be used (not a folder).`, params)
    }
    if (!there) makeDataDir(own)
    return own
  }

  return {
    collections() {
      const at = folder()
      return { folder: at, chosen: state.folder !== null, ...readCollections(at, holdsToken) }
    },
    saveCollection(collection) {
      writeCollection(folder(), collection, { holdsToken, isShared: state.folder !== null })
    },
    removeCollection(id) {
      removeCollection(folder(), id, holdsToken)
    },
    setFolder(chosen) {
      if (chosen !== null) assertFolderUsable(chosen)
      keep({ ...state, folder: chosen })
      return { folder: chosen ?? own }
    },
    tabs: () => state.tabs,
    saveTabs(tabs) {
      if (holdsToken(JSON.stringify(tabs))) throw createTokenInRequestError()
      keep({ ...state, tabs })
    },
  }
}

function objectIn(file: string): Record<string, unknown> {
  const { value } = readJsonFile(file, isObject)
  return isObject(value) ? value : {}
}
