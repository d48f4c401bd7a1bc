import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { listSchemaProblems } from '../electron/core/json/schema-problems.ts'
import { callMatchSchema } from '../shared/panel/call-match.ts'
import { redactionPolicySchema } from '../shared/recordings/recording.ts'
import { MAX_WAIT_SECONDS } from '../shared/panel/breakpoints.ts'

const host = z.looseObject({ baseUrl: z.string(), token: z.string() })
const port = z.int().min(0).max(65_535)
const milliseconds = z.number().min(0)
const texts = z.array(z.string())

/** A DOM environment has another `URL` than Node. */
const isPathOrUrl = (value: unknown): boolean =>
  typeof value === 'string' || typeof (value as Partial<URL> | null | undefined)?.href === 'string'

/** A test may leave out the method. */
export const callMatch = callMatchSchema.extend({ method: callMatchSchema.shape.method.default('*') })

const startPanel = z.strictObject({
  panel: z.custom(isPathOrUrl, 'expected a path or a URL').optional(),
  host: host.optional(),
  writes: z.enum(['allow', 'ask', 'refuse']).optional(),
  overrides: z.array(z.unknown()).optional(),
  plugin: z.string().optional(),
  dataDir: z.string().optional(),
  studySets: texts.optional(),
  wrappers: texts.optional(),
  takePicture: z.custom((value) => typeof value === 'function', 'expected a function').optional(),
  redaction: redactionPolicySchema.partial().optional(),
})

/** What each function of the kit takes. Values that have checks of their own are left to these. */
const optionSchemas = {
  startDemoHost: z.strictObject({
    port: port.optional(),
    token: z.string().optional(),
    nodes: z.unknown().optional(),
    library: z.unknown().optional(),
    seed: z.number().optional(),
    latencyMs: milliseconds.optional(),
    fault: z.string().nullable().optional(),
    dialect: z.string().optional(),
    pairingCode: z.string().optional(),
    settleMs: milliseconds.optional(),
  }),
  serveRecording: z.strictObject({
    port: port.optional(),
    token: z.string().optional(),
    latencyMs: milliseconds.optional(),
    keepsDelays: z.boolean().optional(),
    fault: z.string().nullable().optional(),
  }),
  startPanel,
  hostApi: startPanel.omit({ panel: true }),
  override: z.strictObject({
    name: z.string().optional(),
    delayMs: milliseconds.optional(),
    once: z.boolean().optional(),
    until: callMatch.optional(),
  }),
  hold: z.strictObject({
    at: z.enum(['request', 'response']).optional(),
    isErrorOnly: z.boolean().optional(),
    waitSeconds: z.int().min(1).max(MAX_WAIT_SECONDS).optional(),
  }),
  settle: z.strictObject({ graceMs: milliseconds.optional() }),
  toKeepContract: z.strictObject({ advice: z.boolean().optional() }),
} as const

/** @throws TypeError that names each unknown member and each wrong value */
export function checkOptions(name: keyof typeof optionSchemas, options: unknown): void {
  parseArgument(name, optionSchemas[name], options)
}

/** @throws TypeError that names each unknown member and each wrong value */
export function parseArgument<Schema extends z.ZodType>(name: string, schema: Schema, value: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new TypeError(`${name}: ${listSchemaProblems(error, 'value').join('; ')}`)
}

export function toFilePath(file: string | URL): string {
  const text = String(file)
  return text.startsWith('file:') ? fileURLToPath(text) : path.resolve(text)
}
