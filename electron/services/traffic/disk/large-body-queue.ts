import type { Database } from '../../journal/database.ts'
import type { EntryMasker, MaskedBody } from '../entry-masker.ts'
import type { RawBody } from '../entry.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** A large body that waits to be saved. */
export interface PendingBody {
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
  readonly onSaved: (body: PendingBody, bytes: Uint8Array | null) => void
  /** Called each time the disk rejects a write. */
  readonly onUnwritten: () => void
}

/** Saves large bodies one at a time, after their entries. */
export class LargeBodyQueue {
  readonly #options: Options
  readonly #updates
  #pendingBodies: PendingBody[] = []
  /** Number of bodies that were not saved because the disk rejected them. */
  droppedCount = 0

  constructor(options: Options) {
    this.#options = options
    const prepareUpdate = (side: string) =>
      options.database.prepare(`UPDATE details SET ${side} = ?, ${side}_body = ?, masked = masked + ? WHERE seq = ?`)
    this.#updates = { request: prepareUpdate('request'), response: prepareUpdate('response') }
  }

  add(bodies: readonly PendingBody[]): void {
    this.#pendingBodies.push(...bodies)
  }

  get hasWaiting(): boolean {
    return this.#pendingBodies.length > 0
  }

  /** The first exchange with a body that waits; null if there is none. */
  get firstWaitingSeq(): number | null {
    return this.#pendingBodies.reduce<number | null>((first, { seq }) => Math.min(first ?? seq, seq), null)
  }

  /** Saves one body, or that of the exchange `seq`. Returns false if there is none. */
  saveNext(seq?: number): boolean {
    const index = seq === undefined ? 0 : this.#pendingBodies.findIndex((pendingBody) => pendingBody.seq === seq)
    const [pendingBody] = index < 0 ? [] : this.#pendingBodies.splice(index, 1)
    if (!pendingBody) return false
    const { raw, side } = pendingBody
    const { database, cleaner, save, onFreed, onSaved } = this.#options
    const size = raw.bytes?.byteLength ?? 0
    try {
      const body = cleaner.maskBody(raw, pendingBody.token)
      runTransaction(database, () => {
        this.#updates[side].run(JSON.stringify(body.kept), save(body, raw), body.masked, pendingBody.seq)
      })
      onSaved(pendingBody, body.bytes)
    } catch {
      this.droppedCount += 1
      this.#options.onUnwritten()
      const storedBody = { ...cleaner.describeUnsavedBody(raw, pendingBody.token), missing: 'full' }
      ignoreSqliteErrors(() => this.#updates[side].run(JSON.stringify(storedBody), null, 0, pendingBody.seq))
    }
    onFreed(size)
    return true
  }
}
