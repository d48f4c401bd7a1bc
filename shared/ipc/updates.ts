import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** Whether a request for an update may go there: over TLS, or to this machine. */
export function isSafeUpdateUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Whether updates may be looked for there. The address is a folder: with a query, a fragment or a
 * password it would be something else, and would carry what does not belong into a settings file.
 */
export function isUpdateFeedUrl(text: string): boolean {
  if (!isSafeUpdateUrl(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const emptySchema = z.strictObject({})

/** A version that the feed offers; what its author wrote is text, whatever it looks like. */
const releaseSchema = z.strictObject({
  version: z.string().max(100),
  /** As the feed says it; null if it says none. */
  date: z.string().max(100).nullable(),
  notes: z.string(),
})
export type UpdateRelease = z.infer<typeof releaseSchema>

const updateStateSchema = z.strictObject({
  /**
   * What this copy of the program can do: nothing, say that there is a newer version, or put it in
   * place.
   */
  can: z.enum(['nothing', 'tell', 'install']),
  /** An address was chosen. */
  on: z.boolean(),
  phase: z.enum(['idle', 'checking', 'current', 'available', 'downloading', 'ready', 'installing']),
  /** The newer version; null if none was found. */
  release: releaseSchema.nullable(),
  /** Bytes while downloading. */
  received: z.number().nonnegative(),
  total: z.number().nonnegative(),
  /** When the feed last answered, in epoch milliseconds. */
  checkedAt: z.number().nullable(),
  /** Why the last step failed; the phase is the one before it. */
  error: wireErrorSchema.nullable(),
})
export type UpdateState = z.infer<typeof updateStateSchema>

/** Nothing is asked, downloaded or installed but by these calls. */
export const updateMethods = {
  'updates.get': defineQueryMethod(emptySchema, updateStateSchema),
  /** Asks the chosen address once. Throws `UPDATE_OFF`, `UPDATE_NOT_HERE`. */
  'updates.check': defineCommandMethod(emptySchema, updateStateSchema),
  /**
   * Downloads the version that was found, and compares its checksum with the feed's. Throws
   * `UPDATE_NONE`.
   */
  'updates.download': defineCommandMethod(emptySchema, updateStateSchema),
  /** Ends a check or a download. */
  'updates.cancel': defineCommandMethod(emptySchema, updateStateSchema),
  /**
   * Hands what was downloaded to the system's installer, and ends the program. Throws
   * `UPDATE_NONE`.
   */
  'updates.install': defineCommandMethod(emptySchema, updateStateSchema),
}

export const updateTopics = {
  'updates.changed': defineTopic(updateStateSchema),
}
