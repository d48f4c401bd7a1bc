// Data of the panel lab: sources, state, calls, console entries, overrides, and who may call which
// route. The code that runs a panel is in electron/services/panel. Read this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { wireErrorSchema } from '../errors.ts'
import { preparedWriteSchema } from '../operations/prepared-write.ts'
import { BY_HAND_MARK, HELD_MARK } from './breakpoints.ts'
import type { ExchangeRow } from '../traffic/exchange.ts'
import { callFrameSchema, callLoaderSchema, MAX_CALL_FRAMES, pageCallIdSchema } from '../traffic/call-initiator.ts'
import { panelCallReasonSchema } from './call-reason.ts'

/** Panels that ship with the demo. */
export const samplePanelNames = ['practice', 'practice-mistake', 'eleven-bugs', 'rule-breaker'] as const
type SamplePanelName = (typeof samplePanelNames)[number]

interface SamplePanel {
  /** The title of its page, by which its first calls are named as well. */
  readonly title: string
  /** Name of the folder in `resources/demo/panels`. */
  readonly folder: string
  /** The plugin as in the template of the demo host. */
  readonly plugin: string
  /** Path and query with which the page begins; the default is `/`. */
  readonly start?: string
}

export const SAMPLE_PANELS: Readonly<Record<SamplePanelName, SamplePanel>> = {
  practice: { title: 'Practice', folder: 'practice', plugin: 'app.demo.practice' },
  'practice-mistake': {
    title: 'Practice with a mistake',
    folder: 'practice',
    plugin: 'app.demo.practice',
    start: '/?mistake',
  },
  'eleven-bugs': { title: 'Eleven bugs', folder: 'eleven-bugs', plugin: 'app.demo.rule-breaker' },
  'rule-breaker': { title: 'Rule breaker', folder: 'rule-breaker', plugin: 'app.demo.rule-breaker' },
}

export const panelSourceSchema = z.discriminatedUnion('kind', [
  /** A folder with an `index.html`. Changes in the folder are watched. */
  z.strictObject({
    kind: z.literal('folder'),
    path: z.string().min(1).max(4000),
    /** Path and query with which the page begins; the default is `/`. */
    start: z
      .string()
      .max(2000)
      .regex(/^\/(?![/\\])/)
      .optional(),
    /** Serves `index.html` for unknown document paths, as development servers do. */
    fallback: z.boolean().optional(),
  }),
  /** URL of a development server on this machine. */
  z.strictObject({ kind: z.literal('server'), url: z.url().max(2000) }),
  z.strictObject({ kind: z.literal('sample'), name: z.enum(samplePanelNames) }),
])
export type PanelSource = z.infer<typeof panelSourceSchema>

/** The name of a panel whose page has no title yet. */
export function getSourceName(source: PanelSource): string {
  if (source.kind === 'sample') return source.name
  if (source.kind === 'server') return new URL(source.url).host
  return source.path.split(/[/\\]/).findLast((name) => name !== '') ?? source.path
}

const panelPhases = ['none', 'starting', 'running', 'stopped', 'failed'] as const

/** Decides what happens to writes of the page. `let-through` needs a profile that may write. */
export const panelWriteModes = ['refuse', 'ask', 'let-through'] as const
export type PanelWriteMode = (typeof panelWriteModes)[number]

/** The host's, one of all routes (which a panel in the host never gets), or the user's own. */
export const allowModes = ['host', 'all', 'mine'] as const
export type AllowMode = (typeof allowModes)[number]

/** A method and a path template relative to the base URL, such as `/notes/{id}/render`. */
export const allowedRouteSchema = z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(500) })
export type AllowedRoute = z.infer<typeof allowedRouteSchema>

export const allowListSchema = z.strictObject({
  mode: z.enum(allowModes),
  host: z.array(allowedRouteSchema),
  /**
   * Source of the host's list: a list for panels in the template or in the capabilities, all routes
   * of the capabilities, those of the contract if the capabilities list none, or `nowhere` if none
   * was read so far.
   */
  from: z.enum(['template', 'capabilities-panel', 'capabilities-routes', 'contract', 'nowhere']),
  mine: z.array(allowedRouteSchema),
})
export type AllowList = z.infer<typeof allowListSchema>

