// Recorded exchanges: rows, details and filters.
// It stores nothing: that is in electron/services/traffic.
// Read this file first.

import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'

/**
 * Who caused an exchange: a `place` of the page, the `console`, a `write` through the gate, the
 * `tracker` that follows a write (reading back included), the `heartbeat`, the `connection` itself
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
  /** A write that an agent proposed, and a person let through. */
  'agent',
] as const
type OriginKind = (typeof originKinds)[number]

/** Repeated background requests, which lists omit unless the filter includes them. */
export const backgroundOriginKinds: readonly OriginKind[] = ['heartbeat', 'scan']

export const originSchema = z.strictObject({
  kind: z.enum(originKinds),
  /**
   * Which one of its kind: the id of an operation, the name of a panel or of another client. Null
   * if there is only one.
   */
  label: z.string().max(200).nullable(),
  /**
   * Which caller, whatever it is called now: one id for each opening of a panel, and for each
   * recorded client. Absent where `kind` and `label` say all.
   */
  caller: z.string().min(1).max(100).optional(),
  /**
   * Of a panel, the number of its page's load, from 1: a reload, another tab and a nested page each
   * count. Of a recorded client, the number of its run as far as its connections tell runs apart.
   * What one load was told, another does not know.
   */
  load: z.number().int().positive().optional(),
})
export type Origin = z.infer<typeof originSchema>

/**
 * How an exchange ended, from our side: `answered` whatever the status is, `failed` without a
 * complete response, `cancelled` by whoever had asked. `pending` has not ended. `lost` was under
 * way when the program ended.
 */
export const exchangeStates = ['pending', 'answered', 'failed', 'cancelled', 'lost'] as const

/**
 * When each phase of an exchange began, in milliseconds after `startedAt`; null if it was not
 * reached or cannot be told. A kept socket has `connected` equal to `queued`.
 */
export const timingSchema = z.strictObject({
  /** A socket was assigned. */
  queued: z.number().nullable(),
  /** The socket was connected, TLS included. */
  connected: z.number().nullable(),
  /** The request had been handed to the socket whole. */
  sent: z.number().nullable(),
  /** The head of the response arrived. */
  firstByte: z.number().nullable(),
  /** The last byte of the response arrived, or it broke off. */
  lastByte: z.number().nullable(),
})
export type Timing = z.infer<typeof timingSchema>

/** What is kept of a body. */
export const storedBodySchema = z.strictObject({
  /** Decoded bytes that were sent; null if nobody knows. */
  total: z.number().nullable(),
  /** How many of them are kept, from the first one on. */
  kept: z.number().int().nonnegative(),
  /**
   * Why not all are kept: `limit` of the settings · `media` that only passed through · `busy` the
   * recorder could not keep up · `full` the disk · `removed` to stay within the settings · `secret`
   * it holds a token or a code for one. Null if all are.
   */
  missing: z.enum(['limit', 'media', 'busy', 'full', 'removed', 'secret']).nullable(),
  /** SHA-256 in hex of what is kept; equal bodies are kept once. Null if nothing is. */
  hash: z.string().nullable(),
  /** The declared media type, with its parameters; empty if none was. */
  mediaType: z.string(),
})
export type StoredBody = z.infer<typeof storedBodySchema>

/** An exchange as lists show it. */
export const exchangeRowSchema = z.strictObject({
  /** Grows with every exchange in the store; also its place in the order of arrival. */
  seq: z.number().int().positive(),
  /** The id that responses, errors and operations refer to as `exchangeId`. */
  id: z.string(),
  startedAt: z.number(),
  /** Until the last byte, the failure or now; null while pending. */
  durationMs: z.number().nullable(),
  timing: timingSchema,
  method: z.string(),
  /** With the query as sent, without scheme and host. */
  path: z.string(),
  /** Id of the endpoint's row; null if no row fits. */
  endpoint: z.string().nullable(),
  /** Path template of that row; the path without its query if there is none. */
  template: z.string(),
  origin: originSchema,
  state: z.enum(exchangeStates),
  /** Null without a response. */
  status: z.number().int().nullable(),
  /** The host's `error.code`, or ours for an exchange without a response. */
  errorCode: z.string().nullable(),
  /** Number of the attempt, from 1. Attempts at one request share `group`. */
  attempt: z.number().int().positive(),
  /** Id of the first attempt; equal to `id` there. */
  group: z.string(),
  /** The connection's epoch. */
  epoch: z.number().int(),
  /** `instanceNonce` of the host's run; null where unknown. */
  instance: z.string().nullable(),
  /** Base URL of the host. */
  host: z.string(),
  /** Bytes of the request's body. */
  requestBytes: z.number().int().nonnegative(),
  /** Bytes of the response on the wire, head included; null where unknown. */
  wireBytes: z.number().int().nonnegative().nullable(),
  /** Bytes of the response's body, decoded. */
  bytes: z.number().int().nonnegative(),
  /** Media type of the response without parameters; empty if none was declared. */
  mediaType: z.string(),
  pinned: z.boolean(),
  /**
   * It answered from rules instead of the host: the name of the rule; null for a response of the
   * host.
   */
  rule: z.string().nullable(),
})
export type ExchangeRow = z.infer<typeof exchangeRowSchema>

/** A header as sent: name with its letter case, value with the token masked. */
const headerSchema = z.tuple([z.string(), z.string()])
export type Header = z.infer<typeof headerSchema>

/** An exchange with all that is kept, except the bytes of its bodies. */
export const exchangeDetailSchema = z.strictObject({
  row: exchangeRowSchema,
  requestHeaders: z.array(headerSchema),
  responseHeaders: z.array(headerSchema),
  /** What went wrong without a response; null otherwise. */
  error: wireErrorSchema.nullable(),
  request: storedBodySchema,
  response: storedBodySchema,
  attempts: z.array(z.number().int()),
  /**
   * The last answered exchange before this one with the same host, method, path and request body;
   * null if there is none.
   */
  before: z.number().int().nullable(),
  /**
   * Ids in path, query and body of the request, and the request ids of its response: each leads to
   * what it names.
   */
  names: z.array(z.strictObject({ member: z.string(), id: z.string() })),
  /** How often the token was masked in what is kept. */
  masked: z.number().int().nonnegative(),
})
export type ExchangeDetail = z.infer<typeof exchangeDetailSchema>
