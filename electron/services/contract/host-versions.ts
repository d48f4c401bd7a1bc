import { wrapperMembers } from '../../../shared/bridge/response-shape.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'

/** Changes of versions that are remembered for one host; then the oldest are forgotten. */
const MAX_CHANGES_PER_HOST = 1_000
const MAX_HOSTS = 200
const MAX_VERSION_CHARS = 60

interface VersionChange {
  readonly seq: number
  readonly version: string
}

/** An exchange's version is the last one that a recorded response reported at or before it. */
export class HostVersions {
  readonly #changesByHost = new Map<string, VersionChange[]>()

  constructor(stored: unknown = {}) {
    if (!isObject(stored)) return
    for (const [host, changes] of Object.entries(stored).slice(-MAX_HOSTS)) {
      if (Array.isArray(changes)) this.#changesByHost.set(host, changes.filter(isVersionChange))
    }
  }

  /** Must be called in ascending order of `seq`. */
  observe(host: string, seq: number, version: string): void {
    const changes = this.#changesByHost.get(host) ?? []
    if (changes.at(-1)?.version === version) return
    changes.push({ seq, version })
    if (changes.length > MAX_CHANGES_PER_HOST) changes.shift()
    this.#changesByHost.set(host, changes)
    const [oldest] = this.#changesByHost.keys()
    if (this.#changesByHost.size > MAX_HOSTS && oldest !== undefined) this.#changesByHost.delete(oldest)
  }

  /** Returns null if the host had not reported a version by then. */
  find(host: string, seq: number): string | null {
    return this.#changesByHost.get(host)?.findLast((change) => change.seq <= seq)?.version ?? null
  }

  toStored(): Readonly<Record<string, readonly VersionChange[]>> {
    return Object.fromEntries(this.#changesByHost)
  }
}

const isVersionChange = (value: unknown): value is VersionChange =>
  isObject(value) && typeof value['seq'] === 'number' && typeof value['version'] === 'string'

/** The version that a host reports about itself in a response; null if it reports none. */
export function readReportedVersion(body: unknown): string | null {
  const wrapped = wrapperMembers.map((name) => getMember(getMember(body, name), 'bridgeApiVersion'))
  const version = [getMember(body, 'bridgeApiVersion'), ...wrapped].find((value) => value !== undefined)
  return typeof version === 'string' && version !== '' ? version.slice(0, MAX_VERSION_CHARS) : null
}
