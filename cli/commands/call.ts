import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { accessOf, callables, matchOf, type Callable, commandParts } from '../../shared/bridge/callable.ts'
import { findEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { assertFilled } from '../../shared/bridge/endpoints/path-template.ts'
import { readAnswer } from '../../shared/bridge/read-answer.ts'
import { AppError, refused } from '../../shared/errors.ts'
import { command, type Context, type Ending } from '../base/command.ts'
import { errorIn } from '../output/host-error.ts'
import { optionsOf, writeFlags, writeOptions, durationOf, usageError } from '../base/flags.ts'
import { jsonOf } from '../output/entries.ts'
import { checkOutput, withOutput } from '../base/output-file.ts'
import { pause, retriesOf, type Opened } from '../base/session.ts'
import { callAsPanel } from '../writing/call-as.ts'
import { headOf, printSeq, sendWrite, writeFlagMissing } from '../writing/write.ts'

const options = optionsOf({
  ...writeOptions,
  query: z.array(z.string()).optional(),
  data: z.string().optional(),
  asPanel: z.string().optional(),
  header: z.array(z.string()).optional(),
  include: z.boolean().optional(),
  output: z.string().optional(),
  force: z.boolean().optional(),
})
type CallOptions = z.infer<typeof options>

/** Largest body that is read from a file or from standard input. */
const MOST_BODY = 4_000_000

async function run(context: Context, [verb = '', typed = '']: readonly string[], given: CallOptions): Promise<Ending> {
  const method = verb.toUpperCase()
  if (!/^[A-Z]{3,10}$/.test(method)) throw usageError('The method is a word like GET or POST.')
  const path = pathOf(typed, given.query ?? [])
  assertFilled(path)
  const body = given.data === undefined ? null : await bodyOf(context.io, given.data)
  const headers = headersOf(given.header ?? [])
  checkOutput(given)
  if (given.asPanel !== undefined && (headers.length > 0 || given.include === true || given.output !== undefined))
    throw usageError('-H, -i and -o are not for --as-panel: a page gets the body alone.')
  if (given.write !== true && mayWrite(method, path, body)) throw writeFlagMissing(method, path)
  const session = await context.open({
    host: given,
    anyAnswer: true,
    timeLimit: given.write !== true ? 'command' : given.wait ? 'none' : 'request',
    records: given.write === true,
    waitLockMs: durationOf('wait-lock', given.waitLock),
  })
  const { asPanel: pluginId } = given
  if (pluginId !== undefined) return callAsPanel(context, session, { pluginId, method, path, body }, given)
  const all = callables(await capabilitiesOf(session), session.state.profile?.paths)
  const match = matchOf(method, path, all)
  if (accessOf(method, match, body) === 'read') return ask(context, session, { method, path, body, headers }, given)
  if (given.write !== true) throw writeFlagMissing(method, path)
  if (headers.length > 0) throw usageError('-H is for reads: a write is sent with the headers that it is shown with.')
  return sendWrite(context, session, draftOf(match, path, body), given)
}

/** Whether the table alone says that it may write: then nobody is asked. */
function mayWrite(method: string, path: string, body: string | null): boolean {
  const { endpoint: row } = findEndpoint(method, path)
  if (row === null) return false
  const callable: Callable = { id: row.id, row, method, path: row.path, known: 'unread', requiresMax: null }
  return accessOf(method, { callable, raw: {} }, body) !== 'read'
}

function draftOf(match: ReturnType<typeof matchOf>, path: string, body: string | null) {
  if (!match) {
    throw refused(
      'ROUTE_UNKNOWN',
      'Neither the contract nor the host lists this route, so it can’t be written to. Nothing was sent.',
    )
  }
  const parts = commandParts(match, path)
  if (!parts) throw usageError('The query of a write is a list of pairs, each name once.')
  return { endpoint: match.callable.id, ...parts, ...(body === null ? {} : { bodyText: body }) }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly headers: [name: string, value: string][]
}

/** Sends a read as the console does, and prints what came, whatever it is. */
async function ask({ io, signal }: Context, { call }: Opened, asked: Asked, given: CallOptions): Promise<Ending> {
  const send = async () => call('traffic.exchange', await call('traffic.send', asked))
  let exchange = await send()
  for (let left = retriesOf(given); left > 0 && !signal.aborted && isPassing(exchange.row.status); left -= 1) {
    const after = exchange.responseHeaders.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
    await pause(after !== undefined && /^\d{1,4}$/.test(after) ? Number(after) : undefined, signal)
    exchange = await send()
  }
  const { row, response } = exchange
  const said = await withOutput(io, given, async (print) => {
    if (given.include) await print(headOf(exchange))
    return printSeq(print, call, row.seq, response.kept)
  })
  if (io.terminal && response.kept > 0 && given.output === undefined) await io.say('\n')
  const { status, errorCode } = row
  if (response.missing !== null) io.complain(`BODY_CUT: ${response.kept} of ${row.bytes} bytes were printed.`)
  if (errorCode === null && status !== null && status >= 200 && status < 300)
    return response.missing === null ? 'ok' : 'partial'
  const { code, message } = errorIn(said)
  const known = code || errorCode || (errorCode === null ? `HTTP_${status ?? 0}` : 'HOST_ERROR')
  io.complain(`${known}: ${message ?? `The host answered with status ${status ?? 0}.`}`)
  return status === 401 ? 'token' : 'host'
}

/** Statuses that say that the same request may succeed later. */
const isPassing = (status: number | null): boolean => status !== null && [408, 429, 502, 503, 504].includes(status)

function headersOf(lines: readonly string[]): [string, string][] {
  return lines.map((line) => {
    const [, name, value = ''] = /^([A-Za-z0-9-]{1,100}):\s*(.*)$/.exec(line) ?? []
    if (name === undefined) throw usageError("-H takes 'Name: value'.")
    return [name, value]
  })
}

/** What the host lists; null if that cannot be read, because the table knows most routes without it. */
async function capabilitiesOf({ call }: Opened) {
  try {
    const { bytes } = await call('bridge.read', { endpoint: 'capabilities.get', params: {}, query: {} })
    return readAnswer('capabilities.get', jsonOf(new Uint8Array(bytes))).value ?? null
  } catch (error) {
    if (error instanceof AppError && ['host', 'http', 'malformed'].includes(error.kind)) return null
    throw error
  }
}

function pathOf(typed: string, pairs: readonly string[]): string {
  const path = typed.startsWith('/') ? typed : `/${typed}`
  const query = pairs.map((pair) => {
    const is = pair.indexOf('=')
    if (is < 1) throw usageError('-q takes NAME=VALUE.')
    return `${encodeURIComponent(pair.slice(0, is))}=${encodeURIComponent(pair.slice(is + 1))}`
  })
  return query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`
}

async function bodyOf(io: Context['io'], data: string): Promise<string> {
  if (!data.startsWith('@')) return data
  if (data === '@-') return (await io.readInput(MOST_BODY)).toString('utf8')
  try {
    return readFileSync(data.slice(1), 'utf8')
  } catch {
    throw usageError('The file after -d @ can’t be read.')
  }
}

/** `call METHOD PATH`: one request, and what the host answers. */
export const callCommand = command({
  name: 'call',
  summary: 'Send one request, and print what the host answers, byte for byte',
  about: [
    'PATH is relative to the base URL (/status); placeholders are filled in. The body of the answer goes to standard output untouched, also that of an error, whose code goes to standard error. If the host echoes the token, asterisks stand in its place.',
    'What may write needs --write. It is then shown in full and confirmed at the terminal, unless --yes is given; without a terminal and without --yes nothing is sent. It is recorded in the journal before the first byte leaves, and sent once. confirm is added where the contract asks for it, and may stand in the body.',
    'With --as-panel the call is met as host.api meets it inside the host: the host’s own allow-list decides, confirm is filled in, addon becomes the ID. What host.api resolves to is printed as JSON, as JSON.stringify writes it in the panel: a response that is not JSON, such as that of /guide, is an object with an error, and ends with the code of one. What was changed is told on standard error; --json prints both sides of the call. What the list does not name ends with IN_PROCESS_NOT_ALLOWED, and nothing is sent.',
    'Without --wait an accepted command ends with the code for an open outcome. A write takes the lock of the data directory: while the app is running with it, use another one (--data-dir).',
  ],
  args: [
    { name: 'method', required: true, completes: 'methods', about: 'GET, POST, …' },
    { name: 'path', required: true, completes: 'paths', about: 'path of the route, with or without a query' },
  ],
  flags: [
    { name: 'query', short: 'q', value: 'NAME=VALUE', many: true, about: 'a pair of the query; it is encoded' },
    {
      name: 'data',
      short: 'd',
      value: 'JSON|@FILE',
      about: 'the body as JSON text; @FILE reads a file, @- standard input',
    },
    {
      name: 'as-panel',
      value: 'ID',
      about: 'make the call as a panel of the plugin with this id does, through the gate of panels',
    },
    {
      name: 'header',
      short: 'H',
      value: 'HEADER',
      many: true,
      about: "of a read: a header besides our own, as 'Name: value'",
    },
    { name: 'include', short: 'i', about: 'print status and headers above the body' },
    {
      name: 'output',
      short: 'o',
      value: 'FILE',
      about: 'write what would be printed into this file, whole or not at all',
    },
    { name: 'force', about: 'with -o: replace a file that exists' },
    ...writeFlags,
  ],
  examples: [
    { line: 'call GET /status --demo', about: 'what a demo host says about itself' },
    { line: 'call GET /search -q q=cell -q scope=notes --profile work | jq .hits', about: 'a query' },
    {
      line: 'call POST /notes/NOTE/title -d \'{"text":"New"}\' --write --profile work',
      about: 'a write: shown, then asked',
    },
    {
      line: 'call POST /writing/pencil-commit -d @commit.json --write --yes --wait --profile work',
      about: 'a write by a script, with its verdict as the exit code',
    },
    { line: 'call GET /library/study-sets --as-panel plugin.one --demo', about: 'what a panel would get' },
  ],
  host: true,
  options,
  run,
})
