import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

const name = z.string().min(1).max(200)

/** A request in a collection: plain JSON with `{{variable}}` placeholders, never with a token. */
const savedRequestSchema = z.strictObject({
  name,
  method: z.string().max(20),
  /** With the query, relative to the base URL. */
  path: z.string().max(8000),
  /** JSON text; null for none. */
  body: z.string().max(1_000_000).nullable(),
  note: z.string().max(10_000).optional(),
  /**
   * Values of the response that later requests of a run use: variable name and JSON pointer into
   * the body.
   */
  takes: z
    .array(z.strictObject({ variable: z.string().regex(/^\w{1,60}$/), pointer: z.string().max(500) }))
    .max(50)
    .optional(),
})
export type SavedRequest = z.infer<typeof savedRequestSchema>

export const collectionSchema = z.strictObject({
  /** The file's name without `.json`; unique in its folder. */
  id: z.string().min(1).max(120),
  name,
  variables: z.record(z.string().regex(/^\w{1,60}$/), z.string().max(4000)),
  requests: z.array(savedRequestSchema).max(2000),
})
export type Collection = z.infer<typeof collectionSchema>

/** Maximum files of the folder that are read. */
export const MAX_COLLECTIONS = 500

/** Why a file of the folder is not shown as a collection (`console.unreadable.<reason>`). */
export const unreadableCollectionReasons = [
  /** A symbolic link, FIFO or folder instead of a regular file. */
  'strange',
  'too-large',
  /** No permission to read it. */
  'unread',
  'not-json',
  /** It is JSON, but not a collection. */
  'shape',
  /** It contains a known token. */
  'token',
  /** Its name cannot be the id of a collection. */
  'name',
  'too-many',
] as const

/** A request being composed. */
const consoleTabSchema = z.strictObject({
  id: z.string().min(1).max(40),
  method: z.string().max(20),
  path: z.string().max(8000),
  /** JSON text; null for none. */
  body: z.string().max(1_000_000).nullable(),
  /** The saved request that it was opened from; null if it is not saved. */
  saved: z.strictObject({ collection: z.string().max(120), name: z.string().max(200) }).nullable(),
  /** The last exchange it caused. */
  seq: z.number().int().positive().nullable(),
})
export type ConsoleTab = z.infer<typeof consoleTabSchema>

/** The open tabs, in order. */
export const consoleTabsSchema = z.strictObject({
  tabs: z.array(consoleTabSchema).max(30),
  /** Id of the tab that is shown. */
  current: z.string().max(40).nullable(),
})
export type ConsoleTabs = z.infer<typeof consoleTabsSchema>

export const consoleMethods = {
  /**
   * All collections of the folder; files that cannot be read are listed with the reason, and never
   * overwritten. Throws `FOLDER_UNUSABLE` if the folder is gone.
   */
  'console.collections': defineQueryMethod(
    z.strictObject({}),
    z.strictObject({
      folder: z.string(),
      /** A folder that the user chose, not the one in the data directory. */
      chosen: z.boolean(),
      collections: z.array(collectionSchema),
      unreadable: z.array(z.strictObject({ file: z.string(), reason: z.enum(unreadableCollectionReasons) })),
    }),
  ),
  /**
   * Writes a collection whole (temporary file, then rename).
   * @throws TOKEN_IN_REQUEST if it contains a known token, COLLECTION_NAME if its id is no valid
   * file name, COLLECTION_FOREIGN if the existing file is no collection, COLLECTION_EXISTS if
   * only the letter case differs from another one, FOLDER_UNUSABLE, STORE_FAILED
   */
  'console.saveCollection': defineCommandMethod(collectionSchema, z.strictObject({})),
  /**
   * Removes the file of a collection.
   * @throws COLLECTION_UNKNOWN if there is none, or the file is no collection
   */
  'console.removeCollection': defineCommandMethod(
    z.strictObject({ id: z.string().min(1).max(120) }),
    z.strictObject({}),
  ),
  /**
   * Chooses another folder, for example in a repository; null returns to the data directory.
   * @throws FOLDER_UNUSABLE unless it is the absolute path of an existing folder
   */
  'console.setFolder': defineCommandMethod(
    z.strictObject({ folder: z.string().max(4000).nullable() }),
    z.strictObject({ folder: z.string() }),
  ),
  /** The tabs of the last session. */
  'console.tabs': defineQueryMethod(z.strictObject({}), consoleTabsSchema),
  /**
   * Saves the open tabs for the next start.
   * @throws TOKEN_IN_REQUEST if one contains a known token; nothing is saved then
   */
  'console.saveTabs': defineCommandMethod(consoleTabsSchema, z.strictObject({})),
}
