import { z } from 'zod'
import { savedRequestSchema } from '../collections/saved-request.ts'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

const name = z.string().min(1).max(200)

export const collectionSchema = z.strictObject({
  /** The address of the schema for editors, `resources/collection.schema.json`; never fetched. */
  $schema: z.string().max(2000).optional(),
  /** The id is the file's name without `.json`, so it is unique in its folder. */
  id: z.string().min(1).max(120),
  name,
  variables: z.record(z.string().regex(/^\w{1,60}$/), z.string().max(4000)).default({}),
  requests: z.array(savedRequestSchema).max(2000),
})
export type Collection = z.infer<typeof collectionSchema>

/** Further files of the folder are not read. */
export const MAX_COLLECTIONS = 500

/** Reasons why a file is not shown as a collection (`console.unreadable.<reason>`). */
export const unreadableCollectionReasons = [
  /** The entry is a symbolic link, FIFO or folder instead of a regular file. */
  'strange',
  'too-large',
  /** The program has no permission to read the file. */
  'unread',
  'not-json',
  /** The file is JSON, but not a collection. */
  'shape',
  /** The file contains a known token. */
  'token',
  /** The file's name cannot be the id of a collection. */
  'name',
  'too-many',
] as const

const consoleTabSchema = z.strictObject({
  id: z.string().min(1).max(40),
  method: z.string().max(20),
  path: z.string().max(8000),
  /** JSON text; null if there is no body. */
  body: z.string().max(1_000_000).nullable(),
  /** The saved request from which the tab was opened; null if the request is not saved. */
  saved: z.strictObject({ collection: z.string().max(120), name: z.string().max(200) }).nullable(),
  /** The last exchange that the tab caused. */
  seq: z.number().int().positive().nullable(),
  /** Assertions of a request that is not saved; those of a saved one are in its collection. */
  assertions: z.json().optional(),
})
export type ConsoleTab = z.infer<typeof consoleTabSchema>

/** In the order in which the page shows the tabs. */
export const consoleTabsSchema = z.strictObject({
  tabs: z.array(consoleTabSchema).max(30),
  /** Id of the tab that the page shows. */
  current: z.string().max(40).nullable(),
})
export type ConsoleTabs = z.infer<typeof consoleTabsSchema>

export const consoleMethods = {
  /**
   * Returns all collections of the folder. Files that cannot be read are listed with the reason and
   * are never overwritten.
   * @throws FOLDER_UNUSABLE if the folder is gone
   */
  'console.collections': defineQueryMethod(
    z.strictObject({}),
    z.strictObject({
      folder: z.string(),
      /** True if the user chose the folder; false for the one in the data directory. */
      chosen: z.boolean(),
      collections: z.array(collectionSchema),
      unreadable: z.array(z.strictObject({ file: z.string(), reason: z.enum(unreadableCollectionReasons) })),
    }),
  ),
  /**
   * Writes the whole collection to a temporary file, which then replaces the old file.
   * @throws TOKEN_IN_REQUEST if it contains a known token, COLLECTION_NAME if its id is not a valid
   *   file name, COLLECTION_FOREIGN if the existing file is no collection, COLLECTION_EXISTS if
   *   only the letter case differs from another one, FOLDER_UNUSABLE, STORE_FAILED
   */
  'console.saveCollection': defineCommandMethod(collectionSchema, z.strictObject({})),
  /** @throws COLLECTION_UNKNOWN if there is none, or the file is no collection */
  'console.removeCollection': defineCommandMethod(
    z.strictObject({ id: z.string().min(1).max(120) }),
    z.strictObject({}),
  ),
  /** Sets a folder, null for the data directory. @throws FOLDER_UNUSABLE unless it exists */
  'console.setFolder': defineCommandMethod(
    z.strictObject({ folder: z.string().max(4000).nullable() }),
    z.strictObject({ folder: z.string() }),
  ),
  /** Returns the tabs that were open when the program last ran. */
  'console.tabs': defineQueryMethod(z.strictObject({}), consoleTabsSchema),
  /** Keeps them for the next start. @throws TOKEN_IN_REQUEST, saving nothing, for a known token */
  'console.saveTabs': defineCommandMethod(consoleTabsSchema, z.strictObject({})),
}
