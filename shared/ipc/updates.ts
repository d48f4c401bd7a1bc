import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** Whether an address may be requested for updates: it uses TLS or leads to this machine. */
export function isSafeUpdateUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Whether an address may be the update feed. The address is a folder. A query, a fragment or a
 * password is refused, because a settings file must not hold secrets.
 */
export function isUpdateFeedUrl(text: string): boolean {
  if (!isSafeUpdateUrl(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const emptySchema = z.strictObject({})

/** A version that the feed offers. Its notes are foreign text and are never rendered as HTML. */
const releaseSchema = z.strictObject({
  version: z.string().max(100),
  /** The date is written as in the feed; it is null if the feed has none. */
  date: z.string().max(100).nullable(),
  notes: z.string(),
})
export type UpdateRelease = z.infer<typeof releaseSchema>

const updateStateSchema = z.strictObject({
  /**
   * This copy of the program can do `nothing`, only report a newer version (`tell`), or `install`
   * it.
   */
  can: z.enum(['nothing', 'tell', 'install']),
  /** The user chose an address. */
  on: z.boolean(),
  phase: z.enum(['idle', 'checking', 'current', 'available', 'downloading', 'ready', 'installing']),
  /** This is the newer version; it is null if none was found. */
  release: releaseSchema.nullable(),
  /** These count bytes while downloading. */
  received: z.number().nonnegative(),
  total: z.number().nonnegative(),
  /** The feed last responded at this time in epoch milliseconds. */
  checkedAt: z.number().nullable(),
  /** The last step failed for this reason; the phase is the one before that step. */
  error: wireErrorSchema.nullable(),
})
export type UpdateState = z.infer<typeof updateStateSchema>

/** Nothing is requested, downloaded or installed except by these calls. */
export const updateMethods = {
  'updates.get': defineQueryMethod(emptySchema, updateStateSchema),
  /**
   * Requests the chosen address once.
   * @throws UPDATE_OFF, UPDATE_NOT_HERE
   */
  'updates.check': defineCommandMethod(emptySchema, updateStateSchema),
  /**
   * Downloads the version that was found, and compares its checksum with the feed's.
   * @throws UPDATE_NONE
   */
  'updates.download': defineCommandMethod(emptySchema, updateStateSchema),
  /** Ends a check or a download. */
  'updates.cancel': defineCommandMethod(emptySchema, updateStateSchema),
  /**
   * Passes the downloaded file to the system's installer, and ends the program.
   * @throws UPDATE_NONE
   */
  'updates.install': defineCommandMethod(emptySchema, updateStateSchema),
}

export const updateTopics = {
  'updates.changed': defineTopic(updateStateSchema),
}
