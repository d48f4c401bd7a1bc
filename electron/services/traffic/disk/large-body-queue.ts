import type { Database } from '../../journal/database.ts'
import type { EntryMasker, MaskedBody } from '../entry-masker.ts'
import type { RawBody } from '../entry.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** A body that is saved when there is time, or when somebody asks for it. */
export interface BodyJob {
  readonly seq: number
  readonly side: 'request' | 'response'
  readonly raw: RawBody
  readonly token: string | null
}

interface Options {
  readonly database: Database
  readonly cleaner: EntryMasker
  /** Saves the bytes and returns their place. */
  readonly save: (body: MaskedBody, raw: RawBody) => number | null
  readonly onFreed: (bytes: number) => void
  /** The disk took no more. */
  readonly onUnwritten: () => void
}

/** Large bodies that wait to be saved. */
export class LargeBodyQueue {
  readonly #options: Options
  readonly #set
  #jobs: BodyJob[] = []
  /** Not saved because the disk took no more. */
  droppedCount = 0

  constructor(options: Options) {
    this.#options = options
    const set = (side: string) =>
      options.database.prepare(`UPDATE details SET ${side} = ?, ${side}_body = ?, masked = masked + ? WHERE seq = ?`)
    this.#set = { request: set('request'), response: set('response') }
  }

  add(jobs: readonly BodyJob[]): void {
    this.#jobs.push(...jobs)
  }

  get hasWaiting(): boolean {
    return this.#jobs.length > 0
  }

  /**
   * Saves one; of this exchange if `seq` is given, as somebody is waiting for it. False if there is
   * none.
   */
  saveNext(seq?: number): boolean {
    const at = seq === undefined ? 0 : this.#jobs.findIndex((job) => job.seq === seq)
    const [job] = at < 0 ? [] : this.#jobs.splice(at, 1)
    if (!job) return false
    const { raw, side } = job
    const { database, cleaner, save, onFreed } = this.#options
    const size = raw.bytes?.byteLength ?? 0
    try {
      const body = cleaner.maskBody(raw, job.token)
      runTransaction(database, () => {
        this.#set[side].run(JSON.stringify(body.kept), save(body, raw), body.masked, job.seq)
      })
    } catch {
      this.droppedCount += 1
      this.#options.onUnwritten()
      const kept = { ...cleaner.describeUnsavedBody(raw, job.token), missing: 'full' }
      ignoreSqliteErrors(() => this.#set[side].run(JSON.stringify(kept), null, 0, job.seq))
    }
    onFreed(size)
    return true
  }
}
