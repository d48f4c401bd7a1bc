import type { Database } from '../../journal/database.ts'
import type { EntryMasker, MaskedBody } from '../entry-masker.ts'
import type { RawBody } from '../entry.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** A large body that waits to be saved. */
export interface BodyJob {
  readonly seq: number
  readonly side: 'request' | 'response'
  readonly raw: RawBody
  readonly token: string | null
}

interface Options {
  readonly database: Database
  readonly cleaner: EntryMasker
  /** Returns the id of the stored body. */
  readonly save: (body: MaskedBody, raw: RawBody) => number | null
  readonly onFreed: (bytes: number) => void
  /** Called each time the disk rejects a write. */
  readonly onUnwritten: () => void
}

/** Large bodies are saved one at a time, after their entries. */
export class LargeBodyQueue {
  readonly #options: Options
  readonly #updates
  #jobs: BodyJob[] = []
  /** Number of bodies that were not saved because the disk rejected them. */
  droppedCount = 0

  constructor(options: Options) {
    this.#options = options
    const prepareUpdate = (side: string) =>
      options.database.prepare(`UPDATE details SET ${side} = ?, ${side}_body = ?, masked = masked + ? WHERE seq = ?`)
    this.#updates = { request: prepareUpdate('request'), response: prepareUpdate('response') }
  }

  add(jobs: readonly BodyJob[]): void {
    this.#jobs.push(...jobs)
  }

  get hasWaiting(): boolean {
    return this.#jobs.length > 0
  }

  /**
   * Saves one body; if `seq` is given, one of that exchange. Returns false if there is no such
   * body.
   */
  saveNext(seq?: number): boolean {
    const index = seq === undefined ? 0 : this.#jobs.findIndex((job) => job.seq === seq)
    const [job] = index < 0 ? [] : this.#jobs.splice(index, 1)
    if (!job) return false
    const { raw, side } = job
    const { database, cleaner, save, onFreed } = this.#options
    const size = raw.bytes?.byteLength ?? 0
    try {
      const body = cleaner.maskBody(raw, job.token)
      runTransaction(database, () => {
        this.#updates[side].run(JSON.stringify(body.kept), save(body, raw), body.masked, job.seq)
      })
    } catch {
      this.droppedCount += 1
      this.#options.onUnwritten()
      const storedBody = { ...cleaner.describeUnsavedBody(raw, job.token), missing: 'full' }
      ignoreSqliteErrors(() => this.#updates[side].run(JSON.stringify(storedBody), null, 0, job.seq))
    }
    onFreed(size)
    return true
  }
}
