import { readFileSync } from 'node:fs'
import { getCallAccess, matchCallTarget } from '../../shared/bridge/call-target.ts'
import { assertPlaceholdersFilled } from '../../shared/bridge/endpoints/path-template.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { parseHostError } from '../output/error-text.ts'
import { writeFlags, parseDurationMs, createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { waitForRetry, parseRetries, type ConnectedSession } from '../base/session.ts'
import { callAsPanel } from '../writes/panel-call.ts'
import { mayWrite, readCallTargets, toWriteDraft } from '../writes/write-draft.ts'
import { findBodyEncoding } from '../../shared/traffic/body-text.ts'
import { formatResponseHead, isShown, printResponseBody, sendWrite, createWriteFlagError } from '../writes/write.ts'

const flags = [
  {
    name: 'query',
    short: 'q',
    valueName: 'NAME=VALUE',
    isRepeatable: true,
    description: 'a parameter of the query, which is encoded for you',
  },
  {
    name: 'data',
    short: 'd',
    valueName: 'JSON|@FILE',
    description: 'the body as JSON text; @FILE reads a file, @- standard input',
  },
  {
    name: 'as-panel',
    valueName: 'ID',
    description: 'make the call as a panel of the plugin with this id would',
  },
  {
    name: 'header',
    short: 'H',
    valueName: 'HEADER',
    isRepeatable: true,
    description: "for reads only: an additional header, as 'Name: value'",
  },
  { name: 'include', short: 'i', description: 'print status and headers above the body' },
  {
    name: 'output',
    short: 'o',
    valueName: 'FILE',
    description: 'write the output into this file, completely or not at all',
  },
  { name: 'force', description: 'with -o: replace an existing file' },
  ...writeFlags,
] as const satisfies readonly Flag[]
type CallOptions = CommandOptions<typeof flags>

/** Limit of a body from standard input. */
const MAX_BODY_BYTES = 4_000_000

async function run(
  context: CommandContext,
  [methodArgument = '', pathArgument = '']: readonly string[],
  callOptions: CallOptions,
): Promise<CommandExit> {
  const method = methodArgument.toUpperCase()
  if (!/^[A-Z]{3,10}$/.test(method)) throw createUsageError('The method is a word like GET or POST.')
  if (callOptions.asPanel === undefined) assertMethodSent(method)
  const path = toPath(pathArgument, callOptions.query ?? [])
  assertPlaceholdersFilled(path)
  const body = callOptions.data === undefined ? null : await readBody(context.io, callOptions.data)
  const headers = parseHeaders(callOptions.header ?? [])
  assertOutputWritable(callOptions)
  if (
    callOptions.asPanel !== undefined &&
    (headers.length > 0 || callOptions.include === true || callOptions.output !== undefined)
  )
    throw createUsageError('-H, -i and -o are not for --as-panel: a page gets the body alone.')
  if (callOptions.write !== true && mayWrite(method, path, body)) throw createWriteFlagError(method, path)
  const session = await context.openSession({
    host: callOptions,
    isAnyResponseAllowed: true,
    timeLimit: callOptions.write !== true ? 'command' : callOptions.wait ? 'none' : 'request',
    isJournaled: callOptions.write === true,
    waitLockMs: parseDurationMs('wait-lock', callOptions.waitLock),
  })
  const { asPanel: pluginId } = callOptions
  if (pluginId !== undefined) return callAsPanel(context, session, { pluginId, method, path, body }, callOptions)
  const targets = await readCallTargets(session)
  const match = matchCallTarget(method === 'HEAD' ? 'GET' : method, path, targets)
  if (getCallAccess(method, match, body) === 'read')
    return sendRead(context, session, { method, path, body, headers }, callOptions)
  if (callOptions.write !== true) throw createWriteFlagError(method, path)
  if (headers.length > 0)
    throw createUsageError('-H is for reads: a write is sent with the headers that it is shown with.')
  return sendWrite(context, session, toWriteDraft(match, path, body), callOptions)
}

const sentMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A panel may send any method, and hears what the host says to it. */
function assertMethodSent(method: string): void {
  if (sentMethods.includes(method)) return
  throw createUsageError(`The method is unknown. It is one of ${sentMethods.join(', ')}.`)
}

interface ReadRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly headers: [name: string, value: string][]
}