/** A write of the page that waits for a person's decision. */
const pendingPanelWriteSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  prepared: preparedWriteSchema,
  /** Changes that the policy made to the request of the page. */
  changes: z.array(z.lazy(() => panelCallChangeSchema)),
})
export type PendingPanelWrite = z.infer<typeof pendingPanelWriteSchema>

/** The state of the running panel or, if none is running, of the last one. */
export const panelStateSchema = z.strictObject({
  source: panelSourceSchema.nullable(),
  /** Title of the page or name of the folder; labels exchanges. May change. */
  name: z.string(),
  /** Identifies one opening, also in its exchanges; null before the first opening. */
  caller: z.string().nullable(),
  /**
   * Number of the current load of the page since the panel was opened, whether the page or the user
   * caused the load. It is the `load` of the exchanges, and 0 before the first load.
   */
  pageLoad: z.number().int().nonnegative(),
  phase: z.enum(panelPhases),
  /** Reason why the panel could not be opened; null if there was no error. */
  error: wireErrorSchema.nullable(),
  /** Address for the frame; null while no panel is running. */
  url: z.string().nullable(),
  /** Grows with each load by this program; then the frame must be replaced. */
  load: z.number().int().nonnegative(),
  /** Reason of the last load; `itself` means that the page reloaded itself. */
  loadedBecause: z.enum(['opened', 'reloaded', 'changed', 'itself']),
  /** Time at which the page reported the start of its last load; null before the first load. */
  loadedAt: z.number().nullable(),
  plugin: z.strictObject({
    /** Plugin id that the host would write into `addon`; null if nobody names one. */
    id: z.string().nullable(),
    from: z.enum(['template', 'chosen', 'nowhere']),
    /** Plugin ids that the host's template lists. */
    offered: z.array(z.string()),
  }),
  allow: allowListSchema,
  writes: z.enum(panelWriteModes),
  asks: z.array(pendingPanelWriteSchema),
  overrides: z.strictObject({ on: z.number().int(), all: z.number().int() }),
  /** True in the desktop app, which knows the panel's memory and has the system's dialogs. */
  ownProcess: z.boolean(),
  devTools: z.boolean(),
})
export type PanelState = z.infer<typeof panelStateSchema>

/** Longer texts of the page are truncated. */
export const MAX_PANEL_NOTE_CHARS = 20_000

const MAX_NOTE_CALLS = 8

/** An event in the panel's page other than a call. It is no card, which the host calls a note. */
export const panelNoteSchema = z.strictObject({
  seq: z.number().int().positive(),
  at: timestampSchema,
  /**
   * `console` and `error` come from the page, `refused` is an action that was not allowed,
   * `load` is a load of the page, and `click` is a click of the user in the page.
   */
  kind: z.enum(['console', 'error', 'refused', 'load', 'click']),
  level: z.enum(['debug', 'info', 'warning', 'error']),
  /** Kind of action that was refused. */
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
  /** Number of characters that the page wrote; `text` may be truncated. */
  textLength: z.number().int().nonnegative(),
  /** The file of the page; empty if unknown. */
  file: z.string().max(2000),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  /** Original position according to the source map; null without a source map. */
  original: z
    .strictObject({ file: z.string().max(2000), line: z.number().int(), column: z.number().int().nullable() })
    .nullable(),
  /** Calls that were made, or got their response, while the same code ran (`pageId`). */
  calls: z.array(pageCallIdSchema).max(MAX_NOTE_CALLS),
  /** The call that ended in this unhandled rejection; null for all other notes. */
  rejectedCall: pageCallIdSchema.nullable(),
})
export type PanelNote = z.infer<typeof panelNoteSchema>

/** A change that the policy made between the page and the host, in either direction. */
const panelCallChangeSchema = z.strictObject({
  where: z.enum(['body', 'query', 'header', 'path', 'answer']),
  /** A JSON pointer, or the name of a header or parameter. */
  member: z.string(),
  /** JSON or text; null if the member was absent. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Code of the reason (`panel.change.<why>`). */
  why: z.enum([
    'confirm-filled',
    'addon-rewritten',
    'addon-without-id',
    'header-removed',
    'override',
    /** The pointer of an override leads to no value in this response. */
    'override-missed',
    'token-masked',
    /** A person edited the held call. */
    'edited-by-hand',
  ]),
})
export type PanelCallChange = z.infer<typeof panelCallChangeSchema>

