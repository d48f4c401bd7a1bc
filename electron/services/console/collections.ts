import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import { createRefusedError, type AppError } from '../../../shared/errors.ts'
import {
  collectionSchema,
  MAX_COLLECTIONS,
  type Collection,
  type unreadableCollectionReasons,
} from '../../../shared/ipc/console.ts'
import { toPointer } from '../../../shared/json/pointer.ts'
import { NotRegularFileError, readRegularFile } from '../../system/regular-file.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { isWithinDepth } from '../files/value-depth.ts'

type UnreadableReason = (typeof unreadableCollectionReasons)[number]

interface UnreadableCollection {
  readonly reason: UnreadableReason
  /** Pointer of the first member that does not fit, and why; null unless the reason is `shape`. */
  readonly member: string | null
}

/** Collections, and the reason for each `.json` file that is not a valid one. */
export interface CollectionFolder {
  readonly collections: Collection[]
  readonly unreadable: { file: string; reason: UnreadableReason }[]
}

export type TokenPredicate = (text: string) => boolean

const FILE_EXTENSION = '.json'
const MAX_FILE_BYTES = 16 * 1024 * 1024
/** A valid collection has only five levels. */
const MAX_DEPTH_LEVELS = 20

/** A name of letters, digits, spaces and `_ . -` is a plain file name on every system. */
const NAME_PATTERN = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_. -]*$/u
/** Names that Windows treats as devices, whatever follows the first dot. */
const WINDOWS_DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const isValidName = (id: string): boolean =>
  NAME_PATTERN.test(id) && !/[. ]$/.test(id) && !WINDOWS_DEVICE_NAMES.test(id)
/** Returns the same text for names that some file systems treat as equal. */
const normalizeName = (name: string): string => name.normalize('NFC').toLowerCase()

const fileSchema = collectionSchema.omit({ id: true })

/** @throws FOLDER_UNUSABLE when the folder cannot be listed. */
export function readCollections(folder: string, hasToken: TokenPredicate): CollectionFolder {
  const names = listJsonFiles(folder)
  const content: CollectionFolder = { collections: [], unreadable: [] }
  for (const [index, file] of names.entries()) {
    const result = index < MAX_COLLECTIONS ? readCollection(folder, file, hasToken) : toUnreadable('too-many')
    if ('reason' in result) content.unreadable.push({ file, reason: result.reason })
    else content.collections.push(result)
  }
  return content
}

/** @param file a name in the folder that ends with `.json` */
export function readCollection(
  folder: string,
  file: string,
  hasToken: TokenPredicate,
): Collection | UnreadableCollection {
  const id = file.slice(0, -FILE_EXTENSION.length)
  if (!isValidName(id)) return toUnreadable('name')
  let text: string
  try {
    // Some programs write a byte order mark at the beginning of a file.
    text = readRegularFile(path.join(folder, file), { maxBytes: MAX_FILE_BYTES }).text.replace(/^\uFEFF/, '')
  } catch (error) {
    if (!(error instanceof NotRegularFileError)) return toUnreadable('unread')
    return toUnreadable(error.kind === 'too large' ? 'too-large' : 'strange')
  }
  if (hasToken(text)) return toUnreadable('token')
  try {
    const value: unknown = JSON.parse(text)
    if (!isWithinDepth(value, MAX_DEPTH_LEVELS)) return toUnreadable('shape', 'too many levels')
    const parsed = fileSchema.safeParse(value)
    return parsed.success ? { id, ...parsed.data } : toUnreadable('shape', describeWrongMember(parsed.error))
  } catch {
    return toUnreadable('not-json')
  }
}

const toUnreadable = (reason: UnreadableReason, member: string | null = null): UnreadableCollection => ({
  reason,
  member,
})

const MAX_NAME_CHARS = 100

/** Example: `/requests/0/metod: unknown member`. */
function describeWrongMember({ issues: [issue] }: z.ZodError): string {
  if (!issue) return ''
  const [unknownName] = issue.code === 'unrecognized_keys' ? issue.keys : []
  if (unknownName !== undefined)
    return `${toPointer([...issue.path, unknownName.slice(0, MAX_NAME_CHARS)])}: unknown member`
  return `${toPointer(issue.path) || 'the file'}: ${issue.message}`
}

/**
 * Writes a collection as indented JSON. An existing file of this name is not replaced if it is a
 * link or not a valid collection. With `isShared`, the folder is the user's own, so all users can
 * read the file, as is usual for new files there.
 * @throws The errors of `console.saveCollection`.
 */
export function writeCollection(
  folder: string,
  { id, ...rest }: Collection,
  { holdsToken, isShared }: { holdsToken: TokenPredicate; isShared: boolean },
): void {
  if (!isValidName(id))
    throw createRefusedError('COLLECTION_NAME', `A collection cannot be called “${id}”.`, { name: id })
  const text = `${JSON.stringify(rest, null, 2)}\n`
  if (holdsToken(`${id} ${text}`)) throw createTokenInRequestError()
  const file = `${id}${FILE_EXTENSION}`
  const similarFile = listJsonFiles(folder).find((name) => name !== file && normalizeName(name) === normalizeName(file))
  if (similarFile !== undefined) {
    throw createRefusedError(
      'COLLECTION_EXISTS',
      `There is ${similarFile} already, which differs only in letter case.`,
      {
        file: similarFile,
      },
    )
  }
  const existingStats = lstatSync(path.join(folder, file), { throwIfNoEntry: false })
  if (existingStats && 'reason' in readCollection(folder, file, holdsToken)) throw createForeignFileError(file)
  writeAtomic(path.join(folder, file), text, { mode: isShared ? 0o644 : 0o600, backup: 'none' })
}

/** @throws COLLECTION_UNKNOWN, also for a file that is not a collection, and FOLDER_UNUSABLE. */
export function removeCollection(folder: string, id: string, hasToken: TokenPredicate): void {
  const file = `${id}${FILE_EXTENSION}`
  const isCollection = listJsonFiles(folder).includes(file) && !('reason' in readCollection(folder, file, hasToken))
  if (!isCollection) throw createRefusedError('COLLECTION_UNKNOWN', `There is no collection ${file}.`, { file })
  try {
    rmSync(path.join(folder, file))
  } catch (error) {
    throw toFolderError(folder, error)
  }
}

/** @throws FOLDER_UNUSABLE unless the text is the absolute path of an existing folder. */
export function assertFolderUsable(folder: string): void {
  if (!path.isAbsolute(folder)) throw createFolderError(folder, 'not an absolute path')
  let isFolder: boolean
  try {
    isFolder = statSync(folder).isDirectory()
  } catch (error) {
    throw toFolderError(folder, error)
  }
  if (!isFolder) throw createFolderError(folder, 'not a folder')
}

function listJsonFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(FILE_EXTENSION))
      .sort()
  } catch (error) {
    throw toFolderError(folder, error)
  }
}

export function createTokenInRequestError(): AppError {
  return createRefusedError(
    'TOKEN_IN_REQUEST',
    'It contains a token, and tokens are never written to a file. The token is added when a request is sent.',
  )
}

const toFolderError = (folder: string, error: unknown): AppError =>
  createFolderError(folder, error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason')

const createFolderError = (folder: string, reason: string): AppError =>
  createRefusedError('FOLDER_UNUSABLE', `The folder ${folder} cannot be used (${reason}).`, { folder, reason })

const createForeignFileError = (file: string): AppError =>
  createRefusedError('COLLECTION_FOREIGN', `${file} is not a collection that can be read, so it is left as it is.`, {
    file,
  })
