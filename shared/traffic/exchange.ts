// Recorded exchanges: rows, details and filters.
// It stores nothing: that is in electron/services/traffic.
// Read this file first.

import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'

/**
 * Says who caused an exchange: a `place` of the page, the `console`, a `write` through the gate,
 * the `tracker` that follows a write (it also reads back), the `heartbeat`, the `connection` itself
 * (status, capabilities, the doctor), the `scan` for hosts on this machine, the protocol `lab`, a
 * `panel` that runs in the panel lab, or another client that was `recorded`.
 */
export const originKinds = [
  'place',
  'console',
  'write',
  'tracker',
  'heartbeat',
  'scan',
  'connection',
  'lab',
  'panel',
  'recorded',
  /** An agent proposed this write, and a person let it through. */
  'agent',
] as const
type OriginKind = (typeof originKinds)[number]

/** Lists omit these repeated background requests unless the filter includes them. */
export const backgroundOriginKinds: readonly OriginKind[] = ['heartbeat', 'scan']

export const originSchema = z.strictObject({
  kind: z.enum(originKinds),
  /**
   * This distinguishes origins of one kind: it is the id of an operation, or the name of a panel or
   * of another client. It is null if there is only one.
   */
  label: z.string().max(200).nullable(),
  /**
   * This identifies the caller even if its label changes: each opening of a panel and each recorded
   * client has one id. It is absent where `kind` and `label` identify the caller.
   */
  caller: z.string().min(1).max(100).optional(),
  /**
   * For a panel, this numbers the loads of its page from 1: a reload, another tab and a nested page
   * each count. For a recorded client, it numbers its runs as far as its connections tell them
   * apart. One load does not know what another load received.
   */
  load: z.number().int().positive().optional(),
})
export type Origin = z.infer<typeof originSchema>

/**
 * The end of an exchange as seen from here: `answered` with any status, `failed` without a complete
 * response, `cancelled` by the caller. `pending` exchanges have not ended. `lost` exchanges were
 * under way when the program ended.
 */
export const exchangeStates = ['pending', 'answered', 'failed', 'cancelled', 'lost'] as const

/**
 * Each member is the start of a phase in milliseconds after `startedAt`; it is null if the phase
 * was not reached or is unknown. For a reused socket, `connected` equals `queued`.
 */
export const timingSchema = z.strictObject({
  /** At this time a socket was assigned. */
  queued: z.number().nullable(),
  /** At this time the socket was connected, including TLS. */
  connected: z.number().nullable(),
  /** At this time the socket had taken over the whole request. */
  sent: z.number().nullable(),
  /** At this time the head of the response arrived. */
  firstByte: z.number().nullable(),
  /** At this time the last byte of the response arrived, or the response broke off. */
  lastByte: z.number().nullable(),
})
export type Timing = z.infer<typeof timingSchema>

export const storedBodySchema = z.strictObject({
  /** This counts the decoded bytes that were sent; it is null if the number is unknown. */
  total: z.number().nullable(),
  /** This many bytes are stored, counted from the first one. */
  kept: z.number().int().nonnegative(),
  /**
   * This says why not all bytes are stored: `limit` of the settings; `media` that only passed
   * through; `busy`: the recorder could not keep up; `full`: the disk was full; `removed` to stay
   * within the settings; `secret`: the body holds a token or a code for one. It is null if all are
   * stored.
   */
  missing: z.enum(['limit', 'media', 'busy', 'full', 'removed', 'secret']).nullable(),
  /**
   * This is the SHA-256 in hex of the stored bytes, so that equal bodies are stored once. It is
   * null if nothing is stored.
   */
  hash: z.string().nullable(),
  /** This is the declared media type with its parameters; it is empty if none was declared. */
  mediaType: z.string(),
})
export type StoredBody = z.infer<typeof storedBodySchema>

export const exchangeRowSchema = z.strictObject({
  /** The number grows with every exchange in the store, so it is also the order of arrival. */
  seq: z.number().int().positive(),
  /** Responses, errors and operations refer to this id as `exchangeId`. */
  id: z.string(),
  startedAt: z.number(),
  /** The exchange took this long until its last byte or failure; it is null while pending. */
  durationMs: z.number().nullable(),
  timing: timingSchema,
  method: z.string(),
  /** The path includes the query as sent, but neither scheme nor host. */
  path: z.string(),
  /** This is the id of the endpoint's row; it is null if no row fits. */
  endpoint: z.string().nullable(),
  /** This is the path template of that row, or the path without its query if there is none. */
  template: z.string(),
  origin: originSchema,
  state: z.enum(exchangeStates),
  /** The status is null if there was no response. */
  status: z.number().int().nullable(),
  /** This is the host's `error.code`, or a code of our own for an exchange without a response. */
  errorCode: z.string().nullable(),
  /** Attempts are numbered from 1. All attempts of one request share `group`. */
  attempt: z.number().int().positive(),
  /** This is the id of the first attempt, which equals its own `id`. */
  group: z.string(),
  /** This is the epoch of the connection. */
  epoch: z.number().int(),
  /** This is the `instanceNonce` of the host's run; it is null if unknown. */
  instance: z.string().nullable(),
  /** This is the host's base URL. */
  host: z.string(),
  /** This is the size of the request body in bytes. */
  requestBytes: z.number().int().nonnegative(),
  /** This counts the response's bytes on the wire, including its head; it is null if unknown. */
  wireBytes: z.number().int().nonnegative().nullable(),
  /** This counts the bytes of the response body after content decoding. */
  bytes: z.number().int().nonnegative(),
  /**
   * This is the media type of the response without parameters; it is empty if none was declared.
   */
  mediaType: z.string(),
  pinned: z.boolean(),
  /**
   * If an override rule responded instead of the host, this is the name of that rule; otherwise
   * null.
   */
  rule: z.string().nullable(),
})
export type ExchangeRow = z.infer<typeof exchangeRowSchema>

/** A header keeps the letter case of its name; the token in its value is masked. */
const headerSchema = z.tuple([z.string(), z.string()])
export type Header = z.infer<typeof headerSchema>

/** An exchange with all stored facts; the bytes of its bodies are read separately. */
export const exchangeDetailSchema = z.strictObject({
  row: exchangeRowSchema,
  requestHeaders: z.array(headerSchema),
  responseHeaders: z.array(headerSchema),
  /** This says why there is no response; it is null if there is one. */
  error: wireErrorSchema.nullable(),
  request: storedBodySchema,
  response: storedBodySchema,
  attempts: z.array(z.number().int()),
  /**
   * This is the last answered exchange before this one with the same host, method, path and request
   * body; it is null if there is none.
   */
  before: z.number().int().nullable(),
  /**
   * These are the ids in the path, query and body of the request, and the request ids of its
   * response, so that the user can open what they name.
   */
  names: z.array(z.strictObject({ member: z.string(), id: z.string() })),
  /** The token was masked this many times in the stored bytes. */
  masked: z.number().int().nonnegative(),
})
export type ExchangeDetail = z.infer<typeof exchangeDetailSchema>
