import { cancelled } from '../../shared/errors.ts'
import { decodeUtf8 } from '../../shared/json/inspect.ts'
import { parseInWorker } from '../workers/client.ts'
import { keepAtHand } from './at-hand.ts'
import { ask, maskedIn, type Answer, type Sent } from './read.ts'

/** What an answer of unknown shape turned out to be. */
interface Unknown {
  readonly is: 'json' | 'text' | 'bytes'
}

/**
 * Reads a route that only the host lists (`listedId`), of which nobody knows what it returns: its bytes, and what they are. Throws
 * `AppError`.
 */
export async function readListed(
  endpointId: string,
  { params, query }: Sent,
  signal: AbortSignal,
): Promise<Answer<Unknown>> {
  const { meta, bytes } = await ask(endpointId, { params, query }, signal)
  const { ok, bytes: raw, findings, findingTotal } = await parseInWorker(null, bytes)
  if (signal.aborted) throw cancelled()
  keepAtHand(meta, raw)
  const isText = decodeUtf8(new Uint8Array(raw)).invalidAt === null
  const masked = maskedIn(meta)
  const found = ok ? [...masked, ...findings] : masked
  return {
    value: { is: ok ? 'json' : isText ? 'text' : 'bytes' },
    conforms: true,
    left: 0,
    lists: {},
    meta,
    findings: found,
    findingTotal: ok ? masked.length + findingTotal : masked.length,
    raw,
  }
}
