import type { Database } from '../../journal/database.ts'
import type { Cleaner, CleanBody } from '../clean.ts'
import type { RawBody } from '../entry.ts'
import { quietly, transaction } from './transaction.ts'

/** A body that is saved when there is time, or when somebody asks for it. */
export interface Job {
  readonly seq: number
  readonly side: 'request' | 'response'
  readonly raw: RawBody
  readonly token: string | null
}

interface Options {
  readonly database: Database
  readonly cleaner: Cleaner
  /** Saves the bytes and returns their place. */
  readonly save: (body: CleanBody, raw: RawBody) => number | null
  readonly onFreed: (bytes: number) => void
  /** The disk took no more. */
  readonly onUnwritten: () => void
}

/** Large bodies that wait to be saved. */
export class LargeBodies {
  readonly #options: Options
  readonly #set
  #jobs: Job[] = []
  /** Not saved because the disk took no more. */
  dropped = 0

  constructor(options: Options) {
    this.#options = options
    const set = (side: string) =>
      options.database.prepare(`UPDATE details SET ${side} = ?, ${side}_body = ?, masked = masked + ? WHERE seq = ?`)
    this.#set = { request: set('request'), response: set('response') }
  }

  add(jobs: readonly Job[]): void {
    this.#jobs.push(...jobs)
  }

  get waiting(): boolean {
    return this.#jobs.length > 0
  }

  /** Saves one; of this exchange if `seq` is given, as somebody is waiting for it. False if there is none. */
  saveOne(seq?: number): boolean {
    const at = seq === undefined ? 0 : this.#jobs.findIndex((job) => job.seq === seq)
    const [job] = at < 0 ? [] : this.#jobs.splice(at, 1)
    if (!job) return false
    const { raw, side } = job
    const { database, cleaner, save, onFreed } = this.#options
    const size = raw.bytes?.byteLength ?? 0
    try {
      const body = cleaner.body(raw, job.token)
      transaction(database, () => {
        this.#set[side].run(JSON.stringify(body.kept), save(body, raw), body.masked, job.seq)
      })
    } catch {
      this.dropped += 1
      this.#options.onUnwritten()
      const kept = { ...cleaner.withoutBytes(raw, job.token), missing: 'full' }
      quietly(() => this.#set[side].run(JSON.stringify(kept), null, 0, job.seq))
    }
    onFreed(size)
    return true
  }
}
