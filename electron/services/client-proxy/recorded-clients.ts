import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import type { Credential } from './guard.ts'

/** If there are more clients, the oldest one is forgotten. */
const MAX_CLIENTS = 200

/** One short line; empty if no visible character is left. */
export function toClientLabel(text: string): string {
  return toVisibleName(text)
}

/** Returns the first product of a client's `User-Agent`. */
export function parseClientLabel(userAgent: string | undefined): string {
  return toClientLabel(/^[^\s(]+/.exec(userAgent ?? '')?.[0] ?? '') || 'client'
}

interface Client {
  readonly id: string
  readonly open: Set<Socket>
  load: number
  /** True if several connections were open at once: the next may belong to any of them. */
  isShared: boolean
  /** The loads of processes, which are looked up only once connections are open beside others. */
  readonly loadsOfProcesses: Map<number, number>
}

/** Returns null if the process at the other end of a connection is unknown. */
export type FindProcess = (socket: Socket, knownIds: readonly number[]) => number | null

/**
 * Distinguishes the clients of one listener by their `User-Agent` and their credential, never by
 * the name from a person. Two running copies of a client look alike, so a connection that is opened
 * while others are open gets its own `load`, unless its process is known to have another one.
 */
export class RecordedClients {
  readonly #findProcess: FindProcess
  readonly #clients = new Map<string, Client>()
  readonly #loads = new WeakMap<Socket, number>()
  readonly #identifiedSockets = new WeakSet<Socket>()

  constructor(findProcess: FindProcess = () => null) {
    this.#findProcess = findProcess
  }

  originOf({ headers, socket }: IncomingMessage, credential: Credential, label: string): Origin {
    const key = JSON.stringify([headers['user-agent'] ?? null, credential])
    const client = this.#clients.get(key) ?? {
      id: randomUUID(),
      open: new Set(),
      load: 0,
      isShared: false,
      loadsOfProcesses: new Map(),
    }
    this.#clients.set(key, client)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return {
      kind: 'recorded',
      label,
      caller: client.id,
      load: this.#loads.get(socket) ?? this.#addConnection(socket, client),
    }
  }

  #addConnection(socket: Socket, client: Client): number {
    const isBesideOthers = client.open.size > 0 || client.isShared
    const processId = isBesideOthers ? this.#identifyProcesses(socket, client) : null
    const knownLoad = processId === null ? undefined : client.loadsOfProcesses.get(processId)
    if (knownLoad === undefined) {
      if (client.load === 0 || isBesideOthers) client.load += 1
      client.isShared = client.open.size > 0
    }
    const load = knownLoad ?? client.load
    if (processId !== null) client.loadsOfProcesses.set(processId, load)
    client.open.add(socket)
    socket.once('close', () => client.open.delete(socket))
    this.#loads.set(socket, load)
    return load
  }

  /** Returns the process of a new connection, after those of the open ones are known. */
  #identifyProcesses(socket: Socket, { open, loadsOfProcesses }: Client): number | null {
    const find = (candidate: Socket): number | null => {
      this.#identifiedSockets.add(candidate)
      return this.#findProcess(candidate, [...loadsOfProcesses.keys()])
    }
    for (const openSocket of open) {
      const load = this.#loads.get(openSocket)
      if (load === undefined || this.#identifiedSockets.has(openSocket)) continue
      const processId = find(openSocket)
      if (processId !== null && !loadsOfProcesses.has(processId)) loadsOfProcesses.set(processId, load)
    }
    return find(socket)
  }
}
