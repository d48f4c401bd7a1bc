import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import { createHarLog, toHarEntry } from '../../shared/traffic/har.ts'
import type { Session } from '../base/session.ts'

/** Finds the exchanges of recorded clients in this run, in the order of their starts. */
export async function findRecordedSeqs({ call }: Session): Promise<number[]> {
  const { bytes } = await call('traffic.find', {
    filter: { origins: ['recorded'], thisRun: true },
    sort: { by: 'time', descending: false },
  })
  return [...new Uint32Array(bytes)]
}

/** An archive of this run's recorded exchanges `seqs`, in the order of their starts. */
export async function createArchive(session: Session, version: string): Promise<{ text: string; seqs: number[] }> {
  const { call } = session
  const seqs = await findRecordedSeqs(session)
  const entries: Record<string, unknown>[] = []
  for (let start = 0; start < seqs.length; start += MAX_ROWS_PER_CALL) {
    const { rows } = await call('traffic.rows', { seqs: seqs.slice(start, start + MAX_ROWS_PER_CALL) })
    for (const { seq } of rows) {
      const detail = await call('traffic.exchange', { seq })
      const readBody = (side: 'request' | 'response'): Promise<Buffer> =>
        readKeptBody(call, { seq, side, end: detail[side].kept })
      entries.push(toHarEntry(detail, await readBody('request'), await readBody('response')))
    }
  }
  return { text: `${JSON.stringify(createHarLog(entries, version), null, 2)}\n`, seqs }
}

/** Reads the bytes of a body up to `end`; fewer if the store has removed some meanwhile. */
export async function readKeptBody(
  call: Session['call'],
  range: { readonly seq: number; readonly side: 'request' | 'response'; readonly end: number },
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let start = 0; start < range.end; start += chunks.at(-1)?.byteLength ?? 0) {
    const { bytes } = await call('traffic.body', { ...range, start })
    if (bytes.byteLength === 0) break
    chunks.push(new Uint8Array(bytes))
  }
  return Buffer.concat(chunks)
}
