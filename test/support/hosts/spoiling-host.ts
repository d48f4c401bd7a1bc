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

/** After this status, Chromium repeats a request whose connection was used before. */
const timeoutStatus = respondHostError(408, { code: 'HOST_TIMEOUT', message: 'Too late.' })

/** The path of a write whose response is spoiled in this way; `name` tells two of them apart. */
export const buildSpoiledPath = (spoiling: Spoiling | 'timeout-status', name: string): string =>
  `/bridge/v1/notes/${spoiling}.${name}/practice-verdict`

/** A host that carries out the writes below `buildSpoiledPath`, and spoils its responses to them. */
export const startSpoilingHost = (): Promise<MisbehavingHost> =>
  startMisbehavingHost((socket, request) => {
    const { path } = request
    const spoiling = /^\/bridge\/v1\/notes\/([\w-]+)\.[\w-]+\/practice-verdict/.exec(path)?.[1]
    if (spoiling !== undefined && Object.hasOwn(spoilings, spoiling))
      return spoilings[spoiling as Spoiling](socket, request)
    if (spoiling === 'timeout-status') return timeoutStatus(socket, request)
    return respondJson(getResponse(path))(socket, request)
  })

function getResponse(path: string): unknown {
  if (path.endsWith('/status')) return { app: 'Host', authorized: true, instanceNonce: 'n1' }
  if (path.endsWith('/immersive/template')) return { plugins: [{ id: 'plugin.one' }] }
  if (path.endsWith('/capabilities')) {
    const [post, get] = [
      { method: 'POST', path: '/notes/{noteid}/practice-verdict' },
      { method: 'GET', path: '/ui-state' },
    ]
    return { routes: [post, get] }
  }
  return { fine: true }
}

/** Returns the paths of the writes that arrived, sorted, without their queries. */
export const listWrites = ({ requests }: MisbehavingHost): string[] =>
  requests
    .map(({ path }) => path.split('?', 1)[0] ?? '')
    .filter((path) => path.endsWith('/practice-verdict'))
    .sort()
