import { z } from 'zod'
import { assertPlainSegments, isProposable } from '../../shared/ipc/agent-socket.ts'
import { binaryEndpointIds, endpoints, type KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import type { EndpointParameter } from '../../shared/bridge/endpoints/endpoint.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { ConnectedSession } from '../base/session.ts'
import type { ResponseStore, ResultContent, ToolResult } from './response-store.ts'

/** The JSON schema of a tool's input, without what helps nobody who calls it: the dialect, bounds that are only ours. */
export function toJsonSchema(input: z.ZodType): Record<string, unknown> {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.maxLength
    },
  })
  delete schema.$schema
  return schema
}

/** What a call of a tool may need. */
export interface ToolContext {
  readonly session: ConnectedSession
  readonly responses: ResponseStore
  /** As the client calls itself. */
  readonly agent: string
  readonly signal: AbortSignal
  /** Says how far a call is; without effect where the client did not ask for that. */
  readonly onProgress: (message: string) => void
}

/** A tool of the protocol. `run` throws `AppError` for what the host or the app refuses. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  readonly isReadOnly: boolean
  readonly run: (context: ToolContext, given: unknown) => Promise<ToolResult>
}

/** A tool whose input has the type of its schema. */
export function defineTool<S extends z.ZodObject>(tool: {
  readonly name: string
  readonly description: string
  readonly input: S
  readonly isReadOnly?: boolean
  readonly run: (context: ToolContext, input: z.infer<S>) => Promise<ToolResult>
}): Tool {
  const { input, run } = tool
  return { isReadOnly: true, ...tool, run: (context, given) => run(context, parseInput(input, given)) }
}

/** Throws `ARGUMENTS_INVALID`, which names what is wrong: also an argument that there is not. */
function parseInput<S extends z.ZodObject>(input: S, given: unknown): z.infer<S> {
  const parsed = input.safeParse(given ?? {})
  if (parsed.success) return parsed.data
  const places = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw createRefusedError('ARGUMENTS_INVALID', `${places.join('; ')}. Nothing was asked.`)
}

/** Cards in one answer, and the longest edge of a picture, if nothing is said: whoever reads this has a short memory. */
const DEFAULT_LIMIT = 200
const DEFAULT_MAX_EDGE = 1024
/** Most bytes of a picture or a recording that is handed over. */
const MAX_MEDIA_BYTES = 1_000_000

/** What is taken of a parameter that is left out. */
const defaults: Readonly<Record<string, number>> = { limit: DEFAULT_LIMIT, maxEdge: DEFAULT_MAX_EDGE }

/** The arguments of a row: its parameters and its body, and no other. */
export const createInputSchema = ({ parameters, body }: KnownEndpoint): z.ZodObject =>
  z.strictObject({
    ...Object.fromEntries(parameters.map((parameter) => [parameter.name, schemaOf(parameter)])),
    ...(body ? { body: body.describe('JSON body') } : {}),
  })

function schemaOf({ type, values = [], min, max, required, description, source, name }: EndpointParameter): z.ZodType {
  const whole = z
    .int()
    .min(min ?? Number.MIN_SAFE_INTEGER)
    .max(max ?? Number.MAX_SAFE_INTEGER)
  const plain = type === 'integer' ? whole : type === 'enum' ? z.enum(values) : z.string().max(2000)
  const fallback = type === 'integer' ? defaults[name] : undefined
  // The first of several sources: the list of tools is read before anything is asked.
  const texts = [description, ...(source === undefined ? [] : [`From ${source.split(',', 1)[0]}.`])]
  if (fallback !== undefined) texts.push(`Here ${fallback} if it is left out.`)
  const described = plain.describe(texts.join(' '))
  return required ? described : described.optional()
}

/** The values of a call as `bridge.read` and a draft take them. Throws `PARAM_SEGMENT`. */
export function toRequest(row: KnownEndpoint, values: Readonly<Record<string, unknown>>) {
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  for (const { name, type, in: where } of row.parameters) {
    const value = values[name] ?? (type === 'integer' && row.access === 'read' ? defaults[name] : undefined)
    if (value === undefined) continue
    if (where === 'path') params[name] = String(value)
    else query[name] = typeof value === 'number' ? value : String(value)
  }
  assertPlainSegments(params)
  return { endpoint: row.id, params, query, ...(row.body ? { body: values['body'] } : {}) }
}

/** Every row that reads, except what holds a token. A row's id as the protocol allows names: `studySets.tree` is `studySets_tree`. */
export const readTools: readonly Tool[] = endpoints
  .filter(({ access, returnsSecret: secret, isUpload: upload }) => access === 'read' && !secret && !upload)
  .map((row) =>
    defineTool({
      name: row.id.replaceAll('.', '_'),
      description: `${row.summary} (${row.method} ${row.path})`,
      input: createInputSchema(row),
      run: (context, values) => (isBinary(row) ? readMedia(context, row, values) : readText(context, row, values)),
    }),
  )

/** Every row that may change something and that an agent may propose. */
export const proposableRows: readonly KnownEndpoint[] = endpoints.filter(isProposable)

type BinaryRow = KnownEndpoint & { readonly id: (typeof binaryEndpointIds)[number] }
const isBinary = (row: KnownEndpoint): row is BinaryRow => binaryEndpointIds.some((id) => id === row.id)

async function readText(
  { session, responses: answers }: ToolContext,
  row: KnownEndpoint,
  values: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { bytes } = await session.call('bridge.read', toRequest(row, values))
  const { response } = row
  const list = response.kind === 'json' ? (listsBesideOthers[row.id] ?? response.list?.member) : undefined
  return answers.createResult(row.id, new TextDecoder().decode(bytes), {
    mimeType: response.kind === 'json' ? 'application/json' : 'text/plain',
    ...(list === undefined ? {} : { list: `/${list}` }),
  })
}

/** The lists of answers that hold other things as well. */
const listsBesideOthers: Readonly<Record<string, string>> = { 'studySets.tree': 'nodes', 'studySets.palette': 'colors' }

async function readMedia(
  { session: { call } }: ToolContext,
  row: BinaryRow,
  values: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { params, query } = toRequest(row, values)
  const { handle, mediaType, kind, byteLength } = await call('content.open', { endpoint: row.id, params, query })
  const { bytes } = await call('content.slice', { handle, start: 0, end: MAX_MEDIA_BYTES + 1 }).finally(() =>
    call('content.release', { handle }),
  )
  const isShown = bytes.byteLength <= MAX_MEDIA_BYTES && (kind === 'image' || kind === 'audio')
  const about = { whole: isShown, mediaType, bytes: byteLength }
  const hint = isShown ? '' : ' Not shown here: ask with a smaller maxEdge, or save it with bridge-inspector content.'
  const content: ResultContent[] = [
    { type: 'text', text: `${mediaType}, ${byteLength ?? 'an unknown number of'} bytes.${hint}` },
  ]
  if (isShown) content.push({ type: kind, data: Buffer.from(bytes).toString('base64'), mimeType: mediaType })
  return { content, structuredContent: about }
}
