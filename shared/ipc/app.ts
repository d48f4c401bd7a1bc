import { z } from 'zod'
import { command, query, topic } from './define.ts'

const noInput = z.strictObject({})

/** Something the person should know that belongs to no single call: a settings file set aside, a journal not kept. */
export const noticeSchema = z.strictObject({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  /** Upper-case code, translated by the page (`notices.<code>`); `message` is the English fallback. */
  code: z.string(),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  at: z.number(),
})
export type Notice = z.infer<typeof noticeSchema>

export const appInfoSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  mode: z.enum(['desktop', 'browser']),
  platform: z.string(),
  /** Versions of node, and of electron and chrome where there are. */
  runtime: z.record(z.string(), z.string()),
  dataDir: z.string(),
  demoRunning: z.boolean(),
  notices: z.array(noticeSchema),
})
export type AppInfo = z.infer<typeof appInfoSchema>

/** An error of the page that nobody expected, for the log; the page cuts the texts. */
export const pageFaultSchema = z.strictObject({
  /** What it broke: something that was drawn, a place's part that was replaced by a message, or nothing that could be seen. */
  kind: z.enum(['place', 'component', 'script', 'promise']),
  message: z.string().max(2_000),
  stack: z.string().max(8_000),
  /** The route and the hook, never an address: `library, render function`. */
  where: z.string().max(200),
})
export type PageFault = z.infer<typeof pageFaultSchema>

export const appMethods = {
  'app.info': query(noInput, appInfoSchema),
  /** Opens a parsed http(s) address outside, after a prompt of the operating system's side (desktop only). */
  'app.openExternal': command(z.strictObject({ url: z.string().max(2048) }), z.strictObject({ opened: z.boolean() })),
  'app.dismissNotice': command(z.strictObject({ id: z.string().max(100) }), z.strictObject({})),
  /** Writes a fault of the page down. At most a bounded number a minute; the rest is counted. */
  'app.reportFault': command(pageFaultSchema, z.strictObject({})),
  /** Starts the demo host if it is not running, makes its profile and answers the profile's id; connects to nothing. */
  'app.startDemo': command(noInput, z.strictObject({ profileId: z.string() })),
}

export const appTopics = {
  'app.notice': topic(noticeSchema),
}