/** Prints the response even if it is an error. */
async function sendRead(
  { io, signal }: CommandContext,
  { call }: ConnectedSession,
  request: ReadRequest,
  callOptions: CallOptions,
): Promise<CommandExit> {
  const send = async () => call('traffic.exchange', await call('traffic.send', request))
  let exchange = await send()
  for (
    let retriesLeft = parseRetries(callOptions);
    retriesLeft > 0 && !signal.aborted && isTransientStatus(exchange.row.status);
    retriesLeft -= 1
  ) {
    const retryAfter = exchange.responseHeaders.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
    await waitForRetry(
      retryAfter !== undefined && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) : undefined,
      signal,
    )
    exchange = await send()
  }
  const { row, response } = exchange
  const isTextShown = isShown(io, callOptions)
  const body = await withOutput(io, callOptions, async (print) => {
    // The response to HEAD has nothing else.
    if (callOptions.include || request.method === 'HEAD') await print(formatResponseHead(exchange))
    return printResponseBody(print, call, { seq: row.seq, body: response, isDecoded: isTextShown })
  })
  if (isTextShown && response.kept > 0) await io.printText('\n')
  const { problem, charset } = findBodyEncoding(new Uint8Array(), response)
  if (isTextShown && problem === 'unknown')
    io.printStderr(`CHARSET_UNKNOWN: No decoder knows the charset “${charset}”. The text is shown as UTF-8.`)
  const { status, errorCode } = row
  if (response.missing === 'encoded')
    io.printStderr(
      'ENCODING_BROKEN: The body does not decode as its Content-Encoding says. It was printed as received.',
    )
  else if (response.missing !== null) io.printStderr(`BODY_CUT: ${response.kept} of ${row.bytes} bytes were printed.`)
  if (errorCode === null && status !== null && status >= 200 && status < 300)
    return response.missing === null ? 'ok' : 'partial'
  const { code, message } = parseHostError(body)
  const shownCode = code || errorCode || (errorCode === null ? `HTTP_${status ?? 0}` : 'HOST_ERROR')
  io.printStderr(`${shownCode}: ${message ?? `The host answered with status ${status ?? 0}.`}`)
  return status === 401 ? 'token' : 'host'
}

const isTransientStatus = (status: number | null): boolean =>
  status !== null && [408, 429, 502, 503, 504].includes(status)

function parseHeaders(lines: readonly string[]): [string, string][] {
  return lines.map((line) => {
    const [, name, value = ''] = /^([A-Za-z0-9-]{1,100}):(.*)$/.exec(line) ?? []
    if (name === undefined) throw createUsageError("-H takes 'Name: value'.")
    return [name, value.trimStart()]
  })
}

function toPath(pathArgument: string, pairs: readonly string[]): string {
  const path = pathArgument.startsWith('/') ? pathArgument : `/${pathArgument}`
  const query = pairs.map((pair) => {
    const equalsIndex = pair.indexOf('=')
    if (equalsIndex < 1) throw createUsageError('-q takes NAME=VALUE.')
    return `${encodeURIComponent(pair.slice(0, equalsIndex))}=${encodeURIComponent(pair.slice(equalsIndex + 1))}`
  })
  return query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`
}

async function readBody(io: CommandContext['io'], data: string): Promise<string> {
  if (!data.startsWith('@')) return data
  if (data === '@-') return (await io.readInput(MAX_BODY_BYTES)).toString('utf8')
  try {
    return readFileSync(data.slice(1), 'utf8')
  } catch {
    throw createUsageError('The file after -d @ can’t be read.')
  }
}

export const callCommand = defineCommand({
  name: 'call',
  summary: 'Send one request and print the host’s response, byte for byte',
  description: [
    'PATH is relative to the base URL (/status); placeholders must be filled in. The body of the response is printed unchanged on standard output, also if it is an error; the error code is printed on standard error. If the host echoes the token, it is replaced by asterisks.',
    'A request that may write needs --write. It is shown in full, and you confirm it at the terminal unless --yes is given; without a terminal and without --yes nothing is sent. It is recorded in the journal before the first byte is sent, and it is sent only once. confirm is added where the contract requires it; the body may also contain it.',
    'With --as-panel the call is handled like a call of host.api inside the host: the host’s own allow-list decides, confirm is filled in, and addon is set to the ID. The value that host.api resolves to is printed as JSON, as JSON.stringify writes it in the panel. A response that is not JSON, such as that of /guide, becomes an object with an error, and the exit code is that of an error. Changes to the call are reported on standard error; --json prints both sides of the call. A call that the list does not name fails with IN_PROCESS_NOT_ALLOWED, and nothing is sent.',
    'Without --wait, an accepted command ends with the exit code for an open outcome. A write locks the data directory, so while the app is running with it, use another one (--data-dir).',
  ],
  args: [
    { name: 'method', required: true, completionKind: 'methods', description: 'GET, POST, …' },
    {
      name: 'path',
      required: true,
      completionKind: 'paths',
      description: 'path of the route, with or without a query',
    },
  ],
  flags,
  examples: [
    { commandLine: 'call GET /status --demo', description: 'what a demo host says about itself' },
    { commandLine: 'call HEAD /status --demo', description: 'status and headers alone' },
    { commandLine: 'call GET /search -q q=cell -q scope=notes --profile work | jq .hits', description: 'a query' },
    {
      commandLine: 'call POST /notes/NOTE/title -d \'{"text":"New"}\' --write --profile work',
      description: 'a write: shown, then asked',
    },
    {
      commandLine: 'call POST /writing/pencil-commit -d @commit.json --write --yes --wait --profile work',
      description: 'a write by a script, with its verdict as the exit code',
    },
    {
      commandLine: 'call GET /library/study-sets --as-panel plugin.one --demo',
      description: 'the value that a panel would get',
    },
  ],
  hasHostFlags: true,
  run,
})
