import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** The address must use TLS or lead to this machine. */
export function isSafeUpdateUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** A folder's address without query, fragment or password: settings must not hold secrets. */
export function isUpdateFeedUrl(text: string): boolean {
  if (!isSafeUpdateUrl(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const emptySchema = z.strictObject({})

/** The notes are foreign text and are never rendered as HTML. */
const releaseSchema = z.strictObject({
  version: z.string().max(100),
  /** Written as in the feed; null if the feed has no date. */
  date: z.string().max(100).nullable(),
  notes: z.string(),
})
export type UpdateRelease = z.infer<typeof releaseSchema>

const updateStateSchema = z.strictObject({
  /** This copy can do `nothing`, `tell` of a newer version, or `install` it. */
  can: z.enum(['nothing', 'tell', 'install']),
  /** True if the user has set the address of a feed. */
  on: z.boolean(),
  phase: z.enum(['idle', 'checking', 'current', 'available', 'downloading', 'ready', 'installing']),
  /** The newer version; null if none was found. */
  release: releaseSchema.nullable(),
  /** Bytes that were downloaded, and the size of the file. */
  received: z.number().nonnegative(),
  total: z.number().nonnegative(),
  /** Epoch milliseconds of the last response of the feed. */
  checkedAt: z.number().nullable(),
  /** The reason why the last step failed; the phase is the one before that step. */
  error: wireErrorSchema.nullable(),
})
export type UpdateState = z.infer<typeof updateStateSchema>

/** Nothing is requested, downloaded or installed except by these calls. */
export const updateMethods = {
  'updates.get': defineQueryMethod(emptySchema, updateStateSchema),
  /** Requests the chosen address once. @throws UPDATE_OFF, UPDATE_NOT_HERE */
  'updates.check': defineCommandMethod(emptySchema, updateStateSchema),
  /** The checksum is compared with the feed's. @throws UPDATE_NONE */
  'updates.download': defineCommandMethod(emptySchema, updateStateSchema),
  'updates.cancel': defineCommandMethod(emptySchema, updateStateSchema),
  /** Passes the file to the system's installer, and ends the program. @throws UPDATE_NONE */
  'updates.install': defineCommandMethod(emptySchema, updateStateSchema),
}

export const updateTopics = {
  'updates.changed': defineTopic(updateStateSchema),
}
