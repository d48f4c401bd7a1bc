// Data of the panel lab: sources, state, calls, notes, overrides and who may call what.
// It runs no panel: that is in electron/services/panel.
// Read this file first.

import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { preparedWriteSchema } from '../operations/prepared-write.ts'
import { panelCallReasonSchema } from './call-reason.ts'

/** These panels ship with the demo (`resources/demo/panels/<name>`). */
export const samplePanelNames = ['practice', 'rule-breaker'] as const

export const panelSourceSchema = z.discriminatedUnion('kind', [
  /** The folder has an `index.html` and is watched for changes. */
  z.strictObject({
    kind: z.literal('folder'),
    path: z.string().min(1).max(4000),
    /** The page begins at this path with query; the default is `/`. */
    start: z
      .string()
      .max(2000)
      .regex(/^\/(?![/\\])/)
      .optional(),
    /**
     * If no file exists for a document's path, `index.html` is served, as development servers do
     * for the routes of a page.
     */
    fallback: z.boolean().optional(),
  }),
  /** The URL leads to a development server on this machine. */
  z.strictObject({ kind: z.literal('server'), url: z.url().max(2000) }),
  z.strictObject({ kind: z.literal('sample'), name: z.enum(samplePanelNames) }),
])
export type PanelSource = z.infer<typeof panelSourceSchema>

const panelPhases = ['none', 'starting', 'running', 'stopped', 'failed'] as const

/**
 * A write mode decides what happens to writes of the page. `let-through` needs a profile that may
 * write.
 */
export const panelWriteModes = ['refuse', 'ask', 'let-through'] as const
export type PanelWriteMode = (typeof panelWriteModes)[number]

/**
 * The mode says which allow list decides: the host's, one that contains everything (a panel in a
 * host would not get this), or the user's own.
 */
export const allowModes = ['host', 'all', 'mine'] as const
export type AllowMode = (typeof allowModes)[number]

/**
 * An entry of an allow list has a method and a path template relative to the base URL, such as
 * `/notes/{id}/render`.
 */
export const allowedRouteSchema = z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(500) })
export type AllowedRoute = z.infer<typeof allowedRouteSchema>

export const allowListSchema = z.strictObject({
  mode: z.enum(allowModes),
  /** These are the routes that the host allows. */
  host: z.array(allowedRouteSchema),
  /**
   * The host's list was read from here: a list for panels in the template or the capabilities, all
   * routes of the capabilities, or nowhere yet.
   */
  from: z.enum(['template', 'capabilities-panel', 'capabilities-routes', 'nowhere']),
  mine: z.array(allowedRouteSchema),
})
export type AllowList = z.infer<typeof allowListSchema>

/** A write of the page waits for a person's decision. */
const pendingPanelWriteSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  prepared: preparedWriteSchema,
  /** The policy made these changes to what the page sent. */
  changes: z.array(z.lazy(() => panelCallChangeSchema)),
})
export type PendingPanelWrite = z.infer<typeof pendingPanelWriteSchema>

/** The panel is running, or was the last one that ran. */
export const panelStateSchema = z.strictObject({
  source: panelSourceSchema.nullable(),
  /**
   * This is the page's title or the folder's name, and the label of its exchanges. It changes while
   * the page is open.
   */
  name: z.string(),
  /**
   * This id belongs to one opening of the panel and is the `caller` of its exchanges; it is null
   * before the first opening.
   */
  caller: z.string().nullable(),
  /**
   * This numbers the loads of the page in this opening, whoever caused them; it is the `load` of
   * its exchanges. It is 0 before the first load.
   */
  pageLoad: z.number().int().nonnegative(),
  phase: z.enum(panelPhases),
  /** The panel could not be opened for this reason. */
  error: wireErrorSchema.nullable(),
  /**
   * A frame shows this address. It is null while no panel runs, and in the desktop app, which shows
   * the panel in a native view.
   */
  url: z.string().nullable(),
  /**
   * This grows with each load that this program causes. A frame with another number is a new one.
   */
  load: z.number().int().nonnegative(),
  /** This is the reason for the last load; `itself` means that the page reloaded itself. */
  loadedBecause: z.enum(['opened', 'reloaded', 'changed', 'itself']),
  /** The page reports that it began its newest load at this time; null before the first load. */
  loadedAt: z.number().nullable(),
  plugin: z.strictObject({
    /**
     * The host would write this id into `addon`; it is null if neither the template nor the user
     * names one.
     */
    id: z.string().nullable(),
    from: z.enum(['template', 'chosen', 'nowhere']),
    /** The template lists these ids. */
    offered: z.array(z.string()),
  }),
  allow: allowListSchema,
  writes: z.enum(panelWriteModes),
  asks: z.array(pendingPanelWriteSchema),
  overrides: z.strictObject({ on: z.number().int(), all: z.number().int() }),
  /**
   * This is false if the desktop app's view has not responded for five seconds. Frames are checked
   * by the page that shows them.
   */
  isResponding: z.boolean(),
  /** The desktop app has developer tools for the panel; a browser has its own. */
  devTools: z.boolean(),
})
export type PanelState = z.infer<typeof panelStateSchema>

