import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { z } from 'zod'
import { listSchemaProblems } from '../electron/core/json/schema-problems.ts'
import { callMatchSchema } from '../shared/panel/call-match.ts'
import { redactionPolicySchema, type RedactionPolicy } from '../shared/recordings/recording.ts'
import { MAX_WAIT_SECONDS } from '../shared/panel/breakpoints.ts'

const host = z.looseObject({ baseUrl: z.string(), token: z.string() })
const port = z.int().min(0).max(65_535)
const redaction = redactionPolicySchema.partial() as z.ZodType<unknown, Partial<RedactionPolicy>>
const milliseconds = z.number().min(0)
const texts = z.array(z.string()).readonly()

/** A DOM environment has another `URL` than Node. */
const isPathOrUrl = (value: unknown): boolean =>
  typeof value === 'string' || typeof (value as Partial<URL> | null | undefined)?.href === 'string'

export const callMatch = callMatchSchema.extend({
  /** Default `*`, which matches every method. */
  method: callMatchSchema.shape.method.default('*'),
  /** A path below the base URL, such as `/notes/{noteid}` or `/notes/*`. */
  path: callMatchSchema.shape.path.refine(
    (path) => !/^\/bridge\/v1(?:\/|$)/.test(path),
    'leave out /bridge/v1, which comes before every path',
  ),
})

const startPanel = z.strictObject({
  /**
   * A folder with an `index.html`, or the URL of a development server on this machine. Without it,
   * the page is empty.
   */
  panel: z.custom<string | URL>(isPathOrUrl, 'expected a path or a URL').optional(),
  host: host.optional(),
  /** Decides about writes of the panel; with `ask`, they wait for `decide`. Default `refuse`. */
  writes: z.enum(['allow', 'ask', 'refuse']).optional(),
  overrides: z.array(z.unknown()).optional(),
  /** The plugin id that the host would write into `addon`; by default the first of the template. */
  plugin: z.string().optional(),
  /**
   * A data directory in which traffic and the journal of writes are kept. Without it, they are in
   * memory, and are gone when the panel is closed.
   */
  dataDir: z.string().optional(),
  /**
   * The ids of study sets that `changes` compares. Every card of them is read before the panel is
   * opened and by `changes`, which takes about one request for each hundred cards.
   */
  studySets: texts.optional(),
  /**
   * Files or folders of the panel's sources that only pass on calls, such as `src/bridge.ts`, or
   * `bridge.ts` in any folder: the line that called them is named as the initiator.
   */
  wrappers: texts.optional(),
  /**
   * Returns a small picture of the page, JPEG or PNG of at most 256 KB, or null. It is called at
   * each load of the page, each finding, each failed call and each write, at most once a second.
   * `saveRecording` saves the last 200 pictures. The kit has no browser of its own, so there are
   * none without it. The fixtures of `bridge-inspector/playwright` give one.
   */
  takePicture: z
    .custom<() => Promise<Uint8Array | null>>((value) => typeof value === 'function', 'expected a function')
    .optional(),
  /**
   * What `saveRecording` makes of texts, ids and pictures. By default texts become placeholders,
   * pictures become grey and ids stay. Pictures of the page stay only if texts stay, too.
   */
  redaction: redaction.optional(),
})

/** What each function of the kit takes. Values that have checks of their own are left to these. */
const optionSchemas = {
  startDemoHost: z.strictObject({
    /** By default, the system chooses a free port. */
    port: port.optional(),
    token: z.string().optional(),
    /**
     * Number of cards in the generated study set, 1 to 1,000,000; default 1000. With `library`,
     * there is such a study set only if this is given.
     */
    nodes: z.custom<number>().optional(),
    library: z.unknown().optional(),
    /** Each seed generates another library, the same one in every run. */
    seed: z.number().optional(),
    /** Delay before each response, in milliseconds. */
    latencyMs: milliseconds.optional(),
    /** Misbehaves on purpose; `bridge-inspector demo-host --help` lists the names. */
    fault: z.string().nullable().optional(),
    /** How the host behaves where the documents leave room: `0.91`, `0.49`, `strict` or `loose`. */
    dialect: z.string().optional(),
    /** Six digits that `POST /pair` accepts once. */
    pairingCode: z.string().optional(),
    /** How long a commit stays unfinished, in milliseconds; default 100. */
    settleMs: milliseconds.optional(),
  }),
  serveRecording: z.strictObject({
    /** By default, the system chooses a free port. */
    port: port.optional(),
    token: z.string().optional(),
    /** Delay before each response, in milliseconds. */
    latencyMs: milliseconds.optional(),
    /** If true, each response takes as long as it took when it was recorded. */
    keepsDelays: z.boolean().optional(),
    /** Misbehaves on purpose, with any fault of the demo host except `drift`. */
    fault: z.string().nullable().optional(),
  }),
  startPanel,
  hostApi: startPanel.omit({ panel: true }),
  override: z.strictObject({
    /** Stands in the recorded traffic; default: method and path of the matcher. */
    name: z.string().optional(),
    delayMs: milliseconds.optional(),
    /** If true, only one call gets the answer. */
    once: z.boolean().optional(),
    until: callMatch.optional(),
  }),
  hold: z.strictObject({
    at: z.enum(['request', 'response']).optional(),
    isErrorOnly: z.boolean().optional(),
    waitSeconds: z.int().min(1).max(MAX_WAIT_SECONDS).optional(),
  }),
  settle: z.strictObject({ graceMs: milliseconds.optional() }),
  toKeepContract: z.strictObject({
    /** If true, advice fails the test, too. */
    advice: z.boolean().optional(),
  }),
} as const

type Given<Options> = { readonly [Name in keyof Options]: Exclude<Options[Name], undefined> }
export type KitOptions = { readonly [Name in keyof typeof optionSchemas]: Given<z.input<(typeof optionSchemas)[Name]>> }

/** @throws TypeError that names each unknown member and each wrong value */
export function checkOptions(name: keyof typeof optionSchemas, options: unknown): void {
  assertAwaited(`${name}: its argument`, options)
  for (const [member, value] of Object.entries(Object(options))) assertAwaited(`${name}: ${member}`, value)
  parseArgument(name, optionSchemas[name], options)
}

/** @throws TypeError that names each unknown member and each wrong value */
export function parseArgument<Schema extends z.ZodType>(name: string, schema: Schema, value: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new TypeError(`${name}: ${listSchemaProblems(error, 'value').join('; ')}`)
}

/** @throws TypeError for a promise, whose members would be called missing */
export function assertAwaited(name: string, value: unknown): void {
  if (types.isPromise(value)) throw new TypeError(`${name} is a promise. Is there an “await” missing?`)
}

/** @throws an error that says what to do about a port that is taken */
export function explainListenError(error: NodeJS.ErrnoException & { port?: number }): never {
  if (error.code !== 'EADDRINUSE') throw error
  throw new Error(`Port ${error.port} is in use. Without the option “port”, the system chooses a free one.`)
}

export function toFilePath(file: string | URL): string {
  const text = String(file)
  return text.startsWith('file:') ? fileURLToPath(text) : path.resolve(text)
}
