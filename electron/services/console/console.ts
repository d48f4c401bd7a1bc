/**
 * Saved requests and open tabs of the console, as files. Requests are sent in
 * `../traffic/console-read.ts`. Read `createConsoleFiles` first, then `collections.ts`.
 */
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

/** The errors are those of `shared/ipc/console.ts`. */
export interface ConsoleFiles {
  readCollections(): CollectionFolder & { folder: string; chosen: boolean }
  saveCollection(collection: Collection): void
  removeCollection(id: string): void
  setFolder(folder: string | null): { folder: string }
  getTabs(): ConsoleTabs
  saveTabs(tabs: ConsoleTabs): void
}

const stateSchema = z.object({
  folder: z.string().nullable().catch(null),
  tabs: consoleTabsSchema.catch({ tabs: [], current: null }),
})

/**
 * Collections are files in the folder `collections` of the data directory, or in a folder that the
 * user chose. The file `console.json` stores the choice and the open tabs. No file ever contains a
 * token.
 */
export function createConsoleFiles(dataDir: string, hasToken: TokenPredicate): ConsoleFiles {
  const file = path.join(dataDir, 'console.json')
  const defaultFolder = path.join(dataDir, 'collections')
  let state = stateSchema.parse(readObject(file))

  function saveState(newState: typeof state): void {
    writeAtomic(file, `${JSON.stringify(newState, null, 2)}\n`)
    state = newState
  }
  /** Creates the default folder if it does not exist. A file in its place is not replaced. */
  function getUsableFolder(): string {
    if (state.folder !== null) {
      assertFolderUsable(state.folder)
      return state.folder
    }
    const existingStats = lstatSync(defaultFolder, { throwIfNoEntry: false })
    if (existingStats && !existingStats.isDirectory()) {
      const params = { folder: defaultFolder, reason: 'not a folder' }
      throw createRefusedError('FOLDER_UNUSABLE', `The folder ${defaultFolder} cannot be used (not a folder).`, params)
    }
    if (!existingStats) makeDataDir(defaultFolder)
    return defaultFolder
  }

  return {
    readCollections() {
      const folder = getUsableFolder()
      return { folder, chosen: state.folder !== null, ...readCollections(folder, hasToken) }
    },
    saveCollection(collection) {
      writeCollection(getUsableFolder(), collection, { holdsToken: hasToken, isShared: state.folder !== null })
    },
    removeCollection(id) {
      removeCollection(getUsableFolder(), id, hasToken)
    },
    setFolder(chosen) {
      if (chosen !== null) assertFolderUsable(chosen)
      saveState({ ...state, folder: chosen })
      return { folder: chosen ?? defaultFolder }
    },
    getTabs: () => state.tabs,
    saveTabs(tabs) {
      if (hasToken(JSON.stringify(tabs))) throw createTokenInRequestError()
      saveState({ ...state, tabs })
    },
  }
}

function readObject(file: string): Record<string, unknown> {
  const { value } = readJsonFile(file, isObject)
  return isObject(value) ? value : {}
}
