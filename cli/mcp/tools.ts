import { z } from 'zod'
import { assertPlainSegments, isProposable } from '../../electron/core/agent-socket.ts'
import { binaryEndpointIds, endpoints, type KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { readBodyText } from '../../shared/traffic/body-text.ts'
import type { EndpointParameter } from '../../shared/bridge/endpoints/endpoint.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { ConnectedSession } from '../base/session.ts'
import { getMainListName } from '../output/response-list.ts'
import type { ResponseStore, ResultContent, ToolResult } from './response-store.ts'

/** Leaves out members that do not help callers: the JSON schema dialect, and our own bounds. */
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

export interface ToolContext {
  readonly session: ConnectedSession
  readonly responses: ResponseStore
  /** The client chooses this name itself. */
  readonly agent: string
  readonly signal: AbortSignal
  /** Has no effect if the client did not request progress. */
  readonly onProgress: (message: string) => void
}

/** A tool of the protocol. `run` throws `AppError` if the host or the app refuses the call. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Describes the data of a result. */
  readonly output: string
  readonly isReadOnly: boolean
  readonly run: (context: ToolContext, argumentsValue: unknown) => Promise<ToolResult>
}

/** Declares a tool. The type of its schema becomes the type of the input of `run`. */
export function defineTool<S extends z.ZodObject>(tool: {
  readonly name: string
  readonly description: string
  readonly input: S
  readonly output: string
  readonly isReadOnly?: boolean
  readonly run: (context: ToolContext, input: z.infer<S>) => Promise<ToolResult>
}): Tool {
  const { input, run } = tool
  return {
    isReadOnly: true,
    ...tool,
    run: (context, argumentsValue) => run(context, parseInput(input, argumentsValue)),
  }
}

/** @throws ARGUMENTS_INVALID with the reason, which can also be an unknown argument */
export function parseInput<S extends z.ZodObject>(input: S, values: unknown, hint = 'Nothing was asked.'): z.infer<S> {
  const parsedInput = input.safeParse(values ?? {})
  if (parsedInput.success) return parsedInput.data
  const problems = parsedInput.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw createRefusedError('ARGUMENTS_INVALID', `${problems.join('; ')}. ${hint}`)
}

/** Cards per response, and longest edge of a picture in pixels; small for an agent's context. */
const DEFAULT_LIMIT_ENTRIES = 200
const DEFAULT_MAX_EDGE_PX = 1024
/** A larger picture or recording is not put into a result. */
const MAX_MEDIA_BYTES = 1_000_000

/** Values for parameters that a call leaves out. */
const parameterDefaults: Readonly<Record<string, number>> = {
  limit: DEFAULT_LIMIT_ENTRIES,
  maxEdge: DEFAULT_MAX_EDGE_PX,
}

/** Accepts the parameters and the body of an endpoint, and no other members. */
export function createInputSchema({ parameters, body }: KnownEndpoint): z.ZodObject {
  return z.strictObject({
    ...Object.fromEntries(parameters.map((parameter) => [parameter.name, toSchema(parameter)])),
    ...(body ? { body: body.describe('JSON body') } : {}),
  })
}

function toSchema({ type, values = [], min, max, required, description, source, name }: EndpointParameter): z.ZodType {
  const integerSchema = z
    .int()
    .min(min ?? Number.MIN_SAFE_INTEGER)
    .max(max ?? Number.MAX_SAFE_INTEGER)
  const plainSchema = type === 'integer' ? integerSchema : type === 'enum' ? z.enum(values) : z.string().max(2000)
  const fallback = type === 'integer' ? parameterDefaults[name] : undefined
  // Only the first source is named, because clients read the whole list of tools.
  const texts = [description, ...(source === undefined ? [] : [`From ${source.split(',', 1)[0]}.`])]
  if (fallback !== undefined) texts.push(`Here ${fallback} if it is left out.`)
  const described = plainSchema.describe(texts.join(' '))
  return required ? described : described.optional()
}

