import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import type { Credential } from './guard.ts'

/** Clients that are told apart; the oldest is forgotten. */
const MAX_CLIENTS = 200

/** A name that a client or a person gave, as one short line; empty if there is none. */
export const toClientLabel = (text: string): string => toVisibleName(text)

/** What a client calls itself: the first product of its `User-Agent`. */
export const parseClientLabel = (userAgent: string | undefined): string =>
  toClientLabel(/^[^\s(]+/.exec(userAgent ?? '')?.[0] ?? '') || 'client'

interface Client {
  readonly id: string
  readonly open: Set<Socket>
  load: number
  /** Connections were open beside each other, so that the next one may belong to any of them. */
  isShared: boolean
}

/**
 * Tells the clients of one listener apart: by what they call themselves and by whose key they hold, never by the name that a person gives
 * them. Two programs of one client look alike, so a connection that is opened beside another one counts as a load of its own.
 */
export class RecordedClients {
  readonly #clients = new Map<string, Client>()
  readonly #loads = new WeakMap<Socket, number>()

  originOf({ headers, socket }: IncomingMessage, credential: Credential, label: string): Origin {
    const key = JSON.stringify([headers['user-agent'] ?? null, credential])
    const client = this.#clients.get(key) ?? { id: randomUUID(), open: new Set(), load: 0, isShared: false }
    this.#clients.set(key, client)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return { kind: 'recorded', label, caller: client.id, load: this.#loads.get(socket) ?? this.#opened(socket, client) }
  }

  #opened(socket: Socket, client: Client): number {
    if (client.load === 0 || client.open.size > 0 || client.isShared) client.load += 1
    client.isShared = client.open.size > 0
    client.open.add(socket)
    socket.once('close', () => client.open.delete(socket))
    this.#loads.set(socket, client.load)
    return client.load
  }
}
