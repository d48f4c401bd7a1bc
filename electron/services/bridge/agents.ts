import http from 'node:http'
import https from 'node:https'

/** Where sockets to the host come from. */
export interface Agents {
  /** Sockets that stay open between requests: for reads, which may be repeated when such a socket turns out to be dead. */
  readonly kept: AgentPair
  /** A new socket for each request: for what must never be sent twice, so that no dead socket leaves its fate unknown. */
  readonly fresh: AgentPair
  /** Kept sockets of their own for content: a video that is watched holds one for long, and no other read waits for it. */
  readonly streaming: AgentPair
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
  }
}

export function destroyAgents(agents: Agents): void {
  for (const { http: plain, https: secure } of [agents.kept, agents.fresh, agents.streaming]) {
    plain.destroy()
    secure.destroy()
  }
}

function pair(options: http.AgentOptions): AgentPair {
  // No TLS sessions are resumed: Node checks the server's name on full handshakes alone.
  return { http: new http.Agent(options), https: new https.Agent({ ...options, maxCachedSessions: 0 }) }
}
