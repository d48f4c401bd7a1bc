import http from 'node:http'
import https from 'node:https'
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
  readonly https: https.Agent
}

export function createAgents(): Agents {
  return {
    kept: pair({ keepAlive: true, maxSockets: 16, maxFreeSockets: 4 }),
    fresh: pair({ keepAlive: false }),
    streaming: pair({ keepAlive: true, maxSockets: 32, maxFreeSockets: 6 }),
    relayed: pair({ keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }, BufferedAgent),
  }
}

export function destroyAgents({ kept, fresh, streaming, relayed }: Agents): void {
  for (const { http: plain, https: secure } of [kept, fresh, streaming, relayed]) {
    plain.destroy()
    secure.destroy()
  }
}

function pair(options: http.AgentOptions, Plain = http.Agent): AgentPair {
  // TLS sessions are not resumed, because Node checks the server's name only in full handshakes.
  return { http: new Plain(options), https: new https.Agent({ ...options, maxCachedSessions: 0 }) }
}
