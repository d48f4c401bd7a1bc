import http, { type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toWebStream } from '../call/response.ts'
import type { SocketTarget } from '../call/types.ts'
import { resolveLoopbackTarget } from './loopback-target.ts'
import { createTextResponse, createRefusedNote, type NoteSink, type PanelSite } from './site.ts'

/** How long a development server may take to answer: it may have to build what is asked for. */
const RESPONSE_TIMEOUT_MS = 60_000

/**
 * What a browser adds for the panel's origin, and what belongs to one connection: the server gets
 * its own, or none.
 */
const withheld =
  /^(?:accept-encoding|connection|expect|forwarded|host|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-inspector-.*)$/i

/**
 * A development server on this machine, seen through the panel's own origin. Throws
 * `PANEL_NOT_LOOPBACK`.
 */
export async function createServerSite(url: string, note: NoteSink): Promise<PanelSite> {
  const target = await resolveLoopbackTarget(url)
  const { pathname, search } = new URL(url)
  return {
    socketTarget: target,
    start: pathname + search,
    serve: (request) => proxied(target, request, note),
    // It tells its page itself what has changed.
    watch: () => () => undefined,
  }
}

async function proxied(target: SocketTarget, request: Request, note: NoteSink): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  try {
    const answer = await ask(target, request, pathname + search)
    return responseOf(target, answer, request, note)
  } catch {
    return createTextResponse(502, `The development server ${target.hostHeader} does not answer.`)
  }
}

function ask(target: SocketTarget, request: Request, path: string): Promise<IncomingMessage> {
  const headers: Record<string, string> = { host: target.hostHeader, 'accept-encoding': 'identity' }
  for (const [name, value] of request.headers) if (!withheld.test(name)) headers[name] = value
  return new Promise((resolve, reject) => {
    const { address, port } = target
    const { method, signal, body } = request
    const sent = http.request({
      host: address,
      port,
      method,
      path,
      headers,
      signal,
      agent: false,
      timeout: RESPONSE_TIMEOUT_MS,
    })
    sent.once('response', (answer) => {
      sent.setTimeout(0)
      resolve(answer)
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer')))
    // After the answer has begun, its own stream fails.
    sent.on('error', reject)
    // An answer that switches protocols ends like this, without an error of its own.
    sent.once('close', () => reject(new Error('no answer')))
    if (body === null) return void sent.end()
    pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), sent).catch(reject)
  })
}

function responseOf(target: SocketTarget, answer: IncomingMessage, { method }: Request, note: NoteSink): Response {
  const status = answer.statusCode ?? 502
  const headers = new Headers()
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = answer.rawHeaders.slice(at, at + 2)
    if (!/^(?:connection|keep-alive|transfer-encoding|trailer|upgrade)$/i.test(name)) headers.append(name, value)
  }
  if (status < 200 || status > 599) {
    answer.destroy()
    return createTextResponse(502, `The development server answered with the status ${status}.`)
  }
  const location = headers.get('location')
  if (location !== null && status >= 300 && status < 400) {
    const own = ownPath(target, location)
    if (own === null) {
      answer.destroy()
      note(createRefusedNote('navigation', `redirect to ${location}`))
      return createTextResponse(502, 'The development server redirects to another address, which is not followed.')
    }
    headers.set('location', own)
  }
  const bodiless = method === 'HEAD' || status === 204 || status === 205 || status === 304
  if (bodiless) answer.resume()
  return new Response(bodiless ? null : toWebStream(answer), { status, headers })
}

/**
 * A redirect within the server, as a path of the panel's origin; null for one that leads elsewhere.
 */
function ownPath({ hostHeader: host, port }: SocketTarget, location: string): string | null {
  if (!URL.canParse(location, `http://${host}/`)) return null
  const to = new URL(location, `http://${host}/`)
  const isOwn = to.protocol === 'http:' && Number(to.port || 80) === port && isHere(to.hostname)
  // A relative one stays relative to where it was asked for.
  if (!/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(location)) return isOwn ? location : null
  return isOwn ? to.pathname.replace(/^\/+/, '/') + to.search + to.hash : null
}

const isHere = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
