// Data of the panel lab: sources, state, calls, notes, overrides and who may call what.
// It runs no panel: that is in electron/services/panel.
// Read this file first.

import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { preparedWriteSchema } from '../operations/prepared-write.ts'
import { panelCallReasonSchema } from './call-reason.ts'

/** The panels that ship with the demo (`resources/demo/panels/<name>`). */
export const samplePanelNames = ['practice', 'rule-breaker'] as const

/** Where a panel's page comes from. */
export const panelSourceSchema = z.discriminatedUnion('kind', [
  /** A folder with an `index.html`, which is watched. */
  z.strictObject({
    kind: z.literal('folder'),
    path: z.string().min(1).max(4000),
    /** Path with query where its page begins; `/` by itself. */
    start: z
      .string()
      .max(2000)
      .regex(/^\/(?![/\\])/)
      .optional(),
    /**
     * Documents that no file is there for are `index.html`, as development servers do for the
     * routes of a page.
     */
    fallback: z.boolean().optional(),
  }),
  /** A development server on this machine. */
  z.strictObject({ kind: z.literal('server'), url: z.url().max(2000) }),
  z.strictObject({ kind: z.literal('sample'), name: z.enum(samplePanelNames) }),
])
export type PanelSource = z.infer<typeof panelSourceSchema>

const panelPhases = ['none', 'starting', 'running', 'stopped', 'failed'] as const

/** How writes of the page are met. `let-through` needs a profile that may write. */
export const panelWriteModes = ['refuse', 'ask', 'let-through'] as const
export type PanelWriteMode = (typeof panelWriteModes)[number]

/**
 * Which allow-list decides: the host's, everything (a panel in a host would not get this), or the
 * user's own.
 */
export const allowModes = ['host', 'all', 'mine'] as const
export type AllowMode = (typeof allowModes)[number]

/**
 * A line of an allow-list: a method, and a path template relative to the base URL such as
 * `/notes/{id}/render`.
 */
export const allowedRouteSchema = z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(500) })
export type AllowedRoute = z.infer<typeof allowedRouteSchema>

export const allowListSchema = z.strictObject({
  mode: z.enum(allowModes),
  /** What the host says. */
  host: z.array(allowedRouteSchema),
  /**
   * Where that was read: a list for panels in the template or the capabilities, all routes of the
   * capabilities, or nowhere yet.
   */
  from: z.enum(['template', 'capabilities-panel', 'capabilities-routes', 'nowhere']),
  mine: z.array(allowedRouteSchema),
})
export type AllowList = z.infer<typeof allowListSchema>

/** A write of the page that waits for a person. */
const pendingPanelWriteSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  prepared: preparedWriteSchema,
  /** What the gate changed in what the page sent. */
  changes: z.array(z.lazy(() => panelCallChangeSchema)),
})
export type PendingPanelWrite = z.infer<typeof pendingPanelWriteSchema>

/** The panel that runs, or ran last. */
export const panelStateSchema = z.strictObject({
  source: panelSourceSchema.nullable(),
  /**
   * The page's title, or the folder's name; the label of its exchanges. It changes while the page
   * is open.
   */
  name: z.string(),
  /** Id of this opening, the `caller` of its exchanges; null while nothing was opened. */
  caller: z.string().nullable(),
  /**
   * Number of the page's newest load in this opening, whoever caused it: the `load` of its
   * exchanges. 0 before the first.
   */
  pageLoad: z.number().int().nonnegative(),
  phase: z.enum(panelPhases),
  /** Why it could not be opened. */
  error: wireErrorSchema.nullable(),
  /**
   * What a frame shows; null in the desktop app, where a view of its own does, and while nothing
   * runs.
   */
  url: z.string().nullable(),
  /** Grows with each load that is caused here: a frame with another number is a new one. */
  load: z.number().int().nonnegative(),
  /** Why it was loaded last; `itself`: the page reloaded itself. */
  loadedBecause: z.enum(['opened', 'reloaded', 'changed', 'itself']),
  /** When the page began its newest load, as it says itself; null before the first. */
  loadedAt: z.number().nullable(),
  plugin: z.strictObject({
    /**
     * What the host would write into `addon`; null if neither the template nor the user names one.
     */
    id: z.string().nullable(),
    from: z.enum(['template', 'chosen', 'nowhere']),
    /** Ids that the template lists. */
    offered: z.array(z.string()),
  }),
  allow: allowListSchema,
  writes: z.enum(panelWriteModes),
  asks: z.array(pendingPanelWriteSchema),
  overrides: z.strictObject({ on: z.number().int(), all: z.number().int() }),
  /**
   * False while the desktop app's view has not responded for five seconds. A frame is asked by the
   * page that shows it.
   */
  isResponding: z.boolean(),
  /** Unlike the desktop app, a browser has its own developer tools. */
  devTools: z.boolean(),
})
export type PanelState = z.infer<typeof panelStateSchema>

