import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const noInput = z.strictObject({})

/** A message that belongs to no call: a settings file moved aside, a journal that fails. */
export const noticeSchema = z.strictObject({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  /** Code in upper case, translated as `notices.<code>`; `message` is the English fallback. */
  code: z.string(),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  at: z.number(),
})
export type Notice = z.infer<typeof noticeSchema>

const appInfoSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  mode: z.enum(['desktop', 'browser']),
  platform: z.string(),
  /** Versions of Node and, in the desktop app, of Electron and Chrome. */
  runtime: z.record(z.string(), z.string()),
  dataDir: z.string(),
  demoRunning: z.boolean(),
  /** The program was started with `--panel`, so the page opens on the panel. */
  opensPanel: z.boolean(),
  /** The recording that is shown in place of a host; null if there is none. */
  recording: z
    .strictObject({
      title: z.string(),
      /** Begin of its first exchange, in epoch milliseconds. */
      startedAt: z.number(),
    })
    .nullable(),
  notices: z.array(noticeSchema),
})
export type AppInfo = z.infer<typeof appInfoSchema>

/** How much of each kind would be lost if the page closed. */
const unsavedWorkSchema = z.strictObject({
  writes: z.number().int().min(0),
  /** Calls of the panel, of a recorded client or of an agent, for which a user has to decide. */
  heldCalls: z.number().int().min(0),
  /** Open dialogs in which something was typed. */
  forms: z.number().int().min(0),
})
export type UnsavedWork = z.infer<typeof unsavedWorkSchema>
export const unsavedKinds = ['writes', 'heldCalls', 'forms'] as const

/** An error of the page, which has already truncated the texts. */
const pageFaultSchema = z.strictObject({
  /** The part that failed: a place, a component inside a place, or nothing visible. */
  kind: z.enum(['place', 'component', 'script', 'promise']),
  message: z.string().max(2_000),
  stack: z.string().max(8_000),
  /** The route and the hook, never an address: `library, render function`. */
  where: z.string().max(200),
})
export type PageFault = z.infer<typeof pageFaultSchema>

export const appMethods = {
  'app.info': defineQueryMethod(noInput, appInfoSchema),
  /** Opens a parsed http(s) address outside the app, after a system prompt (desktop only). */
  'app.openExternal': defineCommandMethod(
    z.strictObject({ url: z.string().max(2048) }),
    z.strictObject({ opened: z.boolean() }),
  ),
  'app.dismissNotice': defineCommandMethod(z.strictObject({ id: z.string().max(100) }), z.strictObject({})),
  /** Shows the file that the page saved last in its folder (desktop only). */
  'app.revealSaved': defineCommandMethod(noInput, z.strictObject({})),
  /** Logs a limited number of the page's errors per minute; others are counted. */
  'app.reportFault': defineCommandMethod(pageFaultSchema, z.strictObject({})),
  /** Must be called by a page after each change. The desktop app asks before it closes the page. */
  'app.reportUnsaved': defineCommandMethod(unsavedWorkSchema, z.strictObject({})),
  /** Starts the host unless it is running. Creates its profile, but connects nothing. */
  'app.startDemo': defineCommandMethod(noInput, z.strictObject({ profileId: z.string() })),
}

export const appTopics = {
  'app.notice': defineTopic(noticeSchema),
}
