import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { types } from 'node:util'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError } from '../shared/errors.ts'
import { decodeResponseText, toHostApiValue, type HostApiResponse } from '../electron/core/panel/host-api.ts'
import type * as api from './api.ts'
import { checkOptions } from './options.ts'
import { OverrideList } from './overrides.ts'
import { startPanelWith } from './panel.ts'

export const hostApi: typeof api.hostApi = (options = {}) => {
  const panelOptions = 'baseUrl' in options ? { host: options } : options
  checkOptions('hostApi', panelOptions)
  const overrides = new OverrideList()
  let starting: Promise<api.Panel> | null = null
  const getPanel = (): Promise<api.Panel> =>
    (starting ??= startPanelWith(overrides, panelOptions).catch((error: unknown) => {
      // The next call tries again.
      starting = null
      throw error
    }))

  const idPrefix = randomBytes(6).toString('hex')
  let callCount = 0

  const call: api.HostApiFunction = async (path, requestOptions) => {
    // A test without types may give any value.
    if (typeof (path as unknown) !== 'string' || !path.startsWith('/'))
      return toFailure('REQUEST_INVALID', 'The path begins with a slash and is below /bridge/v1, such as /ui-state.')
    const stack = readCallerStack(call)
    let panel: api.Panel
    try {
      panel = await getPanel()
    } catch (error) {
      return toFailure((error instanceof AppError ? error.code : undefined) ?? 'PANEL_NOT_STARTED', error)
    }
    // A browser and Node's `fetch` send some requests again by themselves; the id tells.
    callCount += 1
    const headers = {
      'x-inspector-via': 'host.api',
      'x-inspector-call': `${idPrefix}-${callCount}`,
      ...(stack === '' ? {} : { 'x-inspector-stack': encodeURI(stack) }),
    }
    try {
      return toHostApiValue(await ask(`${new URL(panel.url).origin}/bridge/v1${path}`, requestOptions ?? {}, headers))
    } catch (error) {
      return toFailure('REQUEST_INVALID', error)
    }
  }

  const close = async (): Promise<api.Finding[]> => {
    overrides.close()
    return (await (await starting?.catch(() => null))?.close()) ?? []
  }
  const session: api.PanelSession = {
    calls: async () => (await getPanel()).calls(),
    findings: async () => (await getPanel()).findings(),
    advice: async () => (await getPanel()).advice(),
    withdrawn: async () => (await getPanel()).withdrawn(),
    settle: async (options) => (await getPanel()).settle(options),
    operations: async () => (await getPanel()).operations(),
    changes: async () => (await getPanel()).changes(),
    coverage: async () => (await getPanel()).coverage(),
    waiting: async () => (await getPanel()).waiting(),
    saveRecording: async (file) => (await getPanel()).saveRecording(file),
    override: (...override) => overrides.add(...override),
    hold: async (...hold) => (await getPanel()).hold(...hold),
    decide: async (id, decision) => (await getPanel()).decide(id, decision),
    close,
    async [Symbol.asyncDispose]() {
      await close()
    },
  }
  return Object.assign(call.bind(null), session, { api: call })
}

/** So many lines fit into the header, and name more than the test and its helpers. */
const MAX_STACK_LINES = 8
const MAX_LINE_CHARS = 300

/** Returns the lines of the test's own code that called a function; empty if there are none. */
function readCallerStack(callee: api.HostApiFunction): string {
  const holder: { stack?: unknown } = {}
  Error.captureStackTrace(holder, callee)
  // A test may format stacks in its own way.
  if (typeof holder.stack !== 'string') return ''
  const workingDir = process.cwd()
  return holder.stack
    .replaceAll(`${pathToFileURL(workingDir).href}/`, '')
    .replaceAll(workingDir + path.sep, '')
    .split('\n')
    .filter((line) => /^ *at /.test(line) && !/node:|node_modules/.test(line) && line.length <= MAX_LINE_CHARS)
    .slice(0, MAX_STACK_LINES)
    .join('\n')
}

/**
 * Asks with Node's client and not with `fetch`, which a DOM environment replaces by one with the
 * rules of a page, and a test by a stub. Headers, body and signal may be of any such library.
 * @throws TypeError for a request that cannot be sent in this form
 */
function ask(address: string, options: RequestInit, ownHeaders: Record<string, string>): Promise<HostApiResponse> {
  const { method = 'GET', body, signal } = options
  const plainMethod = /^(?:delete|get|head|options|post|put)$/i.test(method) ? method.toUpperCase() : method
  if (body !== null && body !== undefined && /^(?:GET|HEAD)$/.test(plainMethod))
    throw new TypeError('Request with GET/HEAD method cannot have body.')
  const bytes = body === null || body === undefined ? null : toBytes(body)
  const headers = toHeaderRecord(options.headers)
  if (typeof body === 'string') headers['content-type'] ??= 'text/plain;charset=UTF-8'
  if (isSearchParams(body)) headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8'
  if (bytes !== null || /^(?:POST|PUT)$/.test(plainMethod)) headers['content-length'] = String(bytes?.byteLength ?? 0)
  if (signal?.aborted) return Promise.resolve('aborted')
  const request = http.request(address, { method: plainMethod, headers: { ...headers, ...ownHeaders } })
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve('aborted')
      request.destroy()
    }
    const end = (response: HostApiResponse): void => {
      signal?.removeEventListener('abort', onAbort)
      resolve(response)
    }
    signal?.addEventListener('abort', onAbort)
    request.once('error', () => end('broken'))
    request.once('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.once('error', () => end('broken'))
      response.once('end', () =>
        end({ status: response.statusCode ?? 0, text: decodeResponseText(Buffer.concat(pieces)) }),
      )
    })
    request.end(bytes ?? undefined)
  })
}

function toHeaderRecord(headers: RequestInit['headers']): Record<string, string> {
  const record: Record<string, string> = {}
  const pairs: Iterable<readonly (string | undefined)[]> =
    headers === undefined ? [] : Symbol.iterator in headers ? headers : Object.entries(headers)
  for (const [name = '', value = ''] of pairs) {
    const key = name.toLowerCase()
    record[key] = key in record ? `${record[key]}, ${value}` : value
  }
  return record
}

/** Also of a DOM library, which has a class of its own. */
const isSearchParams = (body: RequestInit['body']): body is URLSearchParams =>
  Object.prototype.toString.call(body) === '[object URLSearchParams]'

function toBytes(body: NonNullable<RequestInit['body']>): Buffer {
  if (types.isArrayBuffer(body)) return Buffer.from(body)
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (typeof body === 'string' || isSearchParams(body)) return Buffer.from(body.toString())
  throw new TypeError('host.api of the kit takes a body of text or bytes.')
}

const toFailure = (code: string, error: unknown): object => ({
  error: { code, message: error instanceof Error ? error.message : String(error) },
})