/**
 * The result has the form that `bridge.read` and drafts take.
 * @throws PARAM_SEGMENT when a path parameter is not a plain segment
 */
export function toRequestParts(row: KnownEndpoint, values: Readonly<Record<string, unknown>>) {
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  for (const { name, type, in: location } of row.parameters) {
    const value = values[name] ?? (type === 'integer' && row.access === 'read' ? parameterDefaults[name] : undefined)
    if (value === undefined) continue
    if (location === 'path') params[name] = String(value)
    else query[name] = typeof value === 'number' ? value : String(value)
  }
  assertPlainSegments(params)
  return { endpoint: row.id, params, query, ...(row.body ? { body: values['body'] } : {}) }
}

/**
 * Every endpoint that reads is a tool, except endpoints that return a token. A tool's name is the
 * endpoint's id in the form that the protocol allows: `studySets.tree` becomes `studySets_tree`.
 */
export const readTools: readonly Tool[] = endpoints
  .filter(({ access, returnsSecret, isUpload }) => access === 'read' && !returnsSecret && !isUpload)
  .map((row) =>
    defineTool({
      name: row.id.replaceAll('.', '_'),
      description: `${row.summary} (${row.method} ${row.path})`,
      input: createInputSchema(row),
      output: describeOutput(row),
      run: (context, values) => (isBinary(row) ? readMedia(context, row, values) : runRead(context, row, values)),
    }),
  )

/** Endpoints that may change data and that an agent may propose to call. */
export const proposableRows: readonly KnownEndpoint[] = endpoints.filter(isProposable)

function describeOutput(row: KnownEndpoint): string {
  if (isBinary(row)) return 'None: the content has the picture or sound'
  const list = getMainListName(row)
  return `The answer${list === undefined ? '' : `, with the list ${list}`}`
}

type BinaryRow = KnownEndpoint & { readonly id: (typeof binaryEndpointIds)[number] }
function isBinary(row: KnownEndpoint): row is BinaryRow {
  return binaryEndpointIds.some((id) => id === row.id)
}

async function runRead(
  { session, responses }: ToolContext,
  row: KnownEndpoint,
  values: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const list = getMainListName(row)
  return responses.createResult(row.id, await readText(session, row, values), {
    mimeType: row.response.kind === 'json' ? 'application/json' : 'text/plain',
    ...(list === undefined ? {} : { list: `/${list}` }),
  })
}

/** Asks the host; the values are parameters and the body, by their names. */
export async function readText(
  { call }: Pick<ConnectedSession, 'call'>,
  row: KnownEndpoint,
  values: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { bytes, meta } = await call('bridge.read', toRequestParts(row, values))
  return readBodyText(new Uint8Array(bytes), meta.contentType)
}

async function readMedia(
  { session: { call } }: ToolContext,
  row: BinaryRow,
  values: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { params, query } = toRequestParts(row, values)
  const opened = await call('content.open', { endpoint: row.id, params, query })
  const { handle, mediaType, kind, byteLength, undecodable } = opened
  const { bytes } = await call('content.slice', { handle, start: 0, end: MAX_MEDIA_BYTES + 1 }).finally(() =>
    call('content.release', { handle }),
  )
  const isShown = bytes.byteLength <= MAX_MEDIA_BYTES && (kind === 'image' || kind === 'audio')
  const hint = isShown ? '' : ' Not shown here: ask with a smaller maxEdge, or save it with bridge-inspector content.'
  const reason = undecodable ? ' They do not decode as their Content-Encoding says, and are as received.' : ''
  const content: ResultContent[] = [
    { type: 'text', text: `${mediaType}, ${byteLength ?? 'an unknown number of'} bytes.${reason}${hint}` },
  ]
  if (isShown) content.push({ type: kind, data: Buffer.from(bytes).toString('base64'), mimeType: mediaType })
  return { content, structuredContent: { whole: isShown, mediaType, bytes: byteLength } }
}
