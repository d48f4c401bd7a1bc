import http, { type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toWebStream } from '../call/response.ts'
import type { SocketTarget } from '../call/types.ts'
import { createTextResponse, createRefusedNote, type NoteSink, type PanelSite } from './site.ts'
import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { createRefusedError } from '../../../../shared/errors.ts'

const isLoopback = (address: string): boolean =>
  /^127(?:\.\d{1,3}){3}$/.test(address) || address === '::1' || /^::ffff:127\./i.test(address)

/**
 * Resolves the address of a development server, which must be on this machine: a loopback address,
 * or `localhost` if the system resolves that name to this machine.
 * @throws PANEL_NOT_LOOPBACK for anything else, and for everything but plain HTTP.
 */
async function resolveLoopbackTarget(url: string): Promise<SocketTarget> {
  const { protocol, hostname, port, host, username, password } = new URL(url)
  const name = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || username !== '' || password !== '') throw createNotLoopbackError(url)
  const toTarget = (address: string): SocketTarget => ({ address, port: Number(port || 80), hostHeader: host })
  if (net.isIP(name)) {
    if (!isLoopback(name)) throw createNotLoopbackError(url)
    return toTarget(name)
  }
  if (!/^(?:[\w-]+\.)*localhost$/i.test(name)) throw createNotLoopbackError(url)
  const addresses = await lookup(name, { all: true }).catch(() => [{ address: '127.0.0.1' }])
  if (addresses.length === 0 || !addresses.every(({ address }) => isLoopback(address)))
    throw createNotLoopbackError(url)
  return toTarget(
    await findReachableAddress(
      addresses.map(({ address }) => address),
      Number(port || 80),
    ),
  )
}

/** Development servers listen on one address family: the first address that accepts counts. */
async function findReachableAddress(addresses: readonly string[], port: number): Promise<string> {
  for (const address of addresses) {
    const isReachable = await new Promise<boolean>((resolve) => {
      const socket = net.connect({ host: address, port, timeout: 2_000 })
      const end = (isOpen: boolean) => (): void => {
        socket.destroy()
        resolve(isOpen)
      }
      socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
    })
    if (isReachable) return address
  }
  return addresses[0] ?? '127.0.0.1'
}

const createNotLoopbackError = (url: string) =>
  createRefusedError(
    'PANEL_NOT_LOOPBACK',
    'A development server must be on this machine: http://localhost:PORT or http://127.0.0.1:PORT.',
    {
      url: url.slice(0, 200),
    },
  )

/** A development server may have to build a file before it responds. */
const RESPONSE_TIMEOUT_MS = 60_000

/** They belong to the panel's origin or to one connection, and are not forwarded. */
const WITHHELD_HEADERS =
  /^(?:accept-encoding|connection|expect|forwarded|host|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-inspector-.*)$/i

/** Forwards to a development server on this machine. @throws PANEL_NOT_LOOPBACK otherwise */
export async function createServerSite(url: string, addNote: NoteSink): Promise<PanelSite> {
  const target = await resolveLoopbackTarget(url)
  const { pathname, search } = new URL(url)
  return {
    socketTarget: target,
    start: pathname + search,
    serve: (request) => forwardRequest(target, request, addNote),
    // The development server itself notifies its page of changes.
    watch: () => () => undefined,
  }
}

async function forwardRequest(target: SocketTarget, request: Request, addNote: NoteSink): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  try {
    const response = await sendRequest(target, request, pathname + search)
    return toWebResponse(target, response, request, addNote)
  } catch {
    return createTextResponse(502, `The development server ${target.hostHeader} does not answer.`)
  }
}

function sendRequest(target: SocketTarget, request: Request, path: string): Promise<IncomingMessage> {
  const headers: Record<string, string> = { host: target.hostHeader, 'accept-encoding': 'identity' }
  for (const [name, value] of request.headers) if (!WITHHELD_HEADERS.test(name)) headers[name] = value
  return new Promise((resolve, reject) => {
    const { address, port } = target
    const { method, signal, body } = request
    const outgoing = http.request({
      host: address,
      port,
      method,
      path,
      headers,
      signal,
      agent: false,
      timeout: RESPONSE_TIMEOUT_MS,
    })
    outgoing.once('response', (response) => {
      outgoing.setTimeout(0)
      resolve(response)
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')))
    // After the response has begun, `reject` has no effect; the response's stream fails instead.
    outgoing.on('error', reject)
    // If the response switches protocols, the request is closed without an error.
    outgoing.once('close', () => reject(new Error('no answer')))
    if (body === null) return void outgoing.end()
    pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing).catch(reject)
  })
}

function toWebResponse(
  target: SocketTarget,
  incoming: IncomingMessage,
  { method }: Request,
  addNote: NoteSink,
): Response {
  const status = incoming.statusCode ?? 502
  const headers = new Headers()
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(index, index + 2)
    if (!/^(?:connection|keep-alive|transfer-encoding|trailer|upgrade)$/i.test(name)) headers.append(name, value)
  }
  if (status < 200 || status > 599) {
    incoming.destroy()
    return createTextResponse(502, `The development server answered with the status ${status}.`)
  }
  const location = headers.get('location')
  if (location !== null && status >= 300 && status < 400) {
    const ownLocation = toOwnPath(target, location)
    if (ownLocation === null) {
      incoming.destroy()
      addNote(createRefusedNote('navigation', `redirect to ${location}`))
      return createTextResponse(502, 'The development server redirects to another address, which is not followed.')
    }
    headers.set('location', ownLocation)
  }
  const hasNoBody = method === 'HEAD' || status === 204 || status === 205 || status === 304
  if (hasNoBody) incoming.resume()
  return new Response(hasNoBody ? null : toWebStream(incoming), { status, headers })
}

/** A path of the panel's origin; null if the redirect leads to a different origin. */
function toOwnPath({ hostHeader: host, port }: SocketTarget, location: string): string | null {
  if (!URL.canParse(location, `http://${host}/`)) return null
  const url = new URL(location, `http://${host}/`)
  const isOwn = url.protocol === 'http:' && Number(url.port || 80) === port && isLoopbackName(url.hostname)
  // A relative location stays relative to the requested page.
  if (!/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(location)) return isOwn ? location : null
  return isOwn ? url.pathname.replace(/^\/+/, '/') + url.search + url.hash : null
}

const isLoopbackName = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
