import http from 'node:http'
import type https from 'node:https'
import { BufferedAgent } from './read-buffers.ts'

/** Where sockets to the host come from. */
export interface Agents {
  /** Sockets that stay open between requests: for reads, which may be repeated if such a socket turns out to be dead. */
  readonly kept: AgentPair
  /** A new socket for each request: for what must never be sent twice, so that a dead socket cannot leave its fate unknown. */
  readonly fresh: AgentPair
  /** Separate kept sockets for content: watching a video holds one for a long time, and no other read should wait for it. */
  readonly streaming: AgentPair
  /** Separate kept sockets for what is passed on for other programs: however many they ask, the page does not wait for them. */
  readonly relayed: AgentPair
}

export interface AgentPair {
  readonly http: http.Agent
  /** Made with the first request over TLS. */
  readonly https: () => https.Agent
  destroy(): void
}

/** Node's HTTPS, from the first request over TLS on: it takes three times as long to load as HTTP, and few hosts speak it. */
export const nodeHttps = (): typeof https => process.getBuiltinModule('node:https')

export function createAgents(): Agents {
  return {
    kept: pair({ keepAlive: true, maxSockets: 16, maxFreeSockets: 4 }),
    fresh: pair({ keepAlive: false }),
    streaming: pair({ keepAlive: true, maxSockets: 32, maxFreeSockets: 6 }),
    relayed: pair({ keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }, BufferedAgent),
  }
}

export function destroyAgents({ kept, fresh, streaming, relayed }: Agents): void {
  for (const pair of [kept, fresh, streaming, relayed]) pair.destroy()
}

function pair(options: http.AgentOptions, Plain = http.Agent): AgentPair {
  const plain = new Plain(options)
  let secure: https.Agent | null = null
  return {
    http: plain,
    // TLS sessions are not resumed, because Node checks the server's name only in full handshakes.
    https: () => (secure ??= new (nodeHttps().Agent)({ ...options, maxCachedSessions: 0 })),
    destroy() {
      plain.destroy()
      secure?.destroy()
    },
  }
}
