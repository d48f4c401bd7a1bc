import {
  neverRespond,
  resetConnection,
  respondHostError,
  respondJson,
  respondRaw,
  type Behaviour,
} from './behaviours.ts'
import { startMisbehavingHost, type MisbehavingHost } from './misbehaving-host.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n'

/** The ways in which a response can be spoiled after the host has carried a request out. */
export const spoilings = {
  'reset-before-head': resetConnection(),
  'reset-in-head': resetConnection(HEAD.slice(0, 30)),
  'reset-after-head': resetConnection(HEAD),
  'reset-in-body': resetConnection(`${HEAD}{"persisted":`),
  empty: respondRaw(''),
  garbage: respondRaw('\u0000garbage\r\n\r\n'),
  stall: neverRespond(),
} as const satisfies Readonly<Record<string, Behaviour>>

export type Spoiling = keyof typeof spoilings

/** Statuses after which a browser sends a request again by itself. */
export const resentStatuses = ['408', '421', '307', '308'] as const

const createResentResponse = (status: string): Behaviour =>
  respondHostError(Number(status), { code: 'AGAIN' }, { Location: '/bridge/v1/notes/moved.to/practice-verdict' })

/** The path of a write whose response is spoiled in this way; `name` tells two of them apart. */
export const buildSpoiledPath = (spoiling: Spoiling | (typeof resentStatuses)[number], name: string): string =>
  `/bridge/v1/notes/${spoiling}.${name}/practice-verdict`

/** A host that carries out the writes to `buildSpoiledPath`, and spoils its responses. */
export const startSpoilingHost = (): Promise<MisbehavingHost> =>
  startMisbehavingHost((socket, request) => {
    const { path } = request
    const spoiling = /^\/bridge\/v1\/notes\/([\w-]+)\.[\w-]+\/practice-verdict/.exec(path)?.[1]
    if (spoiling !== undefined && Object.hasOwn(spoilings, spoiling))
      return spoilings[spoiling as Spoiling](socket, request)
    if (resentStatuses.some((status) => status === spoiling))
      return createResentResponse(spoiling ?? '')(socket, request)
    return respondJson(getResponse(path))(socket, request)
  })

function getResponse(path: string): unknown {
  if (path.endsWith('/status')) return { app: 'Host', authorized: true, instanceNonce: 'n1' }
  if (path.endsWith('/immersive/template')) return { plugins: [{ id: 'plugin.one' }] }
  if (path.endsWith('/capabilities')) {
    const verdictPath = '/notes/{noteid}/practice-verdict'
    const routes = ['POST', 'GET'].map((method) => ({ method, path: verdictPath }))
    return { routes: [...routes, { method: 'GET', path: '/ui-state' }] }
  }
  return { fine: true }
}

/** Returns the paths of the writes that arrived, sorted, without their queries. */
export const listWrites = ({ requests }: MisbehavingHost): string[] =>
  requests
    .map(({ path }) => path.split('?', 1)[0] ?? '')
    .filter((path) => path.endsWith('/practice-verdict'))
    .sort()
