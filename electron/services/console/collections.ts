import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { createRefusedError, type AppError } from '../../../shared/errors.ts'
import {
  collectionSchema,
  MAX_COLLECTIONS,
  type Collection,
  type unreadableCollectionReasons,
} from '../../../shared/ipc/console.ts'
import { NotRegularFileError, readRegularFile } from '../../system/regular-file.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { isWithinDepth } from '../files/value-depth.ts'

type Reason = (typeof unreadableCollectionReasons)[number]

/** What a folder holds: its collections, and the other files that end like one. */
export interface CollectionFolder {
  readonly collections: Collection[]
  readonly unreadable: { file: string; reason: Reason }[]
}

/** Tells whether a text contains a token. */
export type TokenPredicate = (text: string) => boolean

const FILE_EXTENSION = '.json'
const MAX_FILE_BYTES = 16 * 1024 * 1024
/** A collection has five levels. */
const MAX_DEPTH_LEVELS = 20

/** Letters, digits, spaces and `_ . -`: a plain file name on every system. */
const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_. -]*$/u
/** Windows opens a device under these names, whatever follows the first dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const isName = (id: string): boolean => namePattern.test(id) && !/[. ]$/.test(id) && !device.test(id)
/** Names that some file systems take for one. */
const alike = (name: string): string => name.normalize('NFC').toLowerCase()

const fileSchema = collectionSchema.omit({ id: true })

/**
 * Reads every collection of a folder; one that does not exist yet is empty. Throws
 * `FOLDER_UNUSABLE` if it cannot be listed.
 */
export function readCollections(folder: string, holdsToken: TokenPredicate): CollectionFolder {
  const names = namesIn(folder)
  const content: CollectionFolder = { collections: [], unreadable: [] }
  for (const [at, file] of names.entries()) {
    const read = at < MAX_COLLECTIONS ? readCollection(folder, file, holdsToken) : 'too-many'
    if (typeof read === 'string') content.unreadable.push({ file, reason: read })
    else content.collections.push(read)
  }
  return content
}

function readCollection(folder: string, file: string, holdsToken: TokenPredicate): Collection | Reason {
  const id = file.slice(0, -FILE_EXTENSION.length)
  if (!isName(id)) return 'name'
  let text: string
  try {
    // Other programs put a byte order mark at the beginning.
    text = readRegularFile(path.join(folder, file), { maxBytes: MAX_FILE_BYTES }).text.replace(/^\uFEFF/, '')
  } catch (error) {
    if (!(error instanceof NotRegularFileError)) return 'unread'
    return error.kind === 'too large' ? 'too-large' : 'strange'
  }
  if (holdsToken(text)) return 'token'
  try {
    const value: unknown = JSON.parse(text)
    const parsed = isWithinDepth(value, MAX_DEPTH_LEVELS) ? fileSchema.safeParse(value) : null
    return parsed?.success ? { id, ...parsed.data } : 'shape'
  } catch {
    return 'not-json'
  }
}

/**
 * Writes a collection as indented JSON, in place of its file and never of another one: a file that
 * is not a collection, or a link, stays. `shared`: the folder is the user's own, so the file is
 * written as readable as a new one there usually is. Throws the errors of `console.saveCollection`.
 */
export function writeCollection(
  folder: string,
  { id, ...rest }: Collection,
  { holdsToken, isShared }: { holdsToken: TokenPredicate; isShared: boolean },
): void {
  if (!isName(id)) throw createRefusedError('COLLECTION_NAME', `A collection cannot be called “${id}”.`, { name: id })
  const text = `${JSON.stringify(rest, null, 2)}\n`
  if (holdsToken(`${id} ${text}`)) throw createTokenInRequestError()
  const file = `${id}${FILE_EXTENSION}`
  const other = namesIn(folder).find((name) => name !== file && alike(name) === alike(file))
  if (other !== undefined) {
    throw createRefusedError('COLLECTION_EXISTS', `There is ${other} already, which differs only in letter case.`, {
      file: other,
    })
  }
  const there = lstatSync(path.join(folder, file), { throwIfNoEntry: false })
  if (there && typeof readCollection(folder, file, holdsToken) === 'string') throw foreign(file)
  writeAtomic(path.join(folder, file), text, { mode: isShared ? 0o644 : 0o600, backup: 'none' })
}

/**
 * Removes the file of a collection. Throws `COLLECTION_UNKNOWN`, also for a file that is not one,
 * and `FOLDER_UNUSABLE`.
 */
export function removeCollection(folder: string, id: string, holdsToken: TokenPredicate): void {
  const file = `${id}${FILE_EXTENSION}`
  const isOne = namesIn(folder).includes(file) && typeof readCollection(folder, file, holdsToken) !== 'string'
  if (!isOne) throw createRefusedError('COLLECTION_UNKNOWN', `There is no collection ${file}.`, { file })
  try {
    rmSync(path.join(folder, file))
  } catch (error) {
    throw folderUnusable(folder, error)
  }
}

/** Throws `FOLDER_UNUSABLE` for anything but the absolute path of an existing folder. */
export function assertFolderUsable(folder: string): void {
  if (!path.isAbsolute(folder)) throw unusable(folder, 'not an absolute path')
  let isFolder: boolean
  try {
    isFolder = statSync(folder).isDirectory()
  } catch (error) {
    throw folderUnusable(folder, error)
  }
  if (!isFolder) throw unusable(folder, 'not a folder')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(FILE_EXTENSION))
      .sort()
  } catch (error) {
    throw folderUnusable(folder, error)
  }
}

/** The refusal to keep a text that contains a token. */
export const createTokenInRequestError = (): AppError =>
  createRefusedError(
    'TOKEN_IN_REQUEST',
    'It contains a token, and tokens are never written to a file. The token is added when a request is sent.',
  )

const folderUnusable = (folder: string, error: unknown): AppError =>
  unusable(folder, error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason')

const unusable = (folder: string, reason: string): AppError =>
  createRefusedError('FOLDER_UNUSABLE', `The folder ${folder} cannot be used (${reason}).`, { folder, reason })

const foreign = (file: string): AppError =>
  createRefusedError('COLLECTION_FOREIGN', `${file} is not a collection that can be read, so it is left as it is.`, {
    file,
  })