/** Longer texts of the page are truncated. */
export const MAX_PANEL_NOTE_CHARS = 20_000

/** A note reports something that happened in the page besides its calls. */
export const panelNoteSchema = z.strictObject({
  seq: z.number().int().positive(),
  at: z.number(),
  /**
   * `console` and `error` come from the page; `refused` is an action that was not allowed; `load`
   * is a load of the page.
   */
  kind: z.enum(['console', 'error', 'refused', 'load']),
  level: z.enum(['debug', 'info', 'warning', 'error']),
  /** This names the refused action. */
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
  text: z.string().max(MAX_PANEL_NOTE_CHARS),
  /** The page wrote this many characters; `text` may hold only the first of them. */
  textLength: z.number().int().nonnegative(),
  /** This is a file of the page; it is empty if unknown. */
  file: z.string().max(2000),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  /** The source map gives this original position; it is null if there is no map. */
  original: z
    .strictObject({ file: z.string().max(2000), line: z.number().int(), column: z.number().int().nullable() })
    .nullable(),
})
export type PanelNote = z.infer<typeof panelNoteSchema>

/** The policy changed this between the page and the host, in either direction. */
const panelCallChangeSchema = z.strictObject({
  where: z.enum(['body', 'query', 'header', 'path', 'answer']),
  /** This is a JSON pointer, or the name of a header or parameter. */
  member: z.string(),
  /** The value is JSON or text; it is null if the member was absent. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** This is the code of the reason (`panel.change.<why>`). */
  why: z.enum([
    'confirm-filled',
    'addon-rewritten',
    'addon-without-id',
    'header-removed',
    'override',
    /** The pointer of an override leads nowhere in this response. */
    'override-missed',
    'token-masked',
  ]),
})
export type PanelCallChange = z.infer<typeof panelCallChangeSchema>

/** The policy decides each call in one of these ways. */
export const panelCallDecisions = [
  /** The call was passed on to the host. */
  'passed',
  /** The call is outside the allow list and got 403 `IN_PROCESS_NOT_ALLOWED`. */
  'not-allowed',
  /** The write was refused by the write mode or by a person. */
  'write-refused',
  /** An override responded to the call. */
  'override',
  /** No host is connected, or the request cannot be sent as it is. */
  'not-sent',
] as const

/** This holds both sides of a call of the page; its exchange is in traffic. */
export const panelCallSchema = z.strictObject({
  /** This is the id of the exchange in traffic. */
  exchangeId: z.string(),
  at: z.number(),
  /** The page called with `host.api` or `fetch`, or an element of it loaded the address. */
  via: z.enum(['host.api', 'fetch', 'element']),
  decision: z.enum(panelCallDecisions),
  reason: panelCallReasonSchema,
  page: z.strictObject({
    method: z.string(),
    path: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    /** This is the text of the body up to 64 KB; it is null if there is none. */
    body: z.string().nullable(),
    bodyBytes: z.number().int().nonnegative(),
  }),
  /**
   * This counts from the call until the page had received everything, including delays of overrides
   * and waiting for a person. It is absent while the call waits.
   */
  durationMs: z.number().nonnegative().optional(),
  changes: z.array(panelCallChangeSchema),
  /** The page received this; it is null while the call waits. */
  answer: z
    .strictObject({
      status: z.number().int().nullable(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      /** This is the text of the body up to 64 KB; it is null if the body is binary. */
      body: z.string().nullable(),
      bytes: z.number().int().nonnegative(),
      /** The connection ended without a response. */
      broken: z.boolean(),
    })
    .nullable(),
  /** This is the id of the operation record if the call is a write. */
  operationId: z.string().nullable(),
  /**
   * The host refused the call for a reason that a panel inside it would not have met (spec §5.5): a
   * token error or `MAX_REQUIRED`.
   */
  onlyOutside: z.boolean(),
})
export type PanelCall = z.infer<typeof panelCallSchema>

/** A list of calls shows this summary next to the exchange. */
export const panelCallSummarySchema = panelCallSchema
  .pick({ exchangeId: true, at: true, durationMs: true, via: true, decision: true, onlyOutside: true })
  .partial({ at: true })
export type PanelCallSummary = z.infer<typeof panelCallSummarySchema>
