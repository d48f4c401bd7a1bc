// Recorded exchanges: rows, details and filters. They are stored by electron/services/traffic. Read
// this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { wireErrorSchema } from '../errors.ts'
import { callInitiatorSchema } from './call-initiator.ts'

/**
 * Who caused an exchange: a `place` of the page, the `console`, any other `write` of this program,
 * the `tracker` that follows a write and reads its data back, the `heartbeat`, the `connection`
 * itself (status, capabilities, the doctor), the `scan` for hosts on this machine, the protocol
 * `lab`, a `panel` that runs in the panel lab, or another client that was `recorded`.
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
  /** An agent proposed this write, and a person approved it. */
  'agent',
] as const
type OriginKind = (typeof originKinds)[number]

/** Lists omit these repeated background requests unless the filter includes them. */
export const backgroundOriginKinds: readonly OriginKind[] = ['heartbeat', 'scan']

export const originSchema = z.strictObject({
  kind: z.enum(originKinds),
  /** An operation's id, or the name of a panel or client. Null if the kind has only one. */
  label: z.string().max(200).nullable(),
  /**
   * Identifies the caller even if its label changes: each opening of a panel and each recorded
   * client has one id. Absent where `kind` and `label` identify the caller.
   */
  caller: z.string().min(1).max(100).optional(),
  /**
   * For a panel, the number of the page load, from 1: a reload, another tab and a nested page each
   * count. For a recorded client, the number of its run, as far as its connections tell the runs
   * apart. A load does not know the responses that another load received.
   */
  load: z.number().int().positive().optional(),
})
export type Origin = z.infer<typeof originSchema>

/** The operation that a write of this program, or a request that follows one, belongs to. */
export function findOperationId({ kind, label }: Pick<Origin, 'kind' | 'label'>): string | null {
  return kind === 'write' || kind === 'tracker' || kind === 'console' ? label || null : null
}

/**
 * How an exchange ended: `answered` with any status, `failed` without a complete response,
 * `cancelled` by the caller. `pending` exchanges have not ended. `lost` exchanges were under way
 * when the program ended.
 */
export const exchangeStates = ['pending', 'answered', 'failed', 'cancelled', 'lost'] as const

/**
 * Each member is the start of a phase in milliseconds after `startedAt`; null if the phase was not
 * reached or is unknown. For a reused socket, `connected` equals `queued`.
 */
export const timingSchema = z.strictObject({
  /** The request got a socket; until then it was waiting for a free one. */
  queued: z.number().nullable(),
  /** The socket was connected, including TLS. */
  connected: z.number().nullable(),
  /** The socket had taken over the whole request. */
  sent: z.number().nullable(),
  /** The head of the response arrived. */
  firstByte: z.number().nullable(),
  /** The last byte of the response arrived, or the response broke off. */
  lastByte: z.number().nullable(),
})
export type Timing = z.infer<typeof timingSchema>

export const storedBodySchema = z.strictObject({
  /** Decoded bytes that were sent; null if the number is unknown. */
  total: z.number().nullable(),
  /** Stored bytes, counted from the first one. */
  kept: z.number().int().nonnegative(),
  /**
   * The reason why not all bytes are stored: `limit`: the settings allow fewer bytes; `media`: the
   * body passed through without being stored; `busy`: the recorder could not keep up; `full`: the
   * disk was full; `removed`: older bodies are deleted to stay within the settings; `secret`: the
   * body holds a token or a code for a token; `redacted`: a redaction dropped it; `damaged`: the
   * open recording is damaged there; `encoded`: the bytes do not decode as declared, and are stored
   * as they were received. Null if all are stored.
   */
  missing: z.enum(['limit', 'media', 'busy', 'full', 'removed', 'secret', 'redacted', 'damaged', 'encoded']).nullable(),
  /** SHA-256 in hex, so that equal bodies are stored once. Null if nothing is stored. */
  hash: z.string().nullable(),
  /** The declared media type with its parameters; empty if none was declared. */
  mediaType: z.string(),
})
export type StoredBody = z.infer<typeof storedBodySchema>

export const exchangeRowSchema = z.strictObject({
  /** Grows with every exchange in the store, so it is also the order of arrival. */
  seq: z.number().int().positive(),
  /** Responses, errors and operations refer to this id as `exchangeId`. */
  id: z.string(),
  startedAt: timestampSchema,
  /** Milliseconds until the last byte or failure; null while pending. */
  durationMs: z.number().nullable(),
  timing: timingSchema,
  method: z.string(),
  /** The path includes the query as sent, but neither scheme nor host. */
  path: z.string(),
  endpoint: z.string().nullable(),
  /** Path template of the endpoint, or the path without its query if there is none. */
  template: z.string(),
  origin: originSchema,
  state: z.enum(exchangeStates),
  status: z.number().int().nullable(),
  /** The host's `error.code`, or a code of this program for an exchange without a response. */
  errorCode: z.string().nullable(),
  /** Attempts are numbered from 1. All attempts of one request share `group`. */
  attempt: z.number().int().positive(),
  /** Id of the first attempt. For that attempt, it equals `id`. */
  group: z.string(),
  epoch: z.number().int(),
  /** `instanceNonce` of the host's run; null if unknown. */
  instance: z.string().nullable(),
  /** Base URL. */
  host: z.string(),
  /** Size of the request body. */
  requestBytes: z.number().int().nonnegative(),
  /** Size of the response on the wire, including its head; null if unknown. */
  wireBytes: z.number().int().nonnegative().nullable(),
  /** Size of the response body after content decoding. */
  bytes: z.number().int().nonnegative(),
  /** Media type of the response without parameters; empty if none was declared. */
  mediaType: z.string(),
  pinned: z.boolean(),
  /** Name of the override rule that responded instead of the host; null if the host responded. */
  rule: z.string().nullable(),
})
export type ExchangeRow = z.infer<typeof exchangeRowSchema>

/** A header keeps the letter case of its name; the token in its value is masked. */
const headerSchema = z.tuple([z.string(), z.string()])
export type Header = z.infer<typeof headerSchema>

/** The bytes of the bodies are read separately. */
export const exchangeDetailSchema = z.strictObject({
  row: exchangeRowSchema,
  requestHeaders: z.array(headerSchema),
  responseHeaders: z.array(headerSchema),
  /** The reason why there is no response; null if there is one. */
  error: wireErrorSchema.nullable(),
  request: storedBodySchema,
  response: storedBodySchema,
  attempts: z.array(z.number().int()),
  /** The last answered one with the same host, method, path and body; null if none. */
  before: z.number().int().nullable(),
  /** Ids in the request, and the response's request ids, so that objects can be opened. */
  names: z.array(z.strictObject({ member: z.string(), id: z.string() })),
  /** How often the token was masked in the stored bytes. */
  masked: z.number().int().nonnegative(),
  /** The code that made the call of a panel; absent for other exchanges, and if it is unknown. */
  initiator: callInitiatorSchema.optional(),
})
export type ExchangeDetail = z.infer<typeof exchangeDetailSchema>