/** Longer texts of the page are cut. */
export const MAX_NOTE_CHARS = 20_000

/** Something that happened in the page besides its calls. */
export const panelNoteSchema = z.strictObject({
  seq: z.number().int().positive(),
  at: z.number(),
  /**
   * `console` and `error` are the page's own; `refused` was tried and not allowed; `load` is a load
   * of the page.
   */
  kind: z.enum(['console', 'error', 'refused', 'load']),
  level: z.enum(['debug', 'info', 'warning', 'error']),
  /** Of what was refused. */
  what: z
    .enum([
      'window',
      'navigation',
      'permission',
      'download',
      'remote',
      'service-worker',
      'frame',
      'file',
      'storage',
      'other',
    ])
    .nullable(),
  text: z.string().max(MAX_NOTE_CHARS),
  /** Characters that the page wrote; larger than `text` if only its beginning is kept. */
  textLength: z.number().int().nonnegative(),
  /** File of the page; empty if unknown. */
  file: z.string().max(2000),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  /** Where that was written, by the file's source map; null if there is none. */
  original: z
    .strictObject({ file: z.string().max(2000), line: z.number().int(), column: z.number().int().nullable() })
    .nullable(),
})
export type PanelNote = z.infer<typeof panelNoteSchema>

/**
 * One thing that the gate changed between the page and the host, or between the host and the page.
 */
const panelCallChangeSchema = z.strictObject({
  where: z.enum(['body', 'query', 'header', 'path', 'answer']),
  /** JSON pointer, or the name of a header or parameter. */
  member: z.string(),
  /** As JSON or text; null if it was not there. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Code of the reason (`panel.change.<why>`). */
  why: z.enum([
    'confirm-filled',
    'addon-rewritten',
    'addon-without-id',
    'header-removed',
    'override',
    /** A change of an override that leads nowhere in this response. */
    'override-missed',
    'token-masked',
  ]),
})
export type PanelCallChange = z.infer<typeof panelCallChangeSchema>

/** What the gate did with a call. */
export const panelCallDecisions = [
  /** Passed on to the host. */
  'passed',
  /** Outside the allow-list: 403 `IN_PROCESS_NOT_ALLOWED`. */
  'not-allowed',
  /** A write while writes are refused, or refused by the person who was asked. */
  'write-refused',
  /** Answered by an override. */
  'override',
  /** No host is connected, or the request cannot be sent as it is. */
  'not-sent',
] as const

/** Both sides of a call that the page made, beside its exchange in traffic. */
export const panelCallSchema = z.strictObject({
  /** The exchange in traffic. */
  exchangeId: z.string(),
  at: z.number(),
  /** How the page called: `host.api`, `fetch`, or an element of it. */
  via: z.enum(['host.api', 'fetch', 'element']),
  decision: z.enum(panelCallDecisions),
  reason: panelCallReasonSchema,
  page: z.strictObject({
    method: z.string(),
    path: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    /** Text of the body up to 64 KB; null if there is none. */
    body: z.string().nullable(),
    bodyBytes: z.number().int().nonnegative(),
  }),
  /**
   * From the call to the end of what the page received, delays of overrides and questions included;
   * absent while it waits.
   */
  durationMs: z.number().nonnegative().optional(),
  changes: z.array(panelCallChangeSchema),
  /** What the page received; null while it waits. */
  answer: z
    .strictObject({
      status: z.number().int().nullable(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      /** Text of the body up to 64 KB; null if it is binary. */
      body: z.string().nullable(),
      bytes: z.number().int().nonnegative(),
      /** The connection ended without a response. */
      broken: z.boolean(),
    })
    .nullable(),
  /** The record of a write. */
  operationId: z.string().nullable(),
  /**
   * The host refused what a panel inside it would not have met (spec §5.5): a token error,
   * `MAX_REQUIRED`.
   */
  onlyOutside: z.boolean(),
})
export type PanelCall = z.infer<typeof panelCallSchema>

/** What a list shows of a call, besides its exchange. */
export const panelCallSummarySchema = panelCallSchema
  .pick({ exchangeId: true, at: true, durationMs: true, via: true, decision: true, onlyOutside: true })
  .partial({ at: true })
export type PanelCallSummary = z.infer<typeof panelCallSummarySchema>