/** The decision, and the `rule` of the exchange, if a browser sent a call again by itself. */
export const REPEATED_MARK = 'repeated'

/** The decision, and the `rule` of the exchange, if this program could not send a call. */
export const NOT_SENT_MARK = 'not-sent'

/** The policy decides each call in one of these ways. */
export const panelCallDecisions = [
  /** The call was forwarded to the host. */
  'passed',
  /** The call is not on the allow list and got 403 `IN_PROCESS_NOT_ALLOWED`. */
  'not-allowed',
  /** The write mode or a person refused the write. */
  'write-refused',
  /** An override responded to the call. */
  'override',
  /** No host is connected, or the request cannot be sent in this form. */
  NOT_SENT_MARK,
  /** A person made the response, edited it, or ended the connection at a breakpoint. */
  'by-hand',
  REPEATED_MARK,
] as const

/**
 * Tells who interfered with an exchange from its `rule`: a person `held` it or responded
 * `by-hand`, the panel's own policy (`gate`) responded, or an `override` did.
 */
export function getResponder(rule: string): 'held' | 'by-hand' | 'gate' | 'override' {
  if (rule === HELD_MARK) return 'held'
  if (rule === BY_HAND_MARK) return 'by-hand'
  return panelCallDecisions.some((decision) => decision === rule) ? 'gate' : 'override'
}

/** True unless nothing could connect, or something here responded in the host's place. */
export function hasLeftForHost({ state, rule, timing }: Pick<ExchangeRow, 'state' | 'rule' | 'timing'>): boolean {
  if (timing.connected !== null) return true
  return state !== 'failed' && state !== 'cancelled' && (rule === null || getResponder(rule) === 'held')
}

/** A call as the page sent and got it; the exchange shows what was sent to the host. */
export const panelCallSchema = z.strictObject({
  exchangeId: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** The page called `host.api` or `fetch`, or an element of the page loaded the address. */
  via: z.enum(['host.api', 'fetch', 'element']),
  /** The id by which entries of the page's console name the call; null if the page gave none. */
  pageId: pageCallIdSchema.nullable(),
  /** The stack of the page's code, innermost frame first; null if none came with the call. */
  frames: z.array(callFrameSchema).max(MAX_CALL_FRAMES).nullable(),
  /** Null if code of the page made the call. */
  loader: callLoaderSchema.nullable(),
  decision: z.enum(panelCallDecisions),
  reason: panelCallReasonSchema,
  page: z.strictObject({
    method: z.string(),
    /** Relative to the base URL, with the query. */
    path: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    /** Text of the body up to 64 KB; null if there is no body. */
    body: z.string().nullable(),
    bodyBytes: z.number().int().nonnegative(),
  }),
  /**
   * Milliseconds from the call until the page had received the whole response, including delays of
   * overrides and waiting for a person. Absent while the call waits.
   */
  durationMs: z.number().nonnegative().optional(),
  /** Changes between the page and the host, such as those of `confirm` and `addon`. */
  changes: z.array(panelCallChangeSchema),
  /** The response to the page; null while the call waits. */
  answer: z
    .strictObject({
      status: z.number().int().nullable(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      /** Text of the body up to 64 KB; null if the body is binary. */
      body: z.string().nullable(),
      bytes: z.number().int().nonnegative(),
      /** True if the connection ended without a response. */
      broken: z.boolean(),
    })
    .nullable(),
  operationId: z.string().nullable(),
  /** The reason (token, `MAX_REQUIRED`) cannot affect a panel in the host (spec §5.5). */
  onlyOutside: z.boolean(),
})
export type PanelCall = z.infer<typeof panelCallSchema>

/** The part of a call that lists show next to the exchange. */
export const panelCallSummarySchema = panelCallSchema
  .pick({
    exchangeId: true,
    at: true,
    durationMs: true,
    via: true,
    pageId: true,
    loader: true,
    decision: true,
    onlyOutside: true,
  })
  .extend({
    /** The frame that is named as the call's initiator. */
    frame: callFrameSchema.nullable(),
  })
  .partial({ at: true })
export type PanelCallSummary = z.infer<typeof panelCallSummarySchema>
